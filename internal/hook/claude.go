package hook

// claudeCode reads PreToolUse events of Claude Code, as its hooks reference
// (code.claude.com/docs/en/hooks) describes them.
func claudeCode() Agent {
	return Agent{
		Name: "claude-code", Title: "Claude Code", ProjectEnv: "CLAUDE_PROJECT_DIR", CanApprove: true,
		read: func(f fields) *event {
			e := preToolUse(f)
			if e.kind == "PreToolUse" {
				e.calls = claudeCalls(e.tool, f.object("tool_input"))
			}
			return e
		},
		write: func(_ *event, d decision) any {
			if d.verdict == none {
				return struct{}{}
			}
			return permission(d)
		},
	}
}

// preToolUse reads what the events of several agents have in common.
func preToolUse(f fields) *event {
	return &event{
		kind: f.text("hook_event_name"), session: f.text("session_id"),
		cwd: f.text("cwd"), tool: f.text("tool_name"),
	}
}

func claudeCalls(tool string, in fields) []call {
	switch tool {
	case "Read":
		return reads(in.text("file_path"))
	case "NotebookRead":
		return reads(in.text("notebook_path"))
	case "Write":
		return writes(in.text("file_path"))
	case "Edit", "MultiEdit":
		return edits(in.text("file_path"))
	case "NotebookEdit":
		return edits(in.text("notebook_path"))
	case "Glob":
		return finds(in.text("path"), in.text("pattern"))
	case "Grep":
		return searches(in.text("path"))
	case "LS":
		return lists(in.text("path"))
	case "Bash":
		return runs(in.text("command"))
	default:
		return nil
	}
}

// hookOutput is the answer of Claude Code's form.
type hookOutput struct {
	Specific specificOutput `json:"hookSpecificOutput"`
}

type specificOutput struct {
	Event    string `json:"hookEventName"`
	Decision string `json:"permissionDecision"`
	Reason   string `json:"permissionDecisionReason"`
}

func permission(d decision) hookOutput {
	words := map[verdict]string{allow: "allow", ask: "ask", deny: "deny"}
	return hookOutput{specificOutput{"PreToolUse", words[d.verdict], d.reason}}
}
