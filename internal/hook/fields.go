package hook

import (
	"encoding/json"
	"errors"
	"path"
	"strings"
	"unicode/utf8"
)

// fields are those of a JSON object by their exact names. encoding/json would
// take FILE_PATH for file_path in a struct, and an agent's model chooses the
// names: it could show one path here and use another.
type fields map[string]json.RawMessage

func parseFields(raw []byte) (fields, error) {
	if !utf8.Valid(raw) {
		return nil, errors.New("it is not UTF-8")
	}
	var f fields
	if err := json.Unmarshal(raw, &f); err != nil {
		return nil, err
	}
	if f == nil {
		return nil, errors.New("it is not an object")
	}
	return f, nil
}

// text returns the first of the named fields that is a string, or "".
func (f fields) text(names ...string) string {
	for _, name := range names {
		var s string
		if raw, ok := f[name]; ok && json.Unmarshal(raw, &s) == nil && s != "" {
			return s
		}
	}
	return ""
}

// texts returns a list of strings, or none.
func (f fields) texts(name string) []string {
	var list []string
	if json.Unmarshal(f[name], &list) != nil {
		return nil
	}
	return list
}

// object returns a field that is an object, empty if it is none. Some agents
// send it as the string of its JSON.
func (f fields) object(name string) fields {
	raw := []byte(f[name])
	var s string
	if json.Unmarshal(raw, &s) == nil && s != "" {
		raw = []byte(s)
	}
	inner, err := parseFields(raw)
	if err != nil {
		return fields{}
	}
	return inner
}

// absolute is a path as the agent's own tools would take it.
func (e Event) absolute(p, home string) string {
	switch {
	case home != "" && (p == "~" || strings.HasPrefix(p, "~/")):
		return home + p[1:]
	case p == "" || path.IsAbs(p) || e.event.cwd == "":
		return p
	default:
		// Not cleaned: .. behind a link is for the jail to resolve.
		return strings.TrimSuffix(e.event.cwd, "/") + "/" + p
	}
}
