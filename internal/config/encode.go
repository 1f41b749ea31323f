package config

import (
	"fmt"
	"maps"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var bareKey = regexp.MustCompile(`^[A-Za-z0-9_-]+$`)

func itoa(i int) string { return strconv.Itoa(i) }

func quoteKey(key string) string {
	if bareKey.MatchString(key) {
		return key
	}
	return quote(key)
}

// quote writes a TOML basic string. Control characters, also the invisible ones
// above ASCII, are escaped: a terminal shows what the file says.
func quote(s string) string {
	var b strings.Builder
	b.WriteByte('"')
	for _, r := range s {
		switch {
		case r == '"' || r == '\\':
			b.WriteByte('\\')
			b.WriteRune(r)
		case r == '\n':
			b.WriteString(`\n`)
		case r == '\t':
			b.WriteString(`\t`)
		case strconv.IsPrint(r):
			b.WriteRune(r)
		case r > 0xffff:
			fmt.Fprintf(&b, `\U%08X`, r)
		default:
			fmt.Fprintf(&b, `\u%04X`, r)
		}
	}
	b.WriteByte('"')
	return b.String()
}

// formatValue writes a value on one line, as [Parse] reads it.
func formatValue(v reflect.Value) string {
	switch value := v.Interface().(type) {
	case Duration:
		return quote(value.String())
	case Size:
		if s := value.String(); s[len(s)-1] == 'B' {
			return quote(s)
		}
		return value.String()
	}
	switch v.Kind() {
	case reflect.String:
		return quote(v.String())
	case reflect.Slice:
		items := make([]string, v.Len())
		for i := range items {
			items[i] = formatValue(v.Index(i))
		}
		return "[" + strings.Join(items, ", ") + "]"
	case reflect.Map:
		var items []string
		for _, key := range sortedKeys(v) {
			items = append(items, quoteKey(key)+" = "+formatValue(v.MapIndex(reflect.ValueOf(key))))
		}
		return inlineTable(items)
	case reflect.Struct:
		var items []string
		for _, f := range fieldsOf(v.Type()) {
			items = append(items, f.name+" = "+formatValue(v.Field(f.index)))
		}
		return inlineTable(items)
	default:
		return fmt.Sprint(v.Interface()) // bool, int, float64: Go's form is TOML's
	}
}

func inlineTable(items []string) string {
	if len(items) == 0 {
		return "{}"
	}
	return "{ " + strings.Join(items, ", ") + " }"
}

func sortedKeys(m reflect.Value) []string {
	keys := map[string]bool{}
	for _, key := range m.MapKeys() {
		keys[key.String()] = true
	}
	return slices.Sorted(maps.Keys(keys))
}
