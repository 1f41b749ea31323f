package config

import (
	"encoding/json"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"
)

// JSONSchema returns the JSON Schema (draft 2020-12) of the configuration file,
// for editors. It follows the same struct tags and patterns as the decoder, and
// accepts what [Parse] accepts, but for what a schema can't say: TOML's types
// where JSON has fewer (2.0 is no integer, a date no string), and what several
// keys must agree on (a task type that [tasks] does not have, a folder or rule
// name given twice, the default network "host" without host = true).
func JSONSchema() []byte {
	root := tableSchema(reflect.ValueOf(Default()).Elem())
	root.Schema = "https://json-schema.org/draft/2020-12/schema"
	root.Title = "Bailey configuration"
	out, err := json.MarshalIndent(root, "", "  ")
	if err != nil {
		panic(err) // a constant: the tests would see it first
	}
	return append(out, '\n')
}

// tableSchema describes a table; the defaults are the values of v.
func tableSchema(v reflect.Value) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:                 "object",
		Properties:           map[string]*jsonschema.Schema{},
		AdditionalProperties: nothing(),
	}
	for _, f := range fieldsOf(v.Type()) {
		value := v.Field(f.index)
		property := valueSchema(value, &f)
		property.Description = f.doc
		if !f.required && f.typ.Kind() != reflect.Struct && !(f.nonempty && value.Len() == 0) {
			property.Default, _ = json.Marshal(plain(value)) // maps, lists and scalars only
		}
		if f.required {
			s.Required = append(s.Required, f.name)
		}
		s.Properties[f.name] = property
		s.PropertyOrder = append(s.PropertyOrder, f.name)
	}
	return s
}

// nothing is the schema that no value meets.
func nothing() *jsonschema.Schema { return &jsonschema.Schema{Not: &jsonschema.Schema{}} }

func valueSchema(v reflect.Value, f *field) *jsonschema.Schema {
	switch v.Interface().(type) {
	case Duration:
		pattern := `^` + durationPattern + `$`
		if f.none {
			pattern = `^(none|` + durationPattern + `)$`
		}
		return &jsonschema.Schema{Type: "string", Pattern: pattern, MinLength: jsonschema.Ptr(1)}
	case Size:
		return &jsonschema.Schema{AnyOf: []*jsonschema.Schema{
			{Type: "string", Pattern: `^(` + sizePattern + `)$`},
			{Type: "integer", Minimum: jsonschema.Ptr(1.0)},
		}}
	}
	switch v.Kind() {
	case reflect.Struct:
		return tableSchema(v)
	case reflect.Map:
		return &jsonschema.Schema{
			Type:                 "object",
			PropertyNames:        &jsonschema.Schema{Pattern: f.keys.pattern},
			AdditionalProperties: valueSchema(newElement(f.typ.Elem()), f.element()),
		}
	case reflect.Slice:
		return listSchema(f)
	case reflect.Bool:
		return &jsonschema.Schema{Type: "boolean"}
	case reflect.Int:
		return &jsonschema.Schema{Type: "integer", Minimum: &f.min, Maximum: &f.max}
	case reflect.Float64:
		return &jsonschema.Schema{Type: "number", Minimum: &f.min, Maximum: &f.max}
	default:
		return stringSchema(f)
	}
}

func listSchema(f *field) *jsonschema.Schema {
	s := &jsonschema.Schema{
		Type:        "array",
		Items:       valueSchema(newElement(f.typ.Elem()), f.element()),
		UniqueItems: f.typ.Elem().Kind() != reflect.Struct && !f.argv,
	}
	if f.nonempty {
		s.MinItems = jsonschema.Ptr(1)
	}
	return s
}

func stringSchema(f *field) *jsonschema.Schema {
	s := &jsonschema.Schema{Type: "string"}
	for _, value := range enums[f.typ] {
		s.Enum = append(s.Enum, value)
	}
	if f.format != nil {
		s.Pattern = f.format.pattern
	}
	return s
}
