package config

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
)

// Show writes the effective configuration as TOML, every key with a comment
// that says where its value comes from: "default", or file and line. [Parse]
// reads it back to an equal configuration.
func (c *Config) Show() []byte {
	w := &shower{config: c}
	w.table("", reflect.ValueOf(c).Elem())
	return []byte(strings.TrimPrefix(w.String(), "\n"))
}

// origin says where the value of a key comes from.
func (c *Config) origin(path string) string {
	m, ok := c.marks[path]
	if !ok {
		return "default"
	}
	return c.file + ":" + strconv.Itoa(m.key.line)
}

type shower struct {
	strings.Builder
	config *Config // for the origins; nil leaves them out
}

func (w *shower) line(path, key, value string) {
	w.WriteString(key + " = " + value)
	if w.config != nil {
		w.WriteString("  # " + printable(w.config.origin(path)))
	}
	w.WriteByte('\n')
}

// printable keeps a file's name from breaking out of its comment.
func printable(s string) string {
	q := quote(s)
	return q[1 : len(q)-1]
}

// table writes the keys of a struct, then the tables below it.
func (w *shower) table(path string, v reflect.Value) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		value := v.Field(f.index)
		if !f.isTable() && !(f.nonempty && value.Len() == 0) {
			w.line(joinPath(path, f.name), f.name, formatValue(value))
		}
	}
	for _, f := range fields {
		if f.isTable() {
			w.tables(joinPath(path, f.name), v.Field(f.index))
		}
	}
}

func (w *shower) tables(path string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Struct:
		w.WriteString("\n[" + path + "]\n")
		w.table(path, v)
	case reflect.Slice:
		for i := range v.Len() {
			w.WriteString("\n[[" + path + "]]\n")
			w.table(indexPath(path, i), v.Index(i))
		}
	case reflect.Map:
		w.mapping(path, v)
	}
}

func (w *shower) mapping(path string, v reflect.Value) {
	ofTables := v.Type().Elem().Kind() == reflect.Struct
	if v.Len() > 0 && !ofTables {
		w.WriteString("\n[" + path + "]\n")
	}
	for _, key := range sortedKeys(v) {
		value := v.MapIndex(reflect.ValueOf(key))
		at := joinPath(path, key)
		if ofTables {
			w.tables(at, value)
			continue
		}
		w.line(at, quoteKey(key), formatValue(value))
	}
}

// ShowJSON writes the effective configuration as JSON: "file", "config" with
// the values as TOML has them, and "origin" with one entry for each key, by its
// path.
func (c *Config) ShowJSON() ([]byte, error) {
	origins := map[string]string{}
	values := c.values(reflect.ValueOf(c).Elem(), "", origins)
	return json.MarshalIndent(map[string]any{"file": c.file, "config": values, "origin": origins}, "", "  ")
}

// values turns a table into plain maps, lists and scalars, and collects where
// each key comes from.
func (c *Config) values(v reflect.Value, path string, origins map[string]string) map[string]any {
	out := map[string]any{}
	for _, f := range fieldsOf(v.Type()) {
		at := joinPath(path, f.name)
		value := v.Field(f.index)
		if f.typ.Kind() == reflect.Struct {
			out[f.name] = c.values(value, at, origins)
			continue
		}
		out[f.name] = plain(value)
		origins[at] = c.origin(at)
	}
	return out
}

// plain turns a value into what encoding/json writes like TOML: sizes and
// durations as text, an empty list as [].
func plain(v reflect.Value) any {
	switch value := v.Interface().(type) {
	case Duration:
		return value.String()
	case Size:
		if s := value.String(); s[len(s)-1] == 'B' {
			return s
		}
		return int64(value)
	}
	switch v.Kind() {
	case reflect.Slice:
		out := make([]any, v.Len())
		for i := range out {
			out[i] = plain(v.Index(i))
		}
		return out
	case reflect.Map:
		out := map[string]any{}
		for _, key := range sortedKeys(v) {
			out[key] = plain(v.MapIndex(reflect.ValueOf(key)))
		}
		return out
	case reflect.Struct:
		out := map[string]any{}
		for _, f := range fieldsOf(v.Type()) {
			value := v.Field(f.index)
			if !(f.nonempty && value.Len() == 0) {
				out[f.name] = plain(value)
			}
		}
		return out
	default:
		return v.Interface()
	}
}
