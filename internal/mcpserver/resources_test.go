package mcpserver

import (
	"encoding/base64"
	"fmt"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
)

func TestListResources(t *testing.T) {
	f := newFixture(t, "code_review", policy.Rule{Name: "no", Action: policy.Deny, Paths: []string{"hidden/**"}})
	f.many("many", pageSize)
	f.write("a b#?%.txt", "x")
	f.write("hidden/x.txt", "x")
	f.write("ignored.txt", "x")
	f.write(".gitignore", "ignored.txt\n")
	s := f.serve().greet()
	var uris []string
	cursor, pages := "", 0
	for more := true; more; pages++ {
		s.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{` + cursor + `}}`)
		var list struct {
			NextCursor string
			Resources  []struct{ Name, Title, URI string }
		}
		decodeJSON(t, string(s.reply().Result), &list)
		for _, r := range list.Resources {
			uris = append(uris, r.URI)
		}
		cursor, more = fmt.Sprintf(`"cursor":%q`, list.NextCursor), list.NextCursor != ""
	}
	all := strings.Join(uris, "\n")
	if pages != 2 || len(uris) != pageSize+2 {
		t.Errorf("%d resources on %d pages, want %d on 2", len(uris), pages, pageSize+2)
	}
	if !strings.Contains(all, "file://"+f.root+"/a%20b%23%3F%25.txt") || strings.Contains(all, "hidden") || strings.Contains(all, "ignored.txt") {
		t.Errorf("resources: %.500s", all)
	}
	if r := f.records(); len(r) != 2 || r[0].Tool != "file_find" || r[0].Hidden != 1 {
		t.Errorf("records %+v", r)
	}
	for _, bad := range []string{`"x"`, `"-1"`, `"0"`, `"10000"`} {
		s.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list","params":{"cursor":` + bad + `}}`)
		if r := s.reply(); codeOf(r) != -32602 {
			t.Errorf("cursor %s: %+v", bad, r)
		}
	}
}

func TestReadResource(t *testing.T) {
	f := newFixture(t, "code_review", policy.Rule{Name: "no", Action: policy.Deny, Paths: []string{"secret.txt"}})
	f.write("a b#?%.txt", "inside \"é\"\n")
	f.write("empty", "")
	f.write("z.bin", "\x00\x01\xff")
	f.write("secret.txt", "TOPSECRET")
	f.write("b\xffd.txt", "bytes\n")
	s := f.serve().greet()
	at := "file://" + f.root
	for _, tt := range []struct {
		uri, text, blob, mime string
		code                  int
		kind                  string
		records               int
	}{
		{at + "/a%20b%23%3F%25.txt", "inside \"é\"\n", "", "text/plain", 0, "", 1},
		{"file://localhost" + f.root + "/a b#?%25.txt", "inside \"é\"\n", "", "text/plain", 0, "", 1},
		{at + "/empty", "", "", "text/plain", 0, "", 1},
		{at + "/b%FFd.txt", "bytes\n", "", "text/plain", 0, "", 1},
		{at + "/z.bin", "", "\x00\x01\xff", "application/octet-stream", 0, "", 2},
		{at + "/nothing", "", "", "", -32602, "not_found", 1},
		{at + "/", "", "", "", -32602, "not_a_file", 1},
		{at + "/../outside", "", "", "", codeRefused, "path_escape", 1},
		{"file:///etc/passwd", "", "", "", codeRefused, "path_escape", 1},
		{at + "/secret.txt", "", "", "", codeRefused, "policy_denied", 1},
		{"http://example.com/", "", "", "", -32602, "invalid_argument", 0},
		{"file://host/x", "", "", "", -32602, "invalid_argument", 0},
		{at + "/%zz", "", "", "", -32602, "invalid_argument", 0},
		{"", "", "", "", -32602, "invalid_argument", 0},
	} {
		before := len(f.records())
		uri, err := marshal(tt.uri)
		if err != nil {
			t.Fatal(err)
		}
		s.send(`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":` + string(uri) + `}}`)
		r := s.reply()
		if n := len(f.records()) - before; n != tt.records {
			t.Errorf("%s: %d records, want %d", tt.uri, n, tt.records)
		}
		if code := codeOf(r); code != tt.code {
			t.Errorf("%s: %+v, want code %d", tt.uri, r, tt.code)
			continue
		}
		if tt.code != 0 {
			var data struct {
				URI  string `json:"uri"`
				Kind string `json:"error_kind"`
			}
			decodeJSON(t, string(r.Error.Data), &data)
			if data.Kind != tt.kind || data.URI != tt.uri || strings.Contains(fmt.Sprint(r), "TOPSECRET") {
				t.Errorf("%s: error %s %s, want %s", tt.uri, r.Error.Message, r.Error.Data, tt.kind)
			}
			continue
		}
		var got struct {
			Contents []struct {
				URI, MIMEType string
				Text          *string
				Blob          *string
			}
		}
		decodeJSON(t, string(r.Result), &got)
		c := got.Contents[0]
		text, blob := "", ""
		if c.Text != nil {
			text = *c.Text
		}
		if c.Blob != nil {
			raw, err := base64.StdEncoding.DecodeString(*c.Blob)
			if err != nil {
				t.Fatal(err)
			}
			blob = string(raw)
		}
		if text != tt.text || blob != tt.blob || c.MIMEType != tt.mime || c.URI != tt.uri || (c.Text == nil) == (c.Blob == nil) {
			t.Errorf("%s: %s", tt.uri, r.Result)
		}
	}
}

func TestResourcesNeedTheirOperation(t *testing.T) {
	f := newFixture(t, "cleanup") // read, list, delete: the control
	f.write("a.txt", "x")
	s := f.serve().greet()
	s.send(`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`)
	if r := s.reply(); r.Error != nil {
		t.Errorf("list: %+v", r.Error)
	}
	s.send(`{"jsonrpc":"2.0","id":1,"method":"resources/templates/list"}`)
	if r := s.reply(); !strings.Contains(string(r.Result), `"uriTemplate":"file:///{+path}"`) {
		t.Errorf("templates: %s", r.Result)
	}
	none := newFixture(t, "none")
	none.write("a.txt", "x")
	s = none.serve().greet()
	for _, line := range []string{
		`{"jsonrpc":"2.0","id":1,"method":"resources/list"}`,
		`{"jsonrpc":"2.0","id":1,"method":"resources/read","params":{"uri":"file://` + none.root + `/a.txt"}}`,
	} {
		s.send(line)
		if r := s.reply(); codeOf(r) != codeRefused || !strings.Contains(r.Error.Message, "op_denied") {
			t.Errorf("%s: %+v", line, r)
		}
	}
}
