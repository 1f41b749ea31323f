package hook

// cursor reads beforeReadFile and beforeShellExecution events of Cursor, as its
// hooks documentation (cursor.com/docs/agent/hooks) describes them. A reading can
// be allowed or denied only: what wants a human is denied.
func cursor() Agent {
	return Agent{
		Name: "cursor", Title: "Cursor",
		read: func(f fields) *event {
			e := &event{
				kind: f.text("hook_event_name"), session: f.text("conversation_id"), cwd: f.text("cwd"),
			}
			e.tool = e.kind
			if roots := f.texts("workspace_roots"); len(roots) > 0 {
				e.project = roots[0]
			}
			switch e.kind {
			case cursorRead:
				e.calls = reads(f.text("file_path"))
			case "beforeShellExecution":
				e.calls = runs(f.text("command"))
			}
			return e
		},
		write: func(e *event, d decision) any {
			if d.verdict == none && e.calls == nil {
				return struct{}{}
			}
			if e.kind == cursorRead {
				d = unattended(d)
			}
			// These events want one of the three words: allow is to have no opinion.
			words := map[verdict]string{none: "allow", allow: "allow", ask: "ask", deny: "deny"}
			return cursorOutput{words[d.verdict], d.reason, d.reason}
		},
	}
}

const cursorRead = "beforeReadFile"

type cursorOutput struct {
	Permission string `json:"permission"`
	ToUser     string `json:"user_message,omitempty"`
	ToAgent    string `json:"agent_message,omitempty"`
}
