package policy

import "strings"

// nearest returns the candidate that a person most likely meant by s, or ""
// where none is close. Ties go to the alphabetically first.
func nearest(s string, candidates []string) string {
	s = strings.ToLower(strings.Trim(s, "* "))
	best, bestDistance := "", 2+len(s)/4
	for _, c := range candidates {
		d := distance(s, c)
		if d < bestDistance || d == bestDistance && best != "" && c < best {
			best, bestDistance = c, d
		}
	}
	return best
}

// distance is the Levenshtein distance in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			cost := diagonal
			if a[i] != b[j] {
				cost++
			}
			diagonal = row[j+1]
			row[j+1] = min(cost, row[j]+1, diagonal+1)
		}
	}
	return row[len(b)]
}
