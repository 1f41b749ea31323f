package tool_test

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey/tool"
)

func TestDecode(t *testing.T) {
	type wanted struct {
		Path string   `json:"path" jsonschema:"the file"`
		Head *int64   `json:"head,omitempty" min:"0" jsonschema:"lines"`
		Tags []string `json:"tags,omitempty" jsonschema:"tags"`
		Sort string   `json:"sort,omitempty" default:"\"name\"" enum:"name,size" jsonschema:"order"`
	}
	for _, tc := range []struct{ args, want string }{
		{`{"path":"a"}`, ""},
		{`{"path":"a","head":"3","tags":"[\"x\"]","sort":"size"}`, ""},
		{`{}`, "path: is required"},
		{`{"path":"a","haed":3}`, `did you mean "head"`},
		{`{"path":"a","path":"b"}`, "given twice"},
		{`{"path":"\ud800"}`, "surrogate"},
		{`{"path":"a","head":-1}`, "at least 0"},
		{`{"path":"a","sort":"mtime"}`, "sort"},
		{`[]`, "must be an object"},
	} {
		var got wanted
		err := tool.Decode(json.RawMessage(tc.args), &got)
		switch {
		case tc.want == "" && err != nil:
			t.Errorf("%s: %v", tc.args, err)
		case tc.want != "" && (err == nil || !strings.Contains(err.Error(), tc.want)):
			t.Errorf("%s: error %v, want %q", tc.args, err, tc.want)
		case tc.want == "" && (got.Path != "a" || got.Sort == ""):
			t.Errorf("%s: %+v", tc.args, got)
		}
	}
}

func TestInfoTellsTimes(t *testing.T) {
	b := newBox(t, setup{})
	raw, err := json.Marshal(b.must("file_info", args{"path": "a.txt"}).Data)
	if err != nil {
		t.Fatal(err)
	}
	var data struct{ ATime, BTime time.Time }
	if err := json.Unmarshal(raw, &data); err != nil {
		t.Fatal(err)
	}
	if data.ATime.IsZero() {
		t.Errorf("no time of access in %s", raw)
	}
	if !data.BTime.IsZero() && data.BTime.After(time.Now()) {
		t.Errorf("made in the future: %s", raw)
	}
}
