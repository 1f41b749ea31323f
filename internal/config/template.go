package config

import (
	"reflect"
	"strings"
)

const templateHead = `Bailey's configuration. What is commented out shows the default; take the # away
to change it. An unknown key or a wrong value is an error that names its line.
Keep this file out of every folder that an agent may write.

    bailey config check    is this file in order?
    bailey config show     what holds, and where it comes from
    bailey policy check    what would be answered to a call`

// Template writes the commented configuration for `bailey init`: every key with
// a short comment. What chosen says otherwise than [Default] is set, all else
// commented out at its default ("#key = value"; prose and examples have a blank
// after the #). With or without those, [Parse] reads it to a configuration
// equal to chosen; nil stands for the defaults.
func Template(chosen *Config) []byte {
	if chosen == nil {
		chosen = Default()
	}
	t := &templater{}
	t.prose(templateHead)
	t.table("", reflect.ValueOf(chosen).Elem(), reflect.ValueOf(Default()).Elem())
	return []byte(t.String())
}

type templater struct{ strings.Builder }

// templateWidth is where comments are broken.
const templateWidth = 96

// prose writes a comment; lines of it that are indented stay as they are.
func (t *templater) prose(text string) {
	for _, line := range strings.Split(text, "\n") {
		if strings.HasPrefix(line, " ") {
			t.comment(line)
			continue
		}
		at := ""
		for _, word := range strings.Fields(line) {
			if at != "" && len(at)+1+len(word) > templateWidth {
				t.comment(at)
				at = ""
			}
			at = strings.TrimPrefix(at+" "+word, " ")
		}
		t.comment(at)
	}
}

func (t *templater) comment(line string) {
	t.WriteString(strings.TrimRight("# "+line, " ") + "\n")
}

func (t *templater) example(toml string) {
	if toml != "" {
		t.prose("For example:\n    " + strings.ReplaceAll(toml, "\n", "\n    "))
	}
}

func (t *templater) table(path string, v, defaults reflect.Value) {
	fields := fieldsOf(v.Type())
	for _, f := range fields {
		if f.isTable() {
			continue
		}
		t.prose(f.doc)
		t.example(f.example)
		value := v.Field(f.index)
		if reflect.DeepEqual(value.Interface(), defaults.Field(f.index).Interface()) {
			t.WriteByte('#')
		}
		t.key(f.name, value)
	}
	for _, f := range fields {
		if f.isTable() {
			t.section(joinPath(path, f.name), &f, v.Field(f.index), defaults.Field(f.index))
		}
	}
}

func (t *templater) section(path string, f *field, v, defaults reflect.Value) {
	t.WriteString("\n")
	t.prose(f.doc)
	if f.typ.Kind() == reflect.Struct {
		t.WriteString("[" + path + "]\n")
		t.table(path, v, defaults)
		return
	}
	if element := f.typ.Elem(); element.Kind() == reflect.Struct {
		for _, key := range fieldsOf(element) {
			t.prose("    " + key.name + ": " + key.doc)
		}
	}
	t.example(f.example)
	t.chosen(path, v)
}

// chosen writes the entries of a list or map of tables.
func (t *templater) chosen(path string, v reflect.Value) {
	var w shower // the same form as Show's, without origins
	w.tables(path, v)
	t.WriteString(strings.TrimPrefix(w.String(), "\n"))
}

func (t *templater) key(name string, v reflect.Value) {
	t.WriteString(name + " = " + formatValue(v) + "\n")
}
