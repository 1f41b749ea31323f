package hook

// geminiCLI reads BeforeTool events of Gemini CLI, as its hooks and tools
// references (geminicli.com/docs) describe them. A hook can deny there and not
// ask: what wants a human is denied.
func geminiCLI() Agent {
	return Agent{
		Name: "gemini-cli", Title: "Gemini CLI", ProjectEnv: "GEMINI_PROJECT_DIR",
		read: func(f fields) *event {
			e := preToolUse(f)
			if e.kind == "BeforeTool" {
				e.calls = geminiCalls(e.tool, f.object("tool_input"))
			}
			return e
		},
		write: func(_ *event, d decision) any {
			if d.verdict < ask {
				return struct{}{}
			}
			return geminiOutput{"deny", unattended(d).reason}
		},
	}
}

func geminiCalls(tool string, in fields) []call {
	// Older releases name some paths in another way.
	file, dir := in.text("file_path", "absolute_path"), in.text("dir_path", "path")
	switch tool {
	case "read_file":
		return reads(file)
	case "write_file":
		return writes(file)
	case "replace":
		return edits(file)
	case "list_directory":
		return lists(dir)
	case "glob":
		return finds(dir, in.text("pattern"))
	case "grep_search", "search_file_content":
		return searches(dir)
	case "read_many_files":
		var calls []call
		for _, pattern := range append(in.texts("include"), in.texts("paths")...) {
			calls = append(calls, revealsAll("", pattern)...)
		}
		if calls == nil {
			return reads("")
		}
		return calls
	case "run_shell_command":
		return runs(in.text("command"))
	default:
		return nil
	}
}

type geminiOutput struct {
	Decision string `json:"decision"`
	Reason   string `json:"reason"`
}
