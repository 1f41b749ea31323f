package search

import (
	"regexp/syntax"
	"slices"
	"strings"
	"unicode/utf8"
)

// Bounds of the literal analysis. More literals than maxLiterals cost more
// passes over the text than the automaton's single one.
const (
	maxLiterals = 8
	maxProduct  = 32
)

// facts is what is known of the strings that an expression matches.
type facts struct {
	exact []string // all of them; nil if unknown or too many
	need  []string // each holds at least one of these; nil if unknown
}

// required finds literals of which every match holds at least one. With fold
// they are lower-case ASCII, to be compared without regard to case. exact says
// that holding one is all there is to a match.
//
// Only ASCII letters but k and s are folded here: these two also fold with
// U+212A and U+017F, which are longer.
func required(re *syntax.Regexp) (literals []string, fold, exact bool) {
	a := analysis{fold: folds(re)}
	f := a.of(re)
	need := f.need
	if f.exact != nil {
		need = better(nil, f.exact)
	}
	if len(need) == 0 || len(need) > maxLiterals {
		return nil, false, false
	}
	return need, a.fold, f.exact != nil && !asserts(re) && (!a.fold || caseClosed(re))
}

// caseClosed tells whether the expression matches each of its strings in every
// case: not so `(?i:foo)Bar`.
func caseClosed(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpLiteral:
		return re.Flags&syntax.FoldCase != 0 || !slices.ContainsFunc(re.Rune, isLetterASCII)
	case syntax.OpCharClass:
		for i := 0; i < len(re.Rune); i += 2 {
			for r := re.Rune[i]; r <= re.Rune[i+1] && r < utf8.RuneSelf; r++ {
				if isLetterASCII(r) && !inClass(re.Rune, r^0x20) {
					return false
				}
			}
		}
	}
	return !slices.ContainsFunc(re.Sub, func(sub *syntax.Regexp) bool { return !caseClosed(sub) })
}

func isLetterASCII(r rune) bool { return 'a' <= r|0x20 && r|0x20 <= 'z' }

func inClass(ranges []rune, r rune) bool {
	for i := 0; i < len(ranges); i += 2 {
		if ranges[i] <= r && r <= ranges[i+1] {
			return true
		}
	}
	return false
}

// folds tells whether any part of the expression ignores case.
func folds(re *syntax.Regexp) bool {
	if re.Op == syntax.OpLiteral && re.Flags&syntax.FoldCase != 0 {
		return true
	}
	return slices.ContainsFunc(re.Sub, folds)
}

// asserts tells whether the expression looks at positions and not only at text.
func asserts(re *syntax.Regexp) bool {
	switch re.Op {
	case syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText, syntax.OpEndText,
		syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return true
	}
	return slices.ContainsFunc(re.Sub, asserts)
}

type analysis struct{ fold bool }

func (a analysis) of(re *syntax.Regexp) facts {
	switch re.Op {
	case syntax.OpEmptyMatch, syntax.OpBeginLine, syntax.OpEndLine, syntax.OpBeginText,
		syntax.OpEndText, syntax.OpWordBoundary, syntax.OpNoWordBoundary:
		return facts{exact: []string{""}}
	case syntax.OpLiteral:
		return a.literal(re)
	case syntax.OpCharClass:
		return a.class(re)
	case syntax.OpCapture:
		return a.of(re.Sub[0])
	case syntax.OpConcat:
		return a.concat(re.Sub)
	case syntax.OpAlternate:
		return a.alternate(re.Sub)
	case syntax.OpQuest:
		if f := a.of(re.Sub[0]); f.exact != nil && len(f.exact) < maxProduct {
			return facts{exact: union(f.exact, []string{""})}
		}
	case syntax.OpPlus:
		f := a.of(re.Sub[0])
		if f.exact != nil {
			return facts{need: better(nil, f.exact)}
		}
		return facts{need: f.need}
	case syntax.OpRepeat:
		// Simplify leaves none.
	}
	return facts{}
}

