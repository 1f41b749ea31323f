package tool

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/internal/nearest"
)

type sampleArgs struct {
	Path  string       `json:"path" jsonschema:"where"`
	Count *int64       `json:"count,omitempty" min:"1" max:"9"`
	Deep  bool         `json:"deep,omitempty"`
	Git   bool         `json:"git,omitempty" default:"true"`
	Sort  string       `json:"sort,omitempty" default:"\"name\"" enum:"name,size"`
	List  []string     `json:"list,omitempty" max:"3"`
	Parts []samplePart `json:"parts,omitempty"`
}

type samplePart struct {
	Old string `json:"old"`
	All bool   `json:"all,omitempty"`
}

func decodeSample(raw string) (sampleArgs, error) {
	var a sampleArgs
	err := decodeArgs(json.RawMessage(raw), &a)
	return a, err
}

func TestDecode(t *testing.T) {
	five := int64(5)
	plain := sampleArgs{Path: "p", Git: true, Sort: "name"}
	with := func(change func(*sampleArgs)) sampleArgs {
		a := plain
		change(&a)
		return a
	}
	tests := []struct {
		raw  string
		want sampleArgs
	}{
		{`{"path":"p"}`, plain},
		{`{"path":"p","count":null,"list":null}`, plain},
		{`{"path":"p","count":5}`, with(func(a *sampleArgs) { a.Count = &five })},
		{`{"path":"p","count":5.0}`, with(func(a *sampleArgs) { a.Count = &five })},
		{`{"path":"p","count":0.5e1}`, with(func(a *sampleArgs) { a.Count = &five })},
		{`{"path":"p","git":false,"sort":"size"}`, with(func(a *sampleArgs) { a.Git, a.Sort = false, "size" })},
		// A string that is exactly the JSON of what is wanted.
		{`{"path":"p","count":"5","deep":"true"}`, with(func(a *sampleArgs) { a.Count, a.Deep = &five, true })},
		{`{"path":"p","list":"[\"a\",\"b\"]"}`, with(func(a *sampleArgs) { a.List = []string{"a", "b"} })},
		{`{"path":"p","parts":["{\"old\":\"x\"}"]}`, with(func(a *sampleArgs) { a.Parts = []samplePart{{Old: "x"}} })},
		{`{"path":"p","parts":"[{\"old\":\"x\",\"all\":true}]"}`, with(func(a *sampleArgs) { a.Parts = []samplePart{{"x", true}} })},
		// Never the other way round: what looks like JSON stays a string.
		{`{"path":"[1]"}`, with(func(a *sampleArgs) { a.Path = "[1]" })},
		{`{"path":"5","list":["true"]}`, with(func(a *sampleArgs) { a.Path, a.List = "5", []string{"true"} })},
		{`{"path":"\ud83d\ude00 \\ud800"}`, with(func(a *sampleArgs) { a.Path = "😀 \\ud800" })},
	}
	for _, tt := range tests {
		got, err := decodeSample(tt.raw)
		if err != nil || !reflect.DeepEqual(got, tt.want) {
			t.Errorf("%s: got %+v, %v; want %+v", tt.raw, got, err, tt.want)
		}
	}
}

