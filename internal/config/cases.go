package config

import (
	"encoding/json"
	"math"
	"reflect"
	"strconv"
	"strings"
	"unicode/utf8"
)

// Cases is a file of calls with the verdicts that a policy must give.
type Cases struct {
	Cases []Case `toml:"case,required,nonempty" doc:"Calls, each with the verdict that it must get."`
}

// Case is one of [[case]].
type Case struct {
	Name    string    `toml:"name,required" format:"name" doc:"What the case shows; each has a name of its own."`
	Tool    string    `toml:"tool" format:"nonempty" doc:"The tool that is called; shell where a command is given."`
	Path    string    `toml:"path" format:"nonempty" doc:"Short for args = { path = … }."`
	Command string    `toml:"command" format:"nonempty" doc:"Short for tool = \"shell\" and args = { command = … }."`
	Args    Arguments `toml:"args,inline" doc:"The arguments of the call."`
	Expect  Action    `toml:"expect,required" doc:"\"allow\", \"deny\" or \"supervised\"."`
	Rule    string    `toml:"rule" format:"nonempty" doc:"The rule that must be responsible; any where the key is left out."`
	Kind    string    `toml:"kind" format:"nonempty" doc:"The kind of the denial, such as policy_denied; any where the key is left out."`
	Task    string    `toml:"task" format:"task" doc:"The task type of the call; that of the configuration where the key is left out."`

	File string // where it stands
	Line int
}

// Arguments are those of a call, as JSON would have them.
type Arguments map[string]any

// JSON writes the arguments of the case as a call takes them.
func (c *Case) JSON() (json.RawMessage, error) {
	args := map[string]any{}
	for key, value := range c.Args {
		args[key] = value
	}
	if c.Path != "" {
		args["path"] = c.Path
	}
	if c.Command != "" {
		args["command"] = c.Command
	}
	return json.Marshal(args)
}

// ParseCases reads a file of cases as strictly as a configuration is read. file
// is the name that errors carry. An error is of type [Errors].
func ParseCases(file string, data []byte) ([]Case, error) {
	if !utf8.Valid(data) {
		return nil, Errors{invalidUTF8(file, data)}
	}
	doc := parseDocument(file, data)
	var out Cases
	d := &decoder{file: file, errs: doc.errs, marks: map[string]mark{}, broken: doc.broken}
	d.table(doc.root, reflect.ValueOf(&out).Elem(), "")
	first := map[string]int{}
	for i := range out.Cases {
		c, at := &out.Cases[i], indexPath("case", i)
		c.File, c.Line = file, d.marks[at].key.line
		d.complete(c, at)
		if line, twice := first[c.Name]; twice && c.Name != "" {
			d.fail(d.marks[at+".name"].value, at+".name", "the case name "+quote(c.Name)+" is given twice", "first in line "+strconv.Itoa(line))
		}
		first[c.Name] = c.Line
	}
	if err := d.errs.report(); err != nil {
		return nil, err
	}
	return out.Cases, nil
}

// complete fills in what the short forms stand for, and refuses two values for one.
func (d *decoder) complete(c *Case, at string) {
	clash := func(key string) {
		if _, twice := c.Args[key]; twice {
			d.fail(d.marks[at+"."+key].key, at+"."+key, "`"+key+"` is given twice", "here and in `args`")
		}
	}
	if c.Path != "" {
		clash("path")
	}
	if c.Command != "" {
		clash("command")
		if c.Tool == "" {
			c.Tool = "shell"
		}
	}
	if _, given := d.marks[at+".tool"]; c.Tool == "" && !given && !d.broken {
		d.fail(d.marks[at].value, at+".tool", "`tool` is missing in `"+at+"`", "only a `command` needs none")
	}
}

// arguments takes any table that JSON can express.
func (d *decoder) arguments(n *node, v reflect.Value, path string) {
	if d.is(n, kindTable, path) {
		v.Set(reflect.ValueOf(Arguments(d.object(n, path))))
	}
}

func (d *decoder) object(n *node, path string) map[string]any {
	out := make(map[string]any, len(n.entries))
	for _, e := range n.entries {
		out[e.name] = d.plain(e.value, joinPath(path, e.name))
	}
	return out
}

func (d *decoder) plain(n *node, path string) any {
	switch n.kind {
	case kindTable:
		return d.object(n, path)
	case kindArray:
		list := make([]any, len(n.items))
		for i, item := range n.items {
			list[i] = d.plain(item, indexPath(path, i))
		}
		return list
	case kindString:
		return n.text
	case kindBool:
		return n.text == "true"
	case kindInteger:
		if i, err := strconv.ParseInt(n.text, 0, 64); err == nil {
			return i
		}
	case kindFloat:
		x, err := strconv.ParseFloat(strings.ReplaceAll(n.text, "_", ""), 64)
		if err == nil && !math.IsInf(x, 0) && !math.IsNaN(x) {
			return x
		}
	case kindTime:
	}
	d.fail(n.at, path, "`"+path+"` is "+n.kind.String()+" that no argument can be", "arguments are what JSON has; put it in quotes where a text is meant")
	return nil
}
