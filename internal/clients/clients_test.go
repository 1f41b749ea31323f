package clients

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/pelletier/go-toml/v2"
	"mvdan.cc/sh/v3/shell"
)

// started is how a client would start the server after reading a snippet.
type started struct {
	Type    string
	Command string
	Args    []string
}

// read takes a snippet apart as its client does.
func read(t *testing.T, s Snippet) started {
	t.Helper()
	var file struct {
		MCPServers map[string]started `json:"mcpServers"`
		Servers    map[string]started `json:"servers"`
		Codex      map[string]started `toml:"mcp_servers"`
	}
	switch {
	case s.Where == "shell":
		words, err := shell.Fields(s.Text, func(string) string { return "EXPANDED" })
		if err != nil {
			t.Fatalf("%s: %v in %s", s.Client, err, s.Text)
		}
		head := []string{"claude", "mcp", "add", "bailey", "--"}
		if len(words) <= len(head) || !slices.Equal(words[:len(head)], head) {
			t.Fatalf("%s: %q", s.Client, words)
		}
		return started{Command: words[len(head)], Args: words[len(head)+1:]}
	case strings.HasSuffix(s.Where, ".toml"):
		if err := toml.Unmarshal([]byte(s.Text), &file); err != nil {
			t.Fatalf("%s: %v in %s", s.Client, err, s.Text)
		}
		return file.Codex["bailey"]
	default:
		if err := json.Unmarshal([]byte(s.Text), &file); err != nil {
			t.Fatalf("%s: %v in %s", s.Client, err, s.Text)
		}
		if s.Client == "VS Code" {
			return file.Servers["bailey"]
		}
		return file.MCPServers["bailey"]
	}
}

func TestSnippetsStartBailey(t *testing.T) {
	for _, l := range []Launch{
		{Command: "/usr/local/bin/bailey", Workspace: "/home/me/project"},
		{Command: "/opt/my tools/bailey", Workspace: "/home/me/it's \"here\" $HOME `x` \\ <&>", Task: "refactor", Config: "/etc/bailey/x.toml"},
		{Command: "bailey", Workspace: "/home/é\t\n\x7f\u2028/x", Task: "agent"},
	} {
		for _, s := range Snippets(l) {
			got := read(t, s)
			if got.Command != l.Command || !slices.Equal(got.Args, l.Args()) {
				t.Errorf("%s starts %q %q, want %q %q", s.Client, got.Command, got.Args, l.Command, l.Args())
			}
			// The documentation of these wants the type.
			if want := s.Client == "Cursor" || s.Client == "VS Code"; (got.Type == "stdio") != want {
				t.Errorf("%s: type %q", s.Client, got.Type)
			}
		}
	}
}

var fence = regexp.MustCompile("(?s)```(json|toml)\n(.*?)```")

// TestDocs holds the documentation to what is printed, and to its formats.
func TestDocs(t *testing.T) {
	raw, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	docs := string(raw)
	for _, s := range Snippets(Launch{Command: "/usr/local/bin/bailey", Workspace: "/home/me/project", Task: "refactor"}) {
		if !strings.Contains(docs, s.Text) {
			t.Errorf("docs/clients.md does not show the snippet of %s:\n%s", s.Client, s.Text)
		}
		for client := range strings.SplitSeq(s.Client, ", ") {
			if !strings.Contains(docs, "### "+client+"\n") {
				t.Errorf("docs/clients.md has no section %s", client)
			}
		}
	}
	blocks := fence.FindAllStringSubmatch(docs, -1)
	if len(blocks) < 8 {
		t.Errorf("only %d blocks were found", len(blocks))
	}
	for _, b := range blocks {
		var v map[string]any
		parse := json.Unmarshal
		if b[1] == "toml" {
			parse = func(data []byte, v any) error { return toml.Unmarshal(data, v) }
		}
		if err := parse([]byte(b[2]), &v); err != nil {
			t.Errorf("%v in\n%s", err, b[2])
		}
	}
}