func TestDecodeRefuses(t *testing.T) {
	tests := []struct{ raw, says string }{
		{``, "path: is required: where"},
		{`{}`, "path: is required"},
		{`{"path":null}`, "path: want a string, got null"},
		{`[]`, "must be an object, not an array"},
		{`"{\"path\":\"p\"}"`, "must be an object, not a string"},
		{`{"path":5}`, "path: want a string, got a number"},
		{`{"path":["p"]}`, "path: want a string, got an array"},
		{`{"pth":"p"}`, `unknown argument "pth"; did you mean "path"?`},
		{`{"path":"p","zzzzzz":1}`, "known are path, count"},
		{`{"Path":"p"}`, `did you mean "path"?`},
		{`{"path":"p","parts":[{"odl":"x"}]}`, `unknown argument parts[0].odl: "odl"; did you mean "old"?`},
		{`{"path":"p","parts":[{}]}`, "parts[0].old: is required"},
		{`{"path":"p","path":"q"}`, `"path" is given twice`},
		{`{"path":"p","parts":[{"old":"a","old":"b"}]}`, `"old" is given twice`},
		{`{"path":"p","count":0}`, "count: the number must be at least 1, not 0"},
		{`{"path":"p","count":10}`, "at most 9"},
		{`{"path":"p","count":1.5}`, "whole number"},
		{`{"path":"p","count":1e99}`, "within 64 bits"},
		{`{"path":"p","count":1e999999999}`, "within 64 bits"},
		{`{"path":"p","count":9223372036854775808}`, "within 64 bits"},
		{`{"path":"p","count":"x"}`, "count: want a whole number, got a string"},
		{`{"path":"p","count":" 5"}`, "count: want a whole number, got a string"},
		{`{"path":"p","count":"\"5\""}`, "count: want a whole number, got a string"},
		{`{"path":"p","deep":"yes"}`, "deep: want true or false"},
		{`{"path":"p","deep":1}`, "deep: want true or false, got a number"},
		{`{"path":"p","list":{}}`, "list: want an array, got an object"},
		{`{"path":"p","list":[1]}`, "list[0]: want a string, got a number"},
		{`{"path":"p","list":["a","b","c","d"]}`, "number of elements must be at most 3, not 4"},
		{`{"path":"p","sort":"sise"}`, `sort: "sise"; did you mean "size"?`},
		{`{"path":"p"} {}`, "more text after"},
		{`{"path":"p"`, "ends too early"},
		{`{path:1}`, "invalid character"},
		{"{\"path\":\"\xff\"}", "not valid UTF-8"},
		{`{"path":"\ud800"}`, "half of a surrogate pair"},
		{`{"path":"\udc00\ud800"}`, "half of a surrogate pair"},
		{`{"path":"\ud800x"}`, "half of a surrogate pair"},
		{`{"path":"p","list":` + strings.Repeat("[", 100) + strings.Repeat("]", 100) + `}`, "levels of nesting"},
		{`{"path":"` + strings.Repeat("p", maxMessage) + `"}`, "are more than"},
	}
	for _, tt := range tests {
		_, err := decodeSample(tt.raw)
		if err == nil || !strings.Contains(err.Error(), tt.says) {
			t.Errorf("%.80s: got %v, want … %q", tt.raw, err, tt.says)
		}
	}
}

// Whatever the text, decoding neither panics nor takes half of it: arguments
// that are accepted mean the same when they are written out and read again.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{
		`{"path":"p","count":5,"parts":[{"old":"x","all":true}]}`, `{"path":"\ud83d\ude00"}`, `{"path":"p","list":"[\"a\"]"}`,
		`{"path":"p","path":"q"}`, `[[[[`, `{"path":"p","count":1e5}`, "{\"path\":\"\xff\"}", `{"path":"\ud800"}`, `null`, `{"":""}`,
	} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, raw string) {
		first, err := decodeSample(raw)
		if err != nil {
			return
		}
		again, err := json.Marshal(first)
		if err != nil {
			t.Fatal(err)
		}
		second, err := decodeSample(string(again))
		if err != nil {
			t.Fatalf("%s was accepted, %s is not: %v", raw, again, err)
		}
		// An explicit false is what omitempty leaves out, and the default is true.
		second.Git = first.Git
		if len(first.List) == 0 {
			first.List, second.List = nil, nil
		}
		if len(first.Parts) == 0 {
			first.Parts, second.Parts = nil, nil
		}
		if !reflect.DeepEqual(first, second) {
			t.Fatalf("%s means %+v, written out and read again %+v", raw, first, second)
		}
	})
}

func TestNearest(t *testing.T) {
	known := []string{"file_read", "file_write", "path"}
	for name, want := range map[string]string{
		"file_raed": "file_read", "File_Write": "file_write", "paht": "path", "shell": "", "": "", "x": "",
		strings.Repeat("path", 1000): "",
	} {
		if got := nearest.Of(name, known); got != want {
			t.Errorf("nearest to %.20q is %q, want %q", name, got, want)
		}
	}
}
