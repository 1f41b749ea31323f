package gitguard

import (
	"bytes"
	"fmt"
	"regexp"
	"slices"
	"strings"
)

// change is a key that gets a value: one that is set anew, or in place of the one
// that it had.
type change struct {
	name
	values []string
}

// refusal is a change that is not taken over.
type refusal struct {
	name
	reason string
}

// permitted compares a configuration with what a command has made of it, and tells
// which of the changes are harmless: the upstream of a branch, and new remotes
// that are nothing but an address.
func permitted(before, after []entry) (take []change, refuse []refusal) {
	old, now := valuesOf(before), valuesOf(after)
	remotes := remotesOf(before)
	for _, n := range changedNames(before, after) {
		switch {
		case n.section == "remote" && n.sub != "" && !remotes[n.sub]:
			// Judged as a whole, below.
		case n.section == "branch" && n.sub != "" && (n.key == "merge" || n.key == "remote"):
			if reason := upstream(n, old[n], now[n], remotes); reason != "" {
				refuse = append(refuse, refusal{n, reason})
			} else {
				take = append(take, change{n, now[n]})
			}
		default:
			refuse = append(refuse, refusal{n, reasonOf(old[n], now[n])})
		}
	}
	for _, sub := range newRemotes(after, remotes) {
		changes, reason := remote(sub, after)
		if reason != "" {
			refuse = append(refuse, refusal{name{"remote", sub, "*"}, reason})
			continue
		}
		take = append(take, changes...)
	}
	return take, refuse
}

func valuesOf(entries []entry) map[name][]string {
	values := map[name][]string{}
	for _, e := range entries {
		v := e.value
		if e.bare {
			v = bareValue
		}
		values[e.name] = append(values[e.name], v)
	}
	return values
}

// bareValue stands for a key without "=". No value can hold a NUL byte.
const bareValue = "\x00"

func remotesOf(entries []entry) map[string]bool {
	remotes := map[string]bool{}
	for _, e := range entries {
		if e.section == "remote" && e.sub != "" {
			remotes[e.sub] = true
		}
	}
	return remotes
}

// changedNames lists, in their order, the names whose values are not the same.
func changedNames(before, after []entry) []name {
	old, now := valuesOf(before), valuesOf(after)
	var names []name
	seen := map[name]bool{}
	for _, e := range slices.Concat(before, after) {
		if !seen[e.name] && !slices.Equal(old[e.name], now[e.name]) {
			names = append(names, e.name)
		}
		seen[e.name] = true
	}
	return names
}

func reasonOf(old, now []string) string {
	switch {
	case len(now) == 0:
		return "was removed"
	case len(old) == 0:
		return "was set"
	default:
		return "was changed"
	}
}

// upstream tells what is wrong with a branch's new remote or merge.
func upstream(n name, old, now []string, remotes map[string]bool) string {
	switch {
	case len(now) != 1 || len(old) > 1 || !plainName(n.sub):
		return reasonOf(old, now)
	case n.key == "merge" && !branchRef.MatchString(now[0]):
		return "names no branch"
	case n.key == "remote" && !remotes[now[0]]:
		return "names no remote that existed before"
	default:
		return ""
	}
}

func newRemotes(after []entry, old map[string]bool) []string {
	var names []string
	for _, e := range after {
		if e.section == "remote" && e.sub != "" && !old[e.sub] && !slices.Contains(names, e.sub) {
			names = append(names, e.sub)
		}
	}
	return names
}

const maxRefspecs = 16

// remote takes a new remote apart.
func remote(sub string, after []entry) (changes []change, reason string) {
	if !plainName(sub) {
		return nil, "has an unusual name"
	}
	var url, fetch []string
	for _, e := range after {
		switch {
		case e.section != "remote" || e.sub != sub:
		case e.bare:
			return nil, e.key + " has no value"
		case e.key == "url":
			url = append(url, e.value)
		case e.key == "fetch":
			fetch = append(fetch, e.value)
		default:
			return nil, "sets more than an address: " + e.key
		}
	}
	switch {
	case len(url) != 1 || !publicURL(url[0]):
		return nil, "is not one https or ssh address"
	case len(fetch) == 0 || len(fetch) > maxRefspecs || slices.ContainsFunc(fetch, func(spec string) bool { return !fetchSpec(sub, spec) }):
		return nil, "fetches into other places than refs/remotes/" + sub
	}
	return []change{{name{"remote", sub, "url"}, url}, {name{"remote", sub, "fetch"}, fetch}}, ""
}

