package covers

import (
	"io/fs"

	"github.com/baileyhq/bailey/policy"
)

// frame is the policy's view of one directory.
type frame struct {
	read, change policy.Cursor
	shell        bool // rules about the tool shell count too
	shellRead    policy.Cursor
	shellChange  policy.Cursor
	writable     bool
	repos        []string // directories above, and this one, that git takes for a repository
	real         string
}

// The tools whose rules are about what happens to a file, by whatever tool.
const (
	readTool  = "file_read"
	writeTool = "file_write"
	shellTool = "shell"
)

func newFrame(p *policy.Policy, real string, writable bool, repos []string) frame {
	f := frame{shell: p.SingledOut(shellTool), writable: writable, real: real, repos: repos}
	cursor := func(tool string, effect policy.Effect) policy.Cursor {
		return p.CursorFor(policy.Access{Tool: tool, Effect: effect, Real: real, Dir: true, GitDir: repos}).WithoutToolPolicy()
	}
	f.read, f.change = cursor(readTool, policy.Reveal), cursor(writeTool, policy.Change)
	if f.shell {
		f.shellRead, f.shellChange = cursor(shellTool, policy.Reveal), cursor(shellTool, policy.Change)
	}
	return f
}

func (f frame) enter(name, real string) frame {
	f.read, f.change, f.real = f.read.Enter(name), f.change.Enter(name), real
	if f.shell {
		f.shellRead, f.shellChange = f.shellRead.Enter(name), f.shellChange.Enter(name)
	}
	return f
}

// judgeRead asks whether an entry may be read.
func (f *frame) judgeRead(name string, dir, link bool) policy.Verdict {
	v := f.read.Judge(name, dir, link)
	if f.shell {
		v = stricter(v, f.shellRead.Judge(name, dir, link))
	}
	return v
}

func (f *frame) judgeChange(name string, dir, link bool) policy.Verdict {
	v := f.change.Judge(name, dir, link)
	if f.shell {
		v = stricter(v, f.shellChange.Judge(name, dir, link))
	}
	return v
}

// stricter takes the verdict for the shell only where a rule decides: rules that
// allow name the file tools.
func stricter(v, shell policy.Verdict) policy.Verdict {
	if shell.Stage == policy.StageRules && shell.Action > v.Action {
		return shell
	}
	return v
}

func gradeOf(v policy.Verdict) grade {
	switch {
	case v.Action == policy.Allow:
		return free
	case v.Stage == policy.StageRules || v.Stage == policy.StagePath:
		return shut // such a rule covers everything beneath
	default:
		return held
	}
}

// direnvRule is the one built-in that is about a sensitive and a protected file
// at once; verdicts name the first.
const direnvRule = "builtin:sensitive:.envrc"

// guarded tells whether a name has to go if a command made it: it is protected, or
// a rule denies making it. Sensitive files may come into being: nobody loses by it,
// and from then on they are masked.
func guarded(change policy.Verdict) bool {
	return change.Action == policy.Deny &&
		(change.Stage == policy.StageProtected || change.Stage == policy.StageRules || change.Rule == direnvRule)
}

// kidOf judges a directory.
func (f *frame) kidOf(name string, ino uint64) kid {
	v := f.judgeRead(name, true, false)
	k := kid{name: name, ino: ino, read: gradeOf(v), rule: v.Rule}
	if f.writable {
		v = f.judgeChange(name, true, false)
		k.change, k.guard = gradeOf(v), guarded(v)
		if k.read == free || k.guard {
			k.rule = v.Rule
		}
	}
	return k
}

// markOf judges everything else, and tells what it may be used for.
func (f *frame) markOf(name string, kind fs.FileMode, inGit bool) (mark, access) {
	m := mark{name: name}
	link := kind&fs.ModeSymlink != 0
	var allowed access
	if v := f.judgeRead(name, false, link); v.Action == policy.Allow {
		allowed |= mayRead
	} else if !link { // of a link, the target is masked
		m.what, m.rule = masked, v.Rule
	}
	if f.writable {
		v := f.judgeChange(name, false, link)
		if v.Action == policy.Allow {
			allowed |= mayChange
		} else if m.what&masked == 0 {
			m.what, m.rule = kept, v.Rule
		}
		if guarded(v) {
			m.what, m.rule = m.what|guard, v.Rule
		}
	}
	if kind&specialTypes != 0 {
		m.what |= special
	}
	if inGit && isLock(name) {
		m.what |= lock
	}
	if namedGit(name) {
		m.what |= gitFile
	}
	return m, allowed
}
