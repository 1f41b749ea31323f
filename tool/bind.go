package tool

import (
	"encoding/json"
	"fmt"
	"math"
	"math/big"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"time"
)

// decodeArgs reads the arguments of a call into the struct that into points to.
// Its errors name the argument and say what is wanted.
func decodeArgs(raw json.RawMessage, into any) error {
	if len(raw) == 0 {
		raw = json.RawMessage("{}")
	}
	v, err := parseJSON(raw)
	if err != nil {
		return err
	}
	if v == nil {
		v = &object{} // null, as some clients say "no arguments"
	}
	o, ok := v.(*object)
	if !ok {
		return fmt.Errorf("the arguments must be an object, not %s", kindOf(v))
	}
	return bindStruct("", o, reflect.ValueOf(into).Elem())
}

func bindStruct(at string, o *object, dst reflect.Value) error {
	fields := map[string]reflect.StructField{}
	var names []string
	for i := range dst.NumField() {
		f := dst.Type().Field(i)
		fields[jsonName(f)] = f
		names = append(names, jsonName(f))
	}
	for _, key := range o.keys {
		if _, known := fields[key]; !known {
			return unknownName("argument", join(at, key), key, names)
		}
	}
	for _, name := range names {
		f := fields[name]
		v, given := o.values[name]
		// Some clients send null for what they leave out.
		if v == nil && optional(f) {
			given = false
		}
		if !given {
			if err := bindDefault(f, dst.FieldByIndex(f.Index)); err != nil {
				return fmt.Errorf("%s: %w", join(at, name), err)
			}
			continue
		}
		if err := bindField(join(at, name), f, v, dst.FieldByIndex(f.Index)); err != nil {
			return err
		}
	}
	return nil
}

func bindDefault(f reflect.StructField, dst reflect.Value) error {
	if d, ok := f.Tag.Lookup("default"); ok {
		return json.Unmarshal([]byte(d), dst.Addr().Interface())
	}
	if !optional(f) {
		return fmt.Errorf("is required: %s", f.Tag.Get("jsonschema"))
	}
	return nil
}

func bindField(at string, f reflect.StructField, v any, dst reflect.Value) error {
	if err := bindValue(at, v, dst); err != nil {
		return err
	}
	if enum := enumOf(f); enum != nil && !slices.Contains(enum, dst.String()) {
		return unknownName("value", at, dst.String(), enum)
	}
	return checkBounds(at, f, dst)
}

func checkBounds(at string, f reflect.StructField, dst reflect.Value) error {
	n, what := int64(0), ""
	dst = reflect.Indirect(dst)
	switch dst.Kind() {
	case reflect.Int64:
		n, what = dst.Int(), "number"
	case reflect.Slice, reflect.Map:
		n, what = int64(dst.Len()), "number of elements"
	default:
		return nil
	}
	if least, ok, _ := boundOf(f, "min"); ok && n < least {
		return fmt.Errorf("%s: the %s must be at least %d, not %d", at, what, least, n)
	}
	if most, ok, _ := boundOf(f, "max"); ok && n > most {
		return fmt.Errorf("%s: the %s must be at most %d, not %d", at, what, most, n)
	}
	return nil
}

func bindValue(at string, v any, dst reflect.Value) error {
	if dst.Kind() == reflect.Pointer {
		dst.Set(reflect.New(dst.Type().Elem()))
		dst = dst.Elem()
	}
	if dst.Type() == reflect.TypeFor[seconds]() {
		return bindSeconds(at, v, dst)
	}
	v = unstring(v, dst.Kind())
	switch dst.Kind() {
	case reflect.String:
		if s, ok := v.(string); ok {
			dst.SetString(s)
			return nil
		}
	case reflect.Bool:
		if b, ok := v.(bool); ok {
			dst.SetBool(b)
			return nil
		}
	case reflect.Int64:
		if n, ok := v.(json.Number); ok {
			return bindInt(at, n, dst)
		}
	case reflect.Slice:
		if list, ok := v.([]any); ok {
			return bindSlice(at, list, dst)
		}
	case reflect.Map:
		if o, ok := v.(*object); ok {
			return bindMap(at, o, dst)
		}
	case reflect.Struct:
		if o, ok := v.(*object); ok {
			return bindStruct(at, o, dst)
		}
	}
	return fmt.Errorf("%s: want %s, got %s", at, wanted(dst.Kind()), kindOf(v))
}

