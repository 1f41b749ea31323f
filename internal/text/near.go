package text

import (
	"fmt"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

const (
	// maxHintBytes bounds the work for a hint: a larger text gets none.
	maxHintBytes = 1 << 20
	// maxNearLines bounds what a hint quotes.
	maxNearLines = 12
	maxNearBytes = 2 << 10
)

// mismatch explains why an edit does not apply to q.s.
func mismatch(q search, index, count int, e Edit) *MismatchError {
	m := &MismatchError{Index: index, Count: count}
	if count > 0 {
		m.Lines = q.lines(true)
		return m
	}
	if len(q.s) > maxHintBytes || len(e.OldText) > maxHintBytes {
		return m
	}
	m.Near = nearestRegion(q.s, e.OldText)
	m.Hint = hint(q.s, e)
	return m
}

// hint recognises mistakes that are made in writing an edit.
func hint(s string, e Edit) string {
	plain := strings.ReplaceAll(s, "\r\n", "\n")
	switch unescaped := unescape(e.OldText); {
	case strings.Contains(plain, unescaped) && unescaped != e.OldText:
		return `old_text is escaped once too often: it has a backslash and a letter where the file has a line break, tab or quote`
	case withoutLineNumbers(e.OldText) != e.OldText && strings.Contains(plain, withoutLineNumbers(e.OldText)):
		return "old_text starts its lines with line numbers, which are not in the file"
	case strings.Contains(e.OldText, "\r\n") && strings.Contains(plain, strings.ReplaceAll(e.OldText, "\r\n", "\n")):
		return `old_text has \r\n where the file has \n; give \n, which matches both`
	case strings.HasSuffix(e.OldText, "\n") && strings.HasSuffix(plain, strings.TrimSuffix(e.OldText, "\n")):
		return "old_text ends in a line break, the file's last line does not"
	case len(e.NewText) >= 8 && strings.Contains(plain, strings.ReplaceAll(e.NewText, "\r\n", "\n")):
		line, _ := position(plain, strings.Index(plain, strings.ReplaceAll(e.NewText, "\r\n", "\n")))
		return fmt.Sprintf("new_text is in the file already, at line %d", line)
	}
	return ""
}

func unescape(s string) string {
	return strings.NewReplacer(`\n`, "\n", `\t`, "\t", `\"`, `"`, `\\`, `\`).Replace(s)
}

// withoutLineNumbers removes numbers and the tab, arrow, bar or colon behind
// them from the start of every line, or returns s if a line has none.
func withoutLineNumbers(s string) string {
	lines := strings.Split(s, "\n")
	for i, line := range lines {
		if line == "" && i == len(lines)-1 {
			continue
		}
		digits := strings.TrimLeft(line, " ")
		rest := strings.TrimLeft(digits, "0123456789")
		if rest == digits {
			return s
		}
		bare := rest
		for _, mark := range []string{"\t", "→", "|", ": ", ":"} {
			if after, ok := strings.CutPrefix(rest, mark); ok {
				bare = after
				break
			}
		}
		if bare == rest {
			return s
		}
		lines[i] = bare
	}
	return strings.Join(lines, "\n")
}

// folds take away one kind of difference each, and never a line feed.
var folds = []struct {
	differs string
	fold    func(string) string
}{
	{"in whitespace", foldSpace},
	{"in case", strings.ToLower},
	{"in quotes, dashes or other look-alike characters", foldLookalikes},
	{"in whitespace and case", func(s string) string { return strings.ToLower(foldSpace(s)) }},
	{"in whitespace and look-alike characters", func(s string) string { return foldSpace(foldLookalikes(s)) }},
}

func foldSpace(s string) string {
	return strings.Map(func(r rune) rune {
		if r != '\n' && (unicode.IsSpace(r) || r == '\u200B' || r == '\uFEFF') {
			return -1
		}
		return r
	}, s)
}

var lookalikes = strings.NewReplacer(
	"‘", "'", "’", "'", "‚", "'", "‛", "'", "“", `"`, "”", `"`, "„", `"`, "«", `"`, "»", `"`,
	"‐", "-", "‑", "-", "‒", "-", "–", "-", "—", "-", "−", "-", "…", "...", "\u00A0", " ", "\u202F", " ",
	"\u200B", "", "\u200C", "", "\u200D", "", "\uFEFF", "",
)

func foldLookalikes(s string) string { return lookalikes.Replace(norm.NFKC.String(s)) }

// nearestRegion finds the part of s that resembles old most, nil if none does.
func nearestRegion(s, old string) *Near {
	lines := strings.Split(s, "\n")
	for _, f := range folds {
		folded, want := f.fold(s), f.fold(old)
		if strings.Trim(want, "\n") == "" {
			continue
		}
		if i := strings.Index(folded, want); i >= 0 {
			start := strings.Count(folded[:i], "\n")
			return quote(lines, start, start+strings.Count(strings.TrimSuffix(want, "\n"), "\n"), f.differs)
		}
	}
	return mostEqualLines(lines, strings.Split(strings.Trim(old, "\r\n"), "\n"))
}

// quote makes a Near of lines first to last, which count from 0.
func quote(lines []string, first, last int, differs string) *Near {
	last = min(last, len(lines)-1)
	shown := strings.Join(lines[first:min(last+1, first+maxNearLines)], "\n")
	if len(shown) > maxNearBytes {
		shown = shown[:maxNearBytes] + "…"
	}
	return &Near{StartLine: first + 1, EndLine: last + 1, Text: visibleBytes([]byte(shown)), Differs: differs}
}

// mostEqualLines lays want over lines where most of its lines, apart from
// whitespace, are equal. Each line of want votes for where the first would
// then be; lines that are everywhere (blank ones, closing braces) have no vote.
func mostEqualLines(lines, want []string) *Near {
	const everywhere = 50
	places := map[string][]int{}
	for i, line := range lines {
		key := foldSpace(line)
		if p := places[key]; len(p) <= everywhere {
			places[key] = append(p, i)
		}
	}
	votes := map[int]int{}
	best, bestVotes := 0, 0
	for i, line := range want {
		p := places[foldSpace(line)]
		if len(strings.TrimSpace(line)) < 3 || len(p) > everywhere {
			continue
		}
		for _, place := range p {
			first := place - i
			votes[first]++
			if v := votes[first]; v > bestVotes || v == bestVotes && first < best {
				best, bestVotes = first, v
			}
		}
	}
	if bestVotes == 0 {
		return mostAlikeLine(lines, want)
	}
	for i, line := range want {
		at := best + i
		if at < 0 || at >= len(lines) {
			continue
		}
		if foldSpace(lines[at]) != foldSpace(line) {
			return quote(lines, max(best, 0), best+len(want)-1, fmt.Sprintf("first at line %d", at+1))
		}
	}
	return quote(lines, max(best, 0), best+len(want)-1, "in where the lines break, or in lines that are missing")
}

// mostAlikeLine finds the line that shares most words with the longest of want.
func mostAlikeLine(lines, want []string) *Near {
	longest := ""
	for _, w := range want {
		if len(w) > len(longest) {
			longest = w
		}
	}
	wanted := map[string]bool{}
	for _, w := range words(longest) {
		wanted[w] = true
	}
	best, bestScore := -1, 0
	for i, line := range lines {
		seen := map[string]bool{}
		all := words(line)
		for _, w := range all {
			if wanted[w] {
				seen[w] = true
			}
		}
		// At least half of the wanted words, and a line that is not much else.
		if 2*len(seen) <= len(wanted) || len(all) > 4*len(wanted)+4 {
			continue
		}
		if score := 4*len(seen) - len(all); best < 0 || score > bestScore {
			best, bestScore = i, score
		}
	}
	if best < 0 {
		return nil
	}
	return quote(lines, best, best, "in some words")
}

func words(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '_' })
}
