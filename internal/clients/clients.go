// Package clients knows how common MCP clients are told to start a server.
package clients

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
)

// A Launch is how a client is to start Bailey.
type Launch struct {
	Command   string // the program
	Workspace string // absolute path of the folder
	Task      string // "" leaves it to the configuration
	Config    string // "" leaves it to the default place
}

// Args are the arguments of the program.
func (l Launch) Args() []string {
	args := []string{"mcp", "--workspace", l.Workspace}
	if l.Task != "" {
		args = append(args, "--task", l.Task)
	}
	if l.Config != "" {
		args = append(args, "--config", l.Config)
	}
	return args
}

// A Snippet is what goes where for one client.
type Snippet struct {
	Client string `json:"client"` // one, or several with commas
	Where  string `json:"where"`  // the files, or "shell"
	Text   string `json:"text"`
}

// Snippets are those of all clients that are known. Clients that share a text
// share a snippet. docs/clients.md names the documentation that each follows.
func Snippets(l Launch) []Snippet {
	servers := map[string]any{"mcpServers": map[string]any{"bailey": l.entry("")}}
	cursor := map[string]any{"mcpServers": map[string]any{"bailey": l.entry("stdio")}}
	code := map[string]any{"servers": map[string]any{"bailey": l.entry("stdio")}}
	return []Snippet{
		{"Claude Code", "shell", "claude mcp add bailey -- " + shellWords(append([]string{l.Command}, l.Args()...))},
		{"Claude Desktop, Gemini CLI", "claude_desktop_config.json, ~/.gemini/settings.json", indented(servers)},
		{"Cursor", "~/.cursor/mcp.json", indented(cursor)},
		{"VS Code", "mcp.json of the user (MCP: Open User Configuration), or .vscode/mcp.json", indented(code)},
		{"Codex", "~/.codex/config.toml", l.codex()},
	}
}

// entry is what the JSON files of most clients hold, in the order of their docs.
type entry struct {
	Type    string   `json:"type,omitempty"`
	Command string   `json:"command"`
	Args    []string `json:"args"`
}

func (l Launch) entry(kind string) entry {
	return entry{Type: kind, Command: l.Command, Args: l.Args()}
}

func (l Launch) codex() string {
	words := make([]string, len(l.Args()))
	for i, arg := range l.Args() {
		words[i] = tomlString(arg)
	}
	return fmt.Sprintf("[mcp_servers.bailey]\ncommand = %s\nargs = [%s]", tomlString(l.Command), strings.Join(words, ", "))
}

// tomlString writes a basic string: JSON's escapes are among TOML's. TOML wants
// one more character escaped.
func tomlString(s string) string {
	return strings.ReplaceAll(strings.TrimSuffix(compact(s), "\n"), "\x7f", `\u007F`)
}

func compact(v any) string { return encode(v, "") }

func indented(v any) string { return strings.TrimSuffix(encode(v, "  "), "\n") }

func encode(v any, indent string) string {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", indent)
	if err := enc.Encode(v); err != nil {
		return err.Error() // strings and lists of strings always encode
	}
	return buf.String()
}

// shellWords quotes words for a POSIX shell where they need it.
func shellWords(words []string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./:=,@%+"
	quoted := make([]string, len(words))
	for i, w := range words {
		if w != "" && strings.Trim(w, plain) == "" {
			quoted[i] = w
			continue
		}
		quoted[i] = "'" + strings.ReplaceAll(w, "'", `'\''`) + "'"
	}
	return strings.Join(quoted, " ")
}
