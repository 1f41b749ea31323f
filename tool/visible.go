package tool

import (
	"io/fs"

	"github.com/baileyhq/bailey/internal/search"
	"github.com/baileyhq/bailey/policy"
)

// visible judges the entries of a listing or a search as it goes down. What is
// not allowed is left out and counted, never named.
type visible struct {
	call   *call
	cursor policy.Cursor
}

// visible starts at the directory of a target.
func (c *call) visible(g *target) visible {
	return visible{c, c.box.Policy.Cursor(c.spec.name, g.effect, g.Real())}
}

// Enter goes down into a directory.
func (v visible) Enter(name string) search.Judge { return v.enter(name) }

func (v visible) enter(name string) visible { return visible{v.call, v.cursor.Enter(name)} }

// Allowed reports whether an entry may be shown. What the policy wants a human
// to see first is shown only where the human has agreed to that very rule for
// the directory that the call names.
func (v visible) Allowed(name string, dir, link bool) bool {
	v.call.meter.entry()
	switch verdict := v.cursor.Judge(name, dir, link); verdict.Action {
	case policy.Allow:
		return true
	case policy.Supervised:
		return v.call.agreed(verdict.Rule)
	default:
		return false
	}
}

// agreed reports whether a human has agreed to what a rule asks in this call.
func (c *call) agreed(rule string) bool {
	if !c.waited {
		return false
	}
	for _, a := range c.supervised {
		if a.verdict.Rule == rule {
			return true
		}
	}
	return false
}

// typeName is the type of an object as answers show it.
func typeName(m fs.FileMode) string {
	switch {
	case m.IsDir():
		return "directory"
	case m&fs.ModeSymlink != 0:
		return "symlink"
	case m.IsRegular():
		return "file"
	case m&fs.ModeNamedPipe != 0:
		return "fifo"
	case m&fs.ModeSocket != 0:
		return "socket"
	default:
		return "device"
	}
}

// markOf is what follows a name in a listing, as ls -F has it.
func markOf(typ string) string {
	switch typ {
	case "directory":
		return "/"
	case "symlink":
		return "@"
	case "fifo":
		return "|"
	case "socket":
		return "="
	default:
		return ""
	}
}