// plainName reports whether a branch or a remote has a name that git takes for
// one, without anything that another reader could take for syntax.
func plainName(s string) bool {
	return refName.MatchString(s) && !strings.Contains(s, "..") && !strings.Contains(s, "//") &&
		!strings.HasSuffix(s, "/") && !strings.HasSuffix(s, ".") && !strings.HasSuffix(s, ".lock") && len(s) <= 250
}

var (
	refName   = regexp.MustCompile(`^[\pL\pN_][\pL\pN._+@/#=-]*$`)
	branchRef = regexp.MustCompile(`^refs/(heads|pull|merge-requests)/[\pL\pN_][\pL\pN._+@/#=-]*$`)
	refGlob   = regexp.MustCompile(`^\+?refs/(heads|pull|merge-requests)/([\pL\pN._+@/#=-]*\*?[\pL\pN._+@/#=-]*):refs/remotes/([\pL\pN._+@/#=-]+/)(\*?[\pL\pN._+@/#=-]*)$`)
	httpsURL  = regexp.MustCompile(`^https://[A-Za-z0-9._~%:@\[\]-]+(/[A-Za-z0-9._~%:@!$&'()*+,=/-]*)?$`)
	sshURL    = regexp.MustCompile(`^ssh://([A-Za-z0-9._~%+-]+@)?[A-Za-z0-9\[][A-Za-z0-9._:\[\]-]*/[A-Za-z0-9._~%:@!$&'()*+,=/-]*$`)
	scpURL    = regexp.MustCompile(`^[A-Za-z0-9_][A-Za-z0-9._+-]*@[A-Za-z0-9][A-Za-z0-9.-]*:[A-Za-z0-9._~/][A-Za-z0-9._~%:@!$&'()*+,=/-]*$`)
)

// publicURL reports whether an address is an https or ssh one.
func publicURL(url string) bool {
	if len(url) > 2000 {
		return false
	}
	return httpsURL.MatchString(url) || sshURL.MatchString(url) || scpURL.MatchString(url)
}

// fetchSpec reports whether a refspec only fills the remote's own place.
func fetchSpec(remote, spec string) bool {
	m := refGlob.FindStringSubmatch(spec)
	return len(m) > 3 && strings.HasPrefix(m[3], remote+"/") && !strings.Contains(spec, "..")
}

// apply puts changes into a configuration's text and leaves the rest as it is.
func apply(text []byte, changes []change) ([]byte, error) {
	for _, c := range changes {
		entries, err := parseConfig(text)
		if err != nil {
			return nil, err
		}
		if text, err = applyOne(text, entries, c); err != nil {
			return nil, err
		}
	}
	return text, nil
}

func applyOne(text []byte, entries []entry, c change) ([]byte, error) {
	old := valuesOf(entries)[c.name]
	lines := ""
	for _, v := range c.values {
		lines += "\t" + c.key + " = " + quote(v) + "\n"
	}
	var out []byte
	switch last := lastOf(entries, c.name); {
	case slices.Equal(old, c.values):
		return text, nil
	case len(old) == 1 && len(c.values) == 1:
		e := entries[slices.IndexFunc(entries, func(e entry) bool { return e.name == c.name })]
		at := e.from
		eq := ""
		if e.bare {
			eq = " ="
		}
		out = slices.Concat(text[:at], []byte(eq+" "+quote(c.values[0])), text[e.to:])
	case len(old) > 0:
		return nil, fmt.Errorf("%s has other values meanwhile", c.name)
	case last >= 0:
		to := entries[last].to
		out = slices.Concat(text[:to], []byte("\n"+strings.TrimSuffix(lines, "\n")), text[to:])
	default:
		out = slices.Clone(text)
		if len(out) > 0 && !bytes.HasSuffix(out, []byte("\n")) {
			out = append(out, '\n')
		}
		out = append(out, header(c.name)+lines...)
	}
	return out, confirm(entries, c, out)
}

// lastOf is the last entry of the section that the name belongs to, or -1.
func lastOf(entries []entry, n name) int {
	for i := len(entries) - 1; i >= 0; i-- {
		if entries[i].section == n.section && entries[i].sub == n.sub {
			return i
		}
	}
	return -1
}

// confirm makes sure that the new text says what the old one did, and the change.
func confirm(before []entry, c change, text []byte) error {
	after, err := parseConfig(text)
	if err != nil {
		return err
	}
	want := valuesOf(before)
	want[c.name] = c.values
	got := valuesOf(after)
	if len(got) != len(want) {
		return errConfig
	}
	for n, values := range want {
		if !slices.Equal(got[n], values) {
			return errConfig
		}
	}
	return nil
}
