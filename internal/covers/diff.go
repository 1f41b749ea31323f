package covers

import "path"

// Appeared lists what is guarded now and was not there in an earlier scan with the
// same policy.
func (s *Scan) Appeared(before *Scan) []Guarded {
	b := guardedBefore{names: map[string]bool{}, whole: map[string]bool{}, parts: map[string]bool{}}
	for _, g := range before.Guarded {
		b.add(g)
	}
	var found []Guarded
	for _, g := range s.Guarded {
		if !b.had(g) {
			found = append(found, g)
		}
	}
	return found
}

// guardedBefore is what an earlier scan has found.
type guardedBefore struct {
	names map[string]bool
	whole map[string]bool // directories of which all was guarded
	parts map[string]bool // directories with something guarded beneath
}

func (b *guardedBefore) add(g Guarded) {
	b.names[g.Real] = true
	if g.Dir && g.Reason != GitDir {
		b.whole[g.Real] = true
	}
	for dir := path.Dir(g.Real); dir != "/" && !b.parts[dir]; dir = path.Dir(dir) {
		b.parts[dir] = true
	}
}

// had tells whether the object was guarded. Where rules lift the protection of
// some of what lies in a directory, it may have been guarded as a part of the
// directory then and for itself now, or the other way round.
func (b *guardedBefore) had(g Guarded) bool {
	if b.names[g.Real] {
		return true
	}
	if g.Reason != Protected {
		return false
	}
	for dir := path.Dir(g.Real); dir != "/"; dir = path.Dir(dir) {
		if b.whole[dir] {
			return true
		}
	}
	return b.parts[g.Real] && g.Dir
}