func (a analysis) literal(re *syntax.Regexp) facts {
	var run strings.Builder
	var best []string
	whole := true
	for _, r := range re.Rune {
		s, ok := a.spell(r, re.Flags&syntax.FoldCase != 0)
		if !ok {
			best, whole = better(best, []string{run.String()}), false
			run.Reset()
			continue
		}
		run.WriteString(s)
	}
	if whole {
		return facts{exact: []string{run.String()}}
	}
	return facts{need: better(best, []string{run.String()})}
}

// spell returns the bytes that r is compared by, if that is one string.
// U+FFFD is none: in a regular expression it also matches each bad byte.
func (a analysis) spell(r rune, folded bool) (string, bool) {
	switch {
	case r == utf8.RuneError:
		return "", false
	case !a.fold:
		return string(r), true
	case r >= utf8.RuneSelf:
		return "", false
	case 'A' <= r && r <= 'Z':
		r += 'a' - 'A'
	}
	if folded && (r == 'k' || r == 's') {
		return "", false
	}
	return string(r), true
}

func (a analysis) class(re *syntax.Regexp) facts {
	var set []string
	for i := 0; i < len(re.Rune); i += 2 {
		for r := re.Rune[i]; r <= re.Rune[i+1]; r++ {
			s, ok := a.spell(r, false)
			if !ok || len(set) >= maxLiterals {
				return facts{}
			}
			set = union(set, []string{s})
		}
	}
	return facts{exact: set}
}

func (a analysis) concat(subs []*syntax.Regexp) facts {
	exact := []string{""}
	var best []string
	whole := true
	for _, sub := range subs {
		f := a.of(sub)
		if f.exact == nil {
			best = better(better(best, exact), f.need)
			exact, whole = []string{""}, false
			continue
		}
		if product := cross(exact, f.exact); product != nil {
			exact = product
			continue
		}
		best = better(best, exact)
		exact, whole = f.exact, false
	}
	if whole {
		return facts{exact: exact}
	}
	return facts{need: better(best, exact)}
}

func (a analysis) alternate(subs []*syntax.Regexp) facts {
	var exact, need []string
	known, all := true, true
	for _, sub := range subs {
		f := a.of(sub)
		if f.exact == nil {
			all = false
			known = known && f.need != nil
			need = union(need, f.need)
			continue
		}
		exact = union(exact, f.exact)
		need = union(need, f.exact)
	}
	switch {
	case all && len(exact) <= maxProduct:
		return facts{exact: exact}
	case known && len(need) <= maxProduct:
		return facts{need: better(nil, need)}
	}
	return facts{}
}

// cross returns each string of a followed by each of b, or nil if that is too many.
func cross(a, b []string) []string {
	if len(a)*len(b) > maxProduct {
		return nil
	}
	var out []string
	for _, x := range a {
		for _, y := range b {
			out = union(out, []string{x + y})
		}
	}
	return out
}

// union appends to a what b has more, and keeps the order.
func union(a, b []string) []string {
	out := a[:len(a):len(a)]
	for _, s := range b {
		if !slices.Contains(out, s) {
			out = append(out, s)
		}
	}
	return out
}

// better returns the set that is cheaper to search for and rarer in text.
func better(a, b []string) []string {
	if selectivity(b) > selectivity(a) {
		return b
	}
	return a
}

// selectivity of a set of literals: that of its worst member, less for each
// further one; 0 if the set says nothing.
func selectivity(set []string) int {
	if len(set) == 0 || len(set) > maxLiterals {
		return 0
	}
	worst := 1 << 30
	for _, s := range set {
		if s == "" {
			return 0
		}
		rarest := 0
		for i := range len(s) {
			rarest = max(rarest, rarity(s[i]))
		}
		worst = min(worst, 64*min(len(s), 12)+rarest)
	}
	return max(1, worst-8*(len(set)-1))
}
