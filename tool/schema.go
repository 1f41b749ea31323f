package tool

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strconv"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
)

// Arguments and results are plain structs; their schema comes from the types
// and from these field tags:
//
//	json:"name"         the name; omitempty makes an argument optional
//	jsonschema:"text"   the description
//	enum:"a,b"          the accepted strings
//	min:"1" max:"9"     the accepted range of a number or length of a list or map
//	default:"true"      what an absent argument means (JSON)
//
// A pointer is an optional argument whose absence differs from zero.
// The same tags drive the binder in bind.go, so that schema and decoder agree.
func schemaOf(t reflect.Type) (*jsonschema.Schema, error) {
	node := reflect.TypeFor[treeNode]()
	s, err := jsonschema.ForType(t, &jsonschema.ForOptions{
		TypeSchemas: map[reflect.Type]*jsonschema.Schema{
			node:                       {Ref: "#/$defs/node"},
			reflect.TypeFor[seconds](): {AnyOf: []*jsonschema.Schema{{Type: "string"}, {Type: "number"}}},
		},
	})
	if err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	if t == reflect.TypeFor[treeData]() {
		s.Defs = map[string]*jsonschema.Schema{"node": treeSchema()}
	}
	if err := refine(s, t); err != nil {
		return nil, fmt.Errorf("schema of %s: %w", t, err)
	}
	return s, nil
}

// refine adds what the field tags say, and takes off the "null" that inference
// allows for slices: no tool answers null.
func refine(s *jsonschema.Schema, t reflect.Type) error {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	for _, typ := range s.Types {
		if typ != "null" {
			s.Type = typ
		}
	}
	s.Types = nil
	switch t.Kind() {
	case reflect.Slice:
		return refine(s.Items, t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			f := t.Field(i)
			property := s.Properties[jsonName(f)]
			if property == nil {
				continue
			}
			if err := refineField(property, f); err != nil {
				return fmt.Errorf("%s: %w", f.Name, err)
			}
		}
	}
	return nil
}

func refineField(s *jsonschema.Schema, f reflect.StructField) error {
	if err := refine(s, f.Type); err != nil {
		return err
	}
	for _, v := range enumOf(f) {
		s.Enum = append(s.Enum, v)
	}
	if d, ok := f.Tag.Lookup("default"); ok {
		s.Default = json.RawMessage(d)
	}
	for _, bound := range []struct {
		tag        string
		number     **float64
		items      **int
		properties **int
	}{
		{"min", &s.Minimum, &s.MinItems, &s.MinProperties},
		{"max", &s.Maximum, &s.MaxItems, &s.MaxProperties},
	} {
		n, ok, err := boundOf(f, bound.tag)
		if err != nil {
			return err
		}
		switch {
		case !ok:
		case f.Type.Kind() == reflect.Map:
			properties := int(n)
			*bound.properties = &properties
		case f.Type.Kind() == reflect.Slice:
			items := int(n)
			*bound.items = &items
		default:
			number := float64(n)
			*bound.number = &number
		}
	}
	return nil
}

func jsonName(f reflect.StructField) string {
	name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
	return name
}

func optional(f reflect.StructField) bool {
	_, rest, _ := strings.Cut(f.Tag.Get("json"), ",")
	return rest == "omitempty"
}

func enumOf(f reflect.StructField) []string {
	if tag := f.Tag.Get("enum"); tag != "" {
		return strings.Split(tag, ",")
	}
	return nil
}

func boundOf(f reflect.StructField, tag string) (n int64, ok bool, err error) {
	v, ok := f.Tag.Lookup(tag)
	if !ok {
		return 0, false, nil
	}
	n, err = strconv.ParseInt(v, 10, 64)
	return n, true, err
}
