package hook

import (
	"strings"

	"github.com/baileyhq/bailey/workspace"
)

// What the tools of agents do, in terms of Bailey's. Contents are left out: a
// verdict does not depend on them.

func reads(path string) []call { return []call{onPath("file_read", path, nil)} }

func lists(path string) []call { return []call{onPath("file_list", orHere(path), nil)} }

func writes(path string) []call {
	return []call{onPath("file_write", path, map[string]any{"content": ""})}
}

func edits(path string) []call {
	return []call{onPath("file_edit", path, map[string]any{"edits": []map[string]string{{"old_text": "x", "new_text": ""}}})}
}

func deletes(path string) []call { return []call{onPath("file_delete", path, nil)} }

func searches(path string) []call {
	return []call{onPath("file_grep", orHere(path), map[string]any{"pattern": "x"})}
}

// finds judges a search by name by the directories at which its pattern starts.
func finds(dir, pattern string) []call {
	var calls []call
	for _, base := range bases(pattern) {
		calls = append(calls, onPath("file_find", below(dir, base), map[string]any{"pattern": "*"}))
	}
	return calls
}

// revealsAll is a reading of all files that a pattern matches.
func revealsAll(dir, pattern string) []call {
	var calls []call
	for _, base := range bases(pattern) {
		calls = append(calls, searches(below(dir, base))...)
	}
	return calls
}

func runs(command string) []call {
	args := map[string]any{"command": command, "cwd": "."} // where the agent is
	return []call{{tool: "shell", args: args, paths: []string{"cwd"}, op: workspace.OpExec}}
}

// onPath leaves a path that is missing to the tool, which names what it wants.
func onPath(tool, path string, args map[string]any) call {
	if args == nil {
		args = map[string]any{}
	}
	if path != "" {
		args["path"] = path
	}
	return call{tool: tool, args: args, paths: []string{"path"}}
}

func orHere(path string) string {
	if path == "" {
		return "."
	}
	return path
}

func below(dir, base string) string {
	switch {
	case dir == "" || strings.HasPrefix(base, "/") || strings.HasPrefix(base, "~"):
		return base
	case base == ".":
		return dir
	default:
		return strings.TrimSuffix(dir, "/") + "/" + base
	}
}

// maxAlternatives bounds how many patterns the braces of one are taken apart into.
const maxAlternatives = 64

// everywhere is the base of a pattern of which nothing can be said: it lies
// outside of every workspace.
const everywhere = "/"

// bases are the directories, or files, at which the matches of a pattern lie: the
// part before the first wildcard of each of its alternatives.
func bases(pattern string) []string {
	spread, ok := alternatives(pattern, maxAlternatives)
	if !ok {
		return []string{everywhere}
	}
	found := make([]string, len(spread))
	for i, p := range spread {
		found[i] = base(p)
	}
	return found
}

func base(pattern string) string {
	segments := strings.Split(pattern, "/")
	for i, s := range segments {
		if !strings.ContainsAny(s, `*?[]{}()!\`) {
			continue
		}
		for _, rest := range segments[i:] {
			if rest == ".." {
				return everywhere // upwards from wherever the wildcard leads
			}
		}
		segments = segments[:i]
		break
	}
	switch joined := strings.Join(segments, "/"); {
	case joined != "":
		return joined
	case strings.HasPrefix(pattern, "/"):
		return everywhere
	default:
		return "."
	}
}

// alternatives takes the braces of a pattern apart. It fails if there are more
// than most, or if they are not closed.
func alternatives(pattern string, most int) ([]string, bool) {
	open := strings.IndexByte(pattern, '{')
	if open < 0 {
		return []string{pattern}, true
	}
	depth, start := 0, open+1
	var parts []string
	for i := open; i < len(pattern); i++ {
		switch pattern[i] {
		case '{':
			depth++
		case ',':
			if depth == 1 {
				parts = append(parts, pattern[start:i])
				start = i + 1
			}
		case '}':
			if depth--; depth > 0 {
				continue
			}
			parts = append(parts, pattern[start:i])
			return spread(pattern[:open], parts, pattern[i+1:], most)
		}
	}
	return nil, false
}

func spread(head string, parts []string, tail string, most int) ([]string, bool) {
	var all []string
	for _, part := range parts {
		more, ok := alternatives(head+part+tail, most)
		if all = append(all, more...); !ok || len(all) > most {
			return nil, false
		}
	}
	return all, true
}
