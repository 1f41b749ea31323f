package gitguard

import (
	"path/filepath"
	"strings"

	"github.com/baileyhq/bailey/workspace/gitconfig"
)

// Identity is who makes the commits.
type Identity struct{ Name, Email string }

// maxIncludes is how deep includes are followed, the limit of git itself.
const maxIncludes = 10

// OperatorIdentity reads user.name and user.email from the operator's own git
// configuration files (gitconfig.OperatorFiles), the last of them counting, and
// nothing else. Conditional includes are left out.
func OperatorIdentity(files []string, home string) Identity {
	var id Identity
	for _, file := range files {
		id.read(file, home, 0)
	}
	return id
}

func (id *Identity) read(file, home string, depth int) {
	if depth > maxIncludes {
		return
	}
	text, err := gitconfig.ReadOperatorFile(file)
	if err != nil {
		return
	}
	// Other programs than git write this file, too.
	entries, err := parseConfig([]byte(strings.ReplaceAll(string(text), "\r\n", "\n")))
	if err != nil {
		return
	}
	for _, e := range entries {
		switch e.name {
		case name{"user", "", "name"}:
			id.Name = e.value
		case name{"user", "", "email"}:
			id.Email = e.value
		case name{"include", "", "path"}:
			id.read(includePath(file, e.value, home), home, depth+1)
		}
	}
}

func includePath(file, value, home string) string {
	if rest, ok := strings.CutPrefix(value, "~/"); ok {
		return filepath.Join(home, rest)
	}
	if filepath.IsAbs(value) {
		return value
	}
	return filepath.Join(filepath.Dir(file), value)
}

// GlobalConfig is the content of the one configuration file that git in the
// sandbox has beside those of repositories. GIT_CONFIG_GLOBAL should name it.
//
// Every directory is a safe one: inside, there is only what the operator allowed,
// and its owner may be another user. Nothing runs in the background: it would end
// with the command and leave locks.
func (id Identity) GlobalConfig() []byte {
	entries := []entry{{name: name{"safe", "", "directory"}, value: "*"}}
	if id.Name != "" {
		entries = append(entries, entry{name: name{"user", "", "name"}, value: id.Name})
	}
	if id.Email != "" {
		entries = append(entries, entry{name: name{"user", "", "email"}, value: id.Email})
	}
	for _, section := range []string{"gc", "maintenance"} {
		entries = append(entries, entry{name: name{section, "", "autodetach"}, value: "false"})
	}
	return renderConfig(entries)
}
