package text

import (
	"sort"
	"strings"

	"github.com/baileyhq/bailey/internal/nearest"
)

// knownLabels are what a [LabelError] may propose: every canonical name, and
// the aliases that people type. TestKnownLabels keeps them true.
var knownLabels = []string{
	"text", "base64", "utf-8", "utf-8-bom", "utf-16", "utf-16le", "utf-16be",
	"windows-1252", "latin1", "ascii", "iso-8859-1", "cp1252",
	"iso-8859-2", "iso-8859-3", "iso-8859-4", "iso-8859-5", "iso-8859-6",
	"iso-8859-7", "iso-8859-8", "iso-8859-8-i", "iso-8859-10", "iso-8859-13",
	"iso-8859-14", "iso-8859-15", "iso-8859-16", "latin2",
	"windows-874", "windows-1250", "windows-1251", "windows-1253",
	"windows-1254", "windows-1255", "windows-1256", "windows-1257",
	"windows-1258", "cp1250", "cp1251", "ibm866", "cp866", "koi8-r", "koi8-u",
	"macintosh", "x-mac-cyrillic", "x-user-defined",
	"shift_jis", "sjis", "euc-jp", "iso-2022-jp", "gbk", "gb2312", "gb18030",
	"big5", "euc-kr", "ks_c_5601-1987",
}

// nearLabels returns up to three known labels that resemble label.
func nearLabels(label string) []string {
	type near struct {
		label    string
		distance int
	}
	want := bareLabel(label)
	if len(want) > 32 {
		return nil
	}
	var found []near
	for _, l := range knownLabels {
		bare := bareLabel(l)
		d := nearest.Distance(want, bare)
		if d <= max(1, len(bare)*2/5) {
			found = append(found, near{l, d})
		}
	}
	sort.SliceStable(found, func(i, j int) bool { return found[i].distance < found[j].distance })
	var labels []string
	for _, n := range found[:min(3, len(found))] {
		labels = append(labels, n.label)
	}
	return labels
}

// bareLabel leaves out what people vary in a label.
func bareLabel(label string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r >= 'A' && r <= 'Z':
			return r + 'a' - 'A'
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9':
			return r
		}
		return -1
	}, label)
}
