package hook

import "strings"

// codex reads PreToolUse events of Codex, as its hooks documentation
// (developers.openai.com/codex/hooks) describes them. Codex can deny in answer to
// this event, and knows neither allow nor ask: what wants a human is denied.
func codex() Agent {
	return Agent{
		Name: "codex", Title: "Codex",
		read: func(f fields) *event {
			e := preToolUse(f)
			if e.kind != "PreToolUse" {
				return e
			}
			switch in := f.object("tool_input"); e.tool {
			case "Bash":
				e.calls = runs(in.text("command"))
			case "apply_patch":
				e.calls = patches(in.text("command", "input", "patch"))
			}
			return e
		},
		write: func(_ *event, d decision) any {
			if d.verdict < ask {
				return nil
			}
			return permission(unattended(d))
		},
	}
}

// unattended is a decision for an agent that can't ask.
func unattended(d decision) decision {
	if d.verdict != ask {
		return d
	}
	return decision{deny, d.reason + "; this agent's hooks can't ask, so that it is denied"}
}

// patches judges each file that a patch names. A patch that names none is left to
// file_edit, which wants a path.
func patches(patch string) []call {
	heads := []struct {
		mark  string
		calls func(string) []call
	}{
		{"*** Add File: ", writes},
		{"*** Update File: ", edits},
		{"*** Delete File: ", deletes},
		{"*** Move to: ", writes},
	}
	var calls []call
	for line := range strings.Lines(patch) {
		line = strings.TrimSpace(line)
		for _, h := range heads {
			if path, ok := strings.CutPrefix(line, h.mark); ok {
				calls = append(calls, h.calls(strings.TrimSpace(path))...)
			}
		}
	}
	if calls == nil {
		return edits("")
	}
	return calls
}
