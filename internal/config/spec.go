package config

import (
	"reflect"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// field is one key of the configuration, read from its struct tags.
type field struct {
	name     string
	index    int
	typ      reflect.Type
	doc      string
	example  string
	fallback string  // the default inside a list's element
	format   *format // of a string, or of each in a list or map
	keys     *format // of a map's keys

	required, inline, nonempty, argv, none bool

	min, max float64 // of a number
}

var specs sync.Map // reflect.Type → []field

// fieldsOf returns the keys of a table in the order of its struct.
func fieldsOf(t reflect.Type) []field {
	if known, ok := specs.Load(t); ok {
		return known.([]field)
	}
	var fields []field
	for i := range t.NumField() {
		if f, ok := fieldOf(t.Field(i)); ok {
			f.index = i
			fields = append(fields, f)
		}
	}
	specs.Store(t, fields)
	return fields
}

func fieldOf(sf reflect.StructField) (field, bool) {
	tag, ok := sf.Tag.Lookup("toml")
	if !ok {
		return field{}, false
	}
	options := strings.Split(tag, ",")
	has := func(option string) bool { return slices.Contains(options[1:], option) }
	number := func(tag string) float64 {
		n, _ := strconv.ParseFloat(sf.Tag.Get(tag), 64) // absent: 0
		return n
	}
	return field{
		name:     options[0],
		typ:      sf.Type,
		doc:      sf.Tag.Get("doc"),
		example:  sf.Tag.Get("example"),
		fallback: sf.Tag.Get("default"),
		format:   formats[sf.Tag.Get("format")],
		keys:     formats[sf.Tag.Get("keys")],
		required: has("required"),
		inline:   has("inline"),
		nonempty: has("nonempty"),
		argv:     has("argv"),
		none:     has("none"),
		min:      number("min"),
		max:      number("max"),
	}, true
}

// isTable reports whether the key is written as a table of its own, or several,
// below the keys of the table around it.
func (f *field) isTable() bool {
	switch f.typ.Kind() {
	case reflect.Struct:
		return true
	case reflect.Map:
		return !f.inline
	case reflect.Slice:
		return !f.inline && f.typ.Elem().Kind() == reflect.Struct
	default:
		return false
	}
}

// element is the field as it holds for one element of a list or map.
func (f *field) element() *field {
	e := *f
	e.typ = f.typ.Elem()
	return &e
}

func names(fields []field) []string {
	out := make([]string, len(fields))
	for i := range fields {
		out[i] = fields[i].name
	}
	return out
}

// newElement makes an element of a list or map with its defaults.
func newElement(t reflect.Type) reflect.Value {
	v := reflect.New(t).Elem()
	if t.Kind() == reflect.Struct {
		for _, f := range fieldsOf(t) {
			if f.fallback != "" {
				v.Field(f.index).SetString(f.fallback)
			}
		}
	}
	return v
}

// homesOf returns where keys of that name stand, as `[table]` or `[table] key`.
func homesOf(name string) []string {
	var homes []string
	var visit func(t reflect.Type, path string)
	visit = func(t reflect.Type, path string) {
		for _, f := range fieldsOf(t) {
			at := joinPath(path, f.name)
			switch {
			case f.name == name && f.isTable():
				homes = append(homes, "["+at+"]")
			case f.name == name && path != "":
				homes = append(homes, "["+path+"] "+name)
			}
			if f.typ.Kind() == reflect.Struct {
				visit(f.typ, at)
			}
		}
	}
	visit(reflect.TypeFor[Config](), "")
	return homes
}
