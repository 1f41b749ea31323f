package tool_test

import (
	"encoding/json"
	"fmt"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/tool"
)

func rawArgs(t testing.TB, a args) json.RawMessage {
	t.Helper()
	raw, err := json.Marshal(a)
	if err != nil {
		t.Fatal(err)
	}
	return raw
}

func TestProgress(t *testing.T) {
	tree := []string{"file big.txt " + strings.Repeat("0123456789abcde\n", 3<<16)} // 3 MiB
	for i := range 600 {
		tree = append(tree, fmt.Sprintf("file many/%03d.txt x\n", i))
	}
	b := newBox(t, setup{tree: tree})
	for _, tt := range []struct {
		tool, unit string
		args       args
		least      int
		total      int64
	}{
		{"file_grep", "entries", args{"pattern": "nothing"}, 2, 0},
		{"file_find", "entries", args{"pattern": "**/*.txt"}, 2, 0},
		{"file_list", "entries", args{"path": "many"}, 2, 0},
		{"file_tree", "entries", args{}, 2, 0},
		{"file_read", "bytes", args{"path": "big.txt"}, 1, 3 << 20},
		{"file_read_many", "bytes", args{"paths": []string{"big.txt", "big.txt"}}, 2, 0},
		{"file_read", "", args{"path": "a.txt"}, 0, 0},
	} {
		var got []tool.Progress
		ctx := tool.WithProgress(t.Context(), func(p tool.Progress) { got = append(got, p) })
		if r := b.Call(ctx, tool.Request{Tool: tt.tool, Args: rawArgs(t, tt.args)}); !r.Success {
			t.Fatalf("%s: %s", tt.tool, r.Error)
		}
		if len(got) < tt.least || tt.least == 0 && len(got) > 0 {
			t.Errorf("%s %v: %d reports, want at least %d", tt.tool, tt.args, len(got), tt.least)
		}
		last := int64(0)
		for _, p := range got {
			if p.Done <= last || p.Unit != tt.unit || tt.total != 0 && p.Total != tt.total || p.Total != 0 && p.Done > p.Total {
				t.Errorf("%s: report %+v after %d", tt.tool, p, last)
			}
			last = p.Done
		}
	}
}

func TestRefuse(t *testing.T) {
	b := newBox(t, setup{})
	r := b.Refuse(t.Context(), tool.Request{Tool: "file_write", Args: rawArgs(t, args{"path": "new", "content": "x"}), Session: "s"},
		&tool.Error{Kind: tool.InvalidArgument, Message: "no arguments"})
	if r.Success || r.ErrorKind != tool.InvalidArgument || r.Error != "invalid_argument: no arguments" {
		t.Errorf("Refuse = %+v", r)
	}
	records := b.records()
	if len(records) != 1 {
		t.Fatalf("%d records, want 1", len(records))
	}
	got := records[0]
	if got.Tool != "file_write" || got.Op != "write" || got.Session != "s" || got.Phase != "result" || got.Result != "error" || got.ErrorKind != "invalid_argument" {
		t.Errorf("record %+v", got)
	}
	if b.exists("new") {
		t.Error("a refused call was carried out")
	}
}