func bindSlice(at string, list []any, dst reflect.Value) error {
	dst.Set(reflect.MakeSlice(dst.Type(), len(list), len(list)))
	for i, e := range list {
		if err := bindValue(fmt.Sprintf("%s[%d]", at, i), e, dst.Index(i)); err != nil {
			return err
		}
	}
	return nil
}

func bindMap(at string, o *object, dst reflect.Value) error {
	dst.Set(reflect.MakeMapWithSize(dst.Type(), len(o.keys)))
	for _, key := range o.keys {
		value := reflect.New(dst.Type().Elem()).Elem()
		if err := bindValue(join(at, clip(key, 60)), o.values[key], value); err != nil {
			return err
		}
		dst.SetMapIndex(reflect.ValueOf(key), value)
	}
	return nil
}

// seconds is a span of time: a number of seconds, or a text such as "90s".
type seconds time.Duration

// maxSeconds bounds a span, so that it fits into a time.Duration with room.
const maxSeconds = 366 * 24 * 60 * 60

func bindSeconds(at string, v any, dst reflect.Value) error {
	var text string
	switch v := v.(type) {
	case json.Number:
		text = v.String()
	case string:
		text = v
	default:
		return fmt.Errorf("%s: want a duration such as \"90s\" or a number of seconds, got %s", at, kindOf(v))
	}
	span, err := time.ParseDuration(text)
	if number, nerr := strconv.ParseFloat(text, 64); nerr == nil && math.Abs(number) <= maxSeconds {
		span, err = time.Duration(number*float64(time.Second)), nil
	}
	if err != nil || span <= 0 || span > maxSeconds*time.Second {
		return fmt.Errorf("%s: want a duration above zero such as \"90s\" or a number of seconds, got %q", at, clip(text, 60))
	}
	dst.SetInt(int64(span))
	return nil
}

// bindInt accepts what JSON Schema calls an integer: 5, 5.0 and 5e0.
func bindInt(at string, n json.Number, dst reflect.Value) error {
	if i, err := n.Int64(); err == nil {
		dst.SetInt(i)
		return nil
	}
	// Exponents are bounded before the exact arithmetic: 1e999999999 is a
	// short text and a huge number.
	if f, err := n.Float64(); err != nil || math.Abs(f) > math.MaxInt64 || math.Trunc(f) != f {
		return fmt.Errorf("%s: want a whole number within 64 bits, got %s", at, n)
	}
	exact, ok := new(big.Rat).SetString(n.String())
	if !ok || !exact.IsInt() || !exact.Num().IsInt64() {
		return fmt.Errorf("%s: want a whole number within 64 bits, got %s", at, n)
	}
	dst.SetInt(exact.Num().Int64())
	return nil
}

// unstring takes a string that is exactly the JSON of the kind that is wanted
// as that value, because some clients send "[1]" for [1]. Never the other way
// round.
func unstring(v any, want reflect.Kind) any {
	s, ok := v.(string)
	if !ok || want == reflect.String || s == "" || strings.TrimSpace(s) != s {
		return v
	}
	inner, err := parseJSON([]byte(s))
	if err != nil {
		return v
	}
	if _, still := inner.(string); still || inner == nil {
		return v
	}
	return inner
}

func wanted(k reflect.Kind) string {
	switch k {
	case reflect.String:
		return "a string"
	case reflect.Bool:
		return "true or false"
	case reflect.Int64:
		return "a whole number"
	case reflect.Slice:
		return "an array"
	default:
		return "an object"
	}
}

func kindOf(v any) string {
	switch v.(type) {
	case nil:
		return "null"
	case bool:
		return "a boolean"
	case string:
		return "a string"
	case json.Number:
		return "a number"
	case []any:
		return "an array"
	default:
		return "an object"
	}
}

func join(at, name string) string {
	if at == "" {
		return name
	}
	return at + "." + name
}
