package config

import (
	"errors"
	"testing"

	"github.com/pelletier/go-toml/v2"
)

// FuzzParse: nothing makes it panic; an error has its place; the tree agrees
// with the library's own decoder on what is TOML; what loads is shown in a form
// that loads to the same, and that the schema accepts.
func FuzzParse(f *testing.F) {
	f.Add(full)
	f.Add(string(Template(nil)))
	f.Add(string(Default().Show()))
	for _, tt := range broken {
		f.Add(tt.text)
	}
	for _, text := range []string{
		"a.b.c = 1\n[a.b.d]\n[a.b]\n", "[a.b.c]\n[a]\nb.d = 1\n", "[[a]]\n[a.b]\n[[a]]\n[a.b]\n[[a.b]]\n",
		"[a]\nb = {c.d = 1, c.e = 2}\n[a.b.f]\n", "[[a.b]]\n[a]\n", "[a]\n[[a]]\n", "[a]\nx.y = 1\n[a.x.z]\n", "''.\"\" = ''\n",
		"[sandbox]\nset_env = {\n A = '''\na''', # c\n}\n",
	} {
		f.Add(text)
	}
	schema := resolvedSchema(f)
	f.Fuzz(func(t *testing.T, text string) {
		c, err := Parse("f", []byte(text))
		sameTOML(t, text, err)
		if err != nil {
			placed(t, err)
			return
		}
		back, err := Parse("f", c.Show())
		if err != nil {
			t.Fatalf("what is shown does not load: %v\n%s", err, c.Show())
		}
		if !back.Equal(c) {
			t.Fatalf("shown and read back, it differs:\n%s\n%s", c.Show(), back.Show())
		}
		if v, ok := asJSON(text); ok {
			if err := schema.Validate(v); err != nil {
				t.Fatalf("the schema refuses what loads: %v", err)
			}
		}
		if back, err := Parse("f", Template(c)); err != nil || !back.Equal(c) {
			t.Fatalf("the template does not say the same: %v", err)
		}
	})
}

func placed(t *testing.T, err error) {
	var errs Errors
	if !errors.As(err, &errs) || len(errs) == 0 {
		t.Fatalf("%T is not Errors", err)
	}
	for _, e := range errs[:min(len(errs), maxErrors)] {
		if e.Line < 1 || e.Column < 1 || e.Message == "" {
			t.Fatalf("without a place: %#v", e)
		}
	}
}

// sameTOML compares the tree with the library's own decoder: both know the same
// mistakes, and extend tables and lists by the same rules. Values that the
// library alone refuses, such as a wrong date, are of no type that is known here.
func sameTOML(t *testing.T, text string, parse error) {
	doc := parseDocument("f", []byte(text))
	var all map[string]any
	err := toml.Unmarshal([]byte(text), &all)
	if len(doc.errs) > 0 && err == nil {
		t.Fatalf("refused, and yet it is TOML: %v", doc.errs)
	}
	if parse == nil && err != nil {
		t.Fatalf("accepted, and yet it is no TOML: %v", err)
	}
}
