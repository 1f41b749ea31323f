package text

import "bytes"

// maxSuggestions bounds what an error proposes.
const maxSuggestions = 4

// suggest returns labels under which prefix, which is not text in enc, would
// decode to something that looks like text; the likeliest first. None if it
// looks like binary data. The order is a rule of thumb from how bytes above
// 0x7F are spread: alone between ASCII (western text) or in runs.
func suggest(prefix []byte, enc Encoding) []string {
	var labels []string
	for _, label := range candidates(prefix) {
		if label != enc.name && len(labels) < maxSuggestions && looksDecoded(prefix, Encoding{name: label}) {
			labels = append(labels, label)
		}
	}
	return labels
}

func candidates(prefix []byte) []string {
	if bytes.IndexByte(prefix, 0) >= 0 {
		return utf16Candidates(prefix)
	}
	if highRuns(prefix) {
		return []string{"shift_jis", "euc-jp", "gb18030", "big5", "euc-kr", "windows-1251", "koi8-r", "windows-1252"}
	}
	return []string{"windows-1252", "windows-1250", "macintosh"}
}

// utf16Candidates looks for text without byte order mark: at least a third of
// all units have a zero in the same half.
func utf16Candidates(prefix []byte) []string {
	var zeros [2]int
	for i, c := range prefix {
		if c == 0 {
			zeros[i%2]++
		}
	}
	units := len(prefix) / 2
	switch {
	case zeros[1]*3 >= units && zeros[0] == 0:
		return []string{utf16leName}
	case zeros[0]*3 >= units && zeros[1] == 0:
		return []string{utf16beName}
	}
	return nil
}

// highRuns reports whether most bytes above 0x7F have a neighbour that is one.
func highRuns(b []byte) bool {
	alone, together := 0, 0
	for i, c := range b {
		if c < 0x80 {
			continue
		}
		if i > 0 && b[i-1] >= 0x80 || i+1 < len(b) && b[i+1] >= 0x80 {
			together++
		} else {
			alone++
		}
	}
	return together > alone
}

// looksDecoded reports whether prefix decodes in enc without control
// characters, but for those of ordinary text.
func looksDecoded(prefix []byte, enc Encoding) bool {
	s, _, err := decodeStrict(prefix, enc, false)
	if err != nil || s == "" {
		return false
	}
	for _, r := range s {
		switch {
		case r == '\t', r == '\n', r == '\r', r == '\f', r == 0x1B:
		case r < 0x20, r >= 0x7F && r < 0xA0:
			return false
		}
	}
	return true
}
