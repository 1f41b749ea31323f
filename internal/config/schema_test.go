package config

import (
	"encoding/json"
	"testing"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/pelletier/go-toml/v2"
)

func resolvedSchema(t testing.TB) *jsonschema.Resolved {
	t.Helper()
	var s jsonschema.Schema
	if err := json.Unmarshal(JSONSchema(), &s); err != nil {
		t.Fatal(err)
	}
	r, err := s.Resolve(&jsonschema.ResolveOptions{ValidateDefaults: true})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

// asJSON is what an editor hands to the schema; ok is false where the text is
// no TOML or holds what JSON has no type for.
func asJSON(text string) (v any, ok bool) {
	var doc map[string]any
	if err := toml.Unmarshal([]byte(text), &doc); err != nil {
		return nil, false
	}
	data, err := json.Marshal(doc)
	if err != nil {
		return nil, false
	}
	return v, json.Unmarshal(data, &v) == nil
}

// beyondSchema are the broken files that only the decoder can refuse, as the
// comment of JSONSchema says.
var beyondSchema = map[string]bool{
	"task that is not there":          true,
	"folder twice":                    true,
	"rule name twice":                 true,
	"host network without permission": true,
	"decimal for an integer":          true,
	"a date":                          true,
}

func TestSchemaAgreesWithDecoder(t *testing.T) {
	schema := resolvedSchema(t)
	for name, text := range map[string]string{
		"full": full, "template": string(Template(nil)), "shown": string(Default().Show()), "empty": "",
	} {
		v, ok := asJSON(text)
		if err := schema.Validate(v); !ok || err != nil {
			t.Errorf("%s is refused: %v", name, err)
		}
	}
	refused := 0
	for _, tt := range broken {
		v, ok := asJSON(tt.text)
		if !ok {
			continue
		}
		err := schema.Validate(v)
		if (err == nil) != beyondSchema[tt.name] {
			t.Errorf("%s: the schema says %v", tt.name, err)
		}
		if err != nil {
			refused++
		}
	}
	if refused < 40 {
		t.Errorf("only %d broken files came as far as the schema", refused)
	}
}

// TestSchemaAgreesOnValues tries the edges of each form of value on both.
func TestSchemaAgreesOnValues(t *testing.T) {
	schema := resolvedSchema(t)
	for prefix, values := range map[string][]string{
		"approval.timeout = ": {`"none"`, `""`, `"0s"`, `"90s"`, `"1d1h1m1s1ms"`, `"1s1m"`, `"none1s"`, `"99999d"`, `5`, `"5m\n"`},
		"sandbox.timeout = ":  {`"none"`, `"1ms"`, `""`},
		"sandbox.memory = ":   {`1`, `0`, `-1`, `"1B"`, `"0B"`, `"999999TiB"`, `"1000000TiB"`, `"1 MiB"`, `"1K"`, `9223372036854775807`, `true`},
		"sandbox.cpu = ":      {`1`, `0.01`, `0.009`, `4096`, `4096.5`, `"1"`, `1e2`},
		"sandbox.warm = ":     {`0`, `64`, `65`, `-1`},
		"sandbox.network.allow = ": {
			`["a:1"]`, `["a:0"]`, `["a:65536"]`, `["a:65535"]`, `["*:1"]`, `["*.a:1"]`, `["a.*.b:1"]`, `["a..b:1"]`, `["-a.b:1"]`,
			`["[::1]:80"]`, `["::1:80"]`, `["http://a:80"]`, `["a b:1"]`, `["a:1", "a:1"]`, `["*.*.a:1"]`, `["münchen.de:1"]`, `[]`,
		},
		"packages.allow = ": {
			`["npm:a"]`, `["npm:"]`, `["a"]`, `["npm:@a"]`, `["npm:@a/b@1.x || 2 +deps"]`, `["npm:a +dep"]`, `["npm:a  +deps"]`, `["npm:a@"]`,
			`["go:a/b@v1"]`, `["go:a/b@"]`, `["go:../b"]`, `["pip:a"]`, `["pip:a=1"]`, `["pip:a==1,!=2"]`, `["pip:a==1, !=2"]`, `["pip:a[x]"]`, `["pip:a @ http://x"]`,
		},
		"packages.scripts = ":      {`["npm:@a/b"]`, `["npm:a@1"]`, `["go:a"]`},
		"approval.notify = ":       {`["a", "a"]`, `[""]`, `["a\u0000"]`},
		"sandbox.read_only = ":     {`["/"]`, `["~/x"]`, `["~"]`, `["x"]`, `["/a\u0000"]`},
		"sandbox.set_env = ":       {`{ A = "" }`, `{ "" = "" }`, `{ 1A = "" }`, `{ A = "\u0000" }`},
		"tasks = ":                 {`{ a = { ops = [] } }`, `{ a = {} }`, `{ "" = { ops = [] } }`, `{ a = { ops = ["read", "read"] } }`},
		"workspace.allow = ":       {`[{ path = "/a" }]`, `[{}]`, `[{ path = "/a", mode = "" }]`, `["/a"]`},
		"security.policy.rules = ": {`[{ name = "a", action = "deny" }]`, `[{ name = "", action = "deny" }]`, `[{ name = "a\n", action = "deny" }]`, `[{ name = "a", action = "deny", tools = [] }]`, `[{ name = "a", action = "deny", tools = [""] }]`},
	} {
		for _, value := range values {
			text := prefix + value + "\n"
			v, ok := asJSON(text)
			if !ok {
				t.Errorf("no TOML: %s", text)
			}
			_, decode := Parse("f", []byte(text))
			if validate := schema.Validate(v); (validate == nil) != (decode == nil) {
				t.Errorf("%sschema: %v\ndecoder: %v", text, validate, decode)
			}
		}
	}
}

// TestSchemaDescribesEveryKey: an editor has something to show for each.
func TestSchemaDescribesEveryKey(t *testing.T) {
	var s jsonschema.Schema
	if err := json.Unmarshal(JSONSchema(), &s); err != nil {
		t.Fatal(err)
	}
	count := 0
	var visit func(path string, s *jsonschema.Schema)
	visit = func(path string, s *jsonschema.Schema) {
		if s == nil || s.Properties == nil {
			return
		}
		if s.AdditionalProperties == nil || s.AdditionalProperties.Not == nil {
			t.Errorf("%s is open to other keys", path)
		}
		for name, p := range s.Properties {
			count++
			if p.Description == "" {
				t.Errorf("%s.%s has no description", path, name)
			}
			visit(path+"."+name, p)
			visit(path+"."+name+"[]", p.Items)
			if p.Properties == nil {
				visit(path+"."+name+".*", p.AdditionalProperties)
			}
		}
	}
	visit("", &s)
	if count < 60 {
		t.Errorf("only %d keys are described", count)
	}
}
