package config

import (
	"fmt"
	"math"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Parse decodes a configuration over the defaults. file is the name that errors
// carry; nothing is opened. An error is of type [Errors] and holds all that is
// wrong.
func Parse(file string, data []byte) (*Config, error) {
	if !utf8.Valid(data) {
		return nil, Errors{invalidUTF8(file, data)}
	}
	doc := parseDocument(file, data)
	c := Default()
	c.file, c.marks = file, map[string]mark{}
	d := &decoder{file: file, errs: doc.errs, marks: c.marks, broken: doc.broken}
	d.table(doc.root, reflect.ValueOf(c).Elem(), "")
	if len(d.errs) == 0 {
		d.errs = c.check()
	}
	if err := d.errs.report(); err != nil {
		return nil, err
	}
	return c, nil
}

// decoder fills Go values from the tree, following the struct tags.
type decoder struct {
	file   string
	errs   Errors
	marks  map[string]mark
	broken bool // the file was not read to its end: a missing key is no error
}

func (d *decoder) fail(at pos, path, message, hint string) {
	d.errs = append(d.errs, &Error{File: d.file, Line: at.line, Column: at.column, Key: path, Message: message, Hint: hint})
}

func (d *decoder) table(n *node, v reflect.Value, path string) {
	fields := fieldsOf(v.Type())
	for _, e := range n.entries {
		at := joinPath(path, e.name)
		i := slices.IndexFunc(fields, func(f field) bool { return f.name == e.name })
		if i < 0 {
			d.fail(e.at, at, "unknown key `"+printable(e.name)+"`"+within(path), unknownHint(e.name, fields))
			continue
		}
		d.marks[at] = mark{e.at, e.value.at}
		d.value(e.value, v.Field(fields[i].index), &fields[i], at)
	}
	if d.broken {
		return
	}
	for _, f := range fields {
		if f.required && n.index[f.name] == nil {
			d.fail(n.at, joinPath(path, f.name), "`"+f.name+"` is missing"+within(path), "")
		}
	}
}

func within(path string) string {
	if path == "" {
		return ""
	}
	return " in `" + path + "`"
}

func unknownHint(name string, fields []field) string {
	if near := didYouMean(name, names(fields)); near != "" {
		return near
	}
	if homes := homesOf(name); len(homes) > 0 {
		return "it is at home at " + strings.Join(homes, ", ")
	}
	return "known here: " + strings.Join(names(fields), ", ")
}

func (d *decoder) value(n *node, v reflect.Value, f *field, path string) {
	switch v.Interface().(type) {
	case Duration:
		d.duration(n, v, f, path)
		return
	case Size:
		d.size(n, v, path)
		return
	case Arguments:
		d.arguments(n, v, path)
		return
	}
	switch v.Kind() {
	case reflect.Struct:
		if d.is(n, kindTable, path) {
			d.table(n, v, path)
		}
	case reflect.Map:
		d.mapping(n, v, f, path)
	case reflect.Slice:
		d.list(n, v, f, path)
	case reflect.Bool:
		if d.is(n, kindBool, path) {
			v.SetBool(n.text == "true")
		}
	case reflect.Int:
		d.integer(n, v, f, path)
	case reflect.Float64:
		d.decimal(n, v, f, path)
	case reflect.String:
		d.str(n, v, f, path)
	}
}

// is reports whether n has the wanted kind, and fails otherwise.
func (d *decoder) is(n *node, want kind, path string) bool {
	if n.kind == want {
		return true
	}
	hint := ""
	switch {
	case want == kindBool:
		hint = "write true or false, without quotes"
	case want == kindInteger && n.kind == kindString:
		hint = "write the number without quotes"
	case want == kindString && n.kind != kindTable && n.kind != kindArray:
		hint = "put it in quotes: " + quote(n.text)
	case want == kindArray && n.kind == kindString:
		hint = "put it in brackets: [" + quote(n.text) + "]"
	}
	d.fail(n.at, path, "`"+path+"` must be "+want.String()+", not "+n.kind.String(), hint)
	return false
}

func (d *decoder) mapping(n *node, v reflect.Value, f *field, path string) {
	if !d.is(n, kindTable, path) {
		return
	}
	out := reflect.MakeMap(v.Type())
	for _, e := range n.entries {
		at := joinPath(path, e.name)
		d.marks[at] = mark{e.at, e.value.at}
		if !f.keys.re.MatchString(e.name) {
			d.fail(e.at, at, "the key "+quote(e.name)+within(path)+" must be "+f.keys.what, f.keys.hint)
			continue
		}
		one := newElement(v.Type().Elem())
		d.value(e.value, one, f.element(), at)
		out.SetMapIndex(reflect.ValueOf(e.name), one)
	}
	v.SetZero()
	if out.Len() > 0 {
		v.Set(out)
	}
}

func (d *decoder) list(n *node, v reflect.Value, f *field, path string) {
	if !d.is(n, kindArray, path) {
		return
	}
	if f.nonempty && len(n.items) == 0 {
		d.fail(n.at, path, "`"+path+"` is empty and would match nothing", "leave the key out to match everything")
	}
	v.SetZero()
	seen := map[any]bool{}
	for i, item := range n.items {
		at := indexPath(path, i)
		d.marks[at] = mark{item.at, item.at}
		one := newElement(v.Type().Elem())
		before := len(d.errs)
		d.value(item, one, f.element(), at)
		if one.Kind() != reflect.Struct && !f.argv && len(d.errs) == before {
			if key := one.Interface(); seen[key] {
				d.fail(item.at, at, fmt.Sprintf("`%s` holds %s twice", path, formatValue(one)), "")
			} else {
				seen[key] = true
			}
		}
		v.Set(reflect.Append(v, one))
	}
}

func (d *decoder) str(n *node, v reflect.Value, f *field, path string) {
	if !d.is(n, kindString, path) {
		return
	}
	if valid, ok := enums[v.Type()]; ok && !slices.Contains(valid, n.text) {
		hint := didYouMean(n.text, valid)
		if n.text == "bwrap" && slices.Contains(valid, string(BackendBubblewrap)) {
			hint = "did you mean `bubblewrap`?"
		}
		d.fail(n.at, path, "`"+path+"` is "+quote(n.text)+", but must be "+alternatives(valid), hint)
		return
	}
	if f.format != nil && !f.format.re.MatchString(n.text) {
		d.fail(n.at, path, "`"+path+"` is "+quote(n.text)+", but must be "+f.format.what, f.format.hint)
		return
	}
	v.SetString(n.text)
}

// alternatives lists values as in: "a", "b" or "c".
func alternatives(values []string) string {
	quoted := make([]string, len(values))
	for i, value := range values {
		quoted[i] = quote(value)
	}
	last := len(quoted) - 1
	if last == 0 {
		return quoted[0]
	}
	return strings.Join(quoted[:last], ", ") + " or " + quoted[last]
}

func (d *decoder) integer(n *node, v reflect.Value, f *field, path string) {
	if !d.is(n, kindInteger, path) {
		return
	}
	// Base 0 knows the prefixes and underscores that TOML has; the parser has
	// refused what only Go would take.
	i, err := strconv.ParseInt(n.text, 0, 64)
	if err != nil || float64(i) < f.min || float64(i) > f.max {
		d.fail(n.at, path, fmt.Sprintf("`%s` is %s, but must be from %v to %v", path, n.text, int64(f.min), int64(f.max)), "")
		return
	}
	v.SetInt(i)
}

func (d *decoder) decimal(n *node, v reflect.Value, f *field, path string) {
	text := n.text
	if n.kind == kindInteger {
		i, err := strconv.ParseInt(text, 0, 64)
		if err != nil {
			i = math.MaxInt64
		}
		text = strconv.FormatInt(i, 10)
	} else if n.kind != kindFloat {
		d.fail(n.at, path, "`"+path+"` must be a number, not "+n.kind.String(), "")
		return
	}
	x, err := strconv.ParseFloat(strings.ReplaceAll(text, "_", ""), 64)
	if err != nil || !(x >= f.min && x <= f.max) { // the negation catches NaN
		d.fail(n.at, path, fmt.Sprintf("`%s` is %s, but must be from %v to %v", path, n.text, f.min, f.max), "")
		return
	}
	v.SetFloat(x)
}

func (d *decoder) duration(n *node, v reflect.Value, f *field, path string) {
	hint := "write it like \"90s\", \"5m\", \"1h30m\" or \"400d\""
	if n.kind != kindString {
		d.fail(n.at, path, "`"+path+"` must be a duration in quotes, not "+n.kind.String(), hint)
		return
	}
	value, err := ParseDuration(n.text)
	switch {
	case err != nil:
		if f.none {
			hint += ", or \"none\""
		}
		d.fail(n.at, path, "`"+path+"` is "+quote(n.text)+", which is not a duration above zero", hint)
	case value == 0 && !f.none:
		d.fail(n.at, path, "`"+path+"` can't be \"none\"", hint)
	default:
		v.SetInt(int64(value))
	}
}

func (d *decoder) size(n *node, v reflect.Value, path string) {
	const hint = "write it like \"256KiB\", \"2GiB\" or \"10MB\", or as a number of bytes without quotes"
	switch n.kind {
	case kindString:
		value, err := ParseSize(n.text)
		if err != nil {
			d.fail(n.at, path, "`"+path+"` is "+quote(n.text)+", which is not a size above zero", hint)
			return
		}
		v.SetInt(int64(value))
	case kindInteger:
		i, err := strconv.ParseInt(n.text, 0, 64)
		if err != nil || i < 1 {
			d.fail(n.at, path, "`"+path+"` is "+n.text+", which is not a size above zero", hint)
			return
		}
		v.SetInt(i)
	default:
		d.fail(n.at, path, "`"+path+"` must be a size, not "+n.kind.String(), hint)
	}
}
