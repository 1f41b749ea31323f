package review

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/baileyhq/bailey/approval"
)

// maxSummary bounds what a summary shows of a command or a path, in characters.
const maxSummary = 200

// Summary is a request on one line, without anything that could steer a terminal:
//
//	file_write src/a.go (rule "ask-src")
//
// What is too long for a line ends in an ellipsis; [Write] shows it whole.
func Summary(e approval.Entry) string {
	return fmt.Sprintf(`%s %s (rule "%s")`, oneLine(e.Tool), Subject(e), oneLine(e.Rule))
}

// Subject is what a request is about, on one line: its command, or its paths
// relative to the workspace.
func Subject(e approval.Entry) string {
	if e.Command != "" {
		return clip(e.Command)
	}
	paths := make([]string, len(e.Paths))
	for i, path := range e.Paths {
		paths[i] = clip(relative(e.Workspace, path))
	}
	switch n := len(paths); {
	case n == 0:
		return "(no path)"
	case n == 2 && (e.Tool == "file_move" || e.Tool == "file_copy"):
		return paths[0] + " to " + paths[1]
	case n > 3:
		return fmt.Sprintf("%s and %d more", paths[0], n-1)
	default:
		return strings.Join(paths, ", ")
	}
}

func relative(root, path string) string {
	if rel, inside := strings.CutPrefix(path, strings.TrimSuffix(root, "/")+"/"); inside && rel != "" {
		return rel
	}
	return path
}

func clip(s string) string {
	if most := (maxSummary + 1) * utf8.UTFMax; len(s) > most { // before every byte of it is spelled out
		for back := 0; back < utf8.UTFMax-1 && !utf8.RuneStart(s[most]); back++ {
			most--
		}
		s = s[:most]
	}
	s = oneLine(s)
	if utf8.RuneCountInString(s) <= maxSummary {
		return s
	}
	return string([]rune(s)[:maxSummary]) + "…"
}

// Covers says in words what an approval for the session would cover.
func Covers(e approval.Entry) string {
	switch {
	case e.Grant == "":
		return "not possible for this request"
	case e.Command != "":
		return "covers this very command with the same scripts again in session " + e.Session + ", whatever else has changed"
	default:
		return fmt.Sprintf("covers every further %s on exactly these paths in session %s, whatever it reads or writes there, and however (mode, overwrite and the like)", e.Tool, e.Session)
	}
}
