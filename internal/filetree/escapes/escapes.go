// Package escapes holds the escape corpus: calls by which an agent tries to get
// out of its folder, to plant code or to see what it may not, and what must come
// of them. Several runners take it, so that every way into Bailey and every
// engine is held to the same answers. It is for tests only.
//
// corpus.json says at its top how a case is to be read. more.json has the same
// form and these fields besides:
//
//	raw      the arguments as text, where they are no JSON
//	answer   what the answer, as JSON, must hold
//	without  what it must not hold
//	keep     nothing in the workspace may change, although the call succeeds
//	partly   a refusal may come when a part is done already; else it changes nothing
//	control  what proves that the set-up bites
//
// controls.json has the controls of corpus.json. A refusal proves nothing if the
// call could not have done harm. A control changes parts of the case, and must
// then succeed: the harmless variant, or the same call without the guard. A case
// without one is tried by plain system calls instead ([Case.Naive]).
package escapes

import (
	"embed"
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"
)

// Marker is in every secret of the corpus, and may be in no answer.
const Marker = "7f3a"

// Case is one call in a fresh workspace.
type Case struct {
	ID      string          `json:"id"`
	Setup   []string        `json:"setup"`
	Tool    string          `json:"tool"`
	Args    json.RawMessage `json:"args"`
	Raw     string          `json:"raw"`
	Expect  []string        `json:"expect"`
	Output  string          `json:"output"`
	Answer  []string        `json:"answer"`
	Without []string        `json:"without"`
	Keep    bool            `json:"keep"`
	Partly  bool            `json:"partly"`
	After   []string        `json:"after"`
	Task    string          `json:"task"`
	Needs   string          `json:"needs"`
	Config  Config          `json:"config"`
	Control *Control        `json:"control"`
}

// Config is the operator's part of a case.
type Config struct {
	Workspace string `json:"workspace"` // the spelling under which it is opened
	TOML      string `json:"toml"`
}

// Control is what differs from its case. Fields that are absent do not.
type Control struct {
	Setup  []string        `json:"setup"`
	Tool   string          `json:"tool"`
	Args   json.RawMessage `json:"args"`
	Task   string          `json:"task"`
	TOML   *string         `json:"toml"`
	Output string          `json:"output"`
	After  []string        `json:"after"`
	Leaks  bool            `json:"leaks"` // the answer holds the marker, or what the case is to be without
}

//go:embed corpus.json more.json controls.json
var files embed.FS

// Cases reads the corpus, each case with its control.
func Cases(t testing.TB) []*Case {
	t.Helper()
	controls := load[map[string]*Control](t, "controls.json")
	var all []*Case
	for _, name := range []string{"corpus.json", "more.json"} {
		all = append(all, load[struct{ Cases []*Case }](t, name).Cases...)
	}
	seen := map[string]bool{}
	for _, c := range all {
		if control := controls[c.ID]; control != nil {
			c.Control = control
			delete(controls, c.ID)
		}
		if seen[c.ID] || len(c.Expect) == 0 {
			t.Fatalf("case %s is given twice, or expects nothing", c.ID)
		}
		seen[c.ID] = true
	}
	if len(controls) != 0 || len(all) < 174 {
		t.Fatalf("%d cases; controls without a case: %v", len(all), controls)
	}
	return all
}

func load[T any](t testing.TB, name string) T {
	t.Helper()
	var v T
	raw, err := files.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(raw, &v)
	}
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return v
}

// NeedsControl reports whether the case would pass if nothing were there to be
// refused or left out.
func (c *Case) NeedsControl() bool {
	return !slices.Contains(c.Expect, "ok") || len(c.Without) > 0
}

// Controlled is the control as a case that must succeed, nil if there is none.
func (c *Case) Controlled() *Case {
	k := c.Control
	if k == nil {
		return nil
	}
	v := *c
	v.Expect, v.Output, v.After, v.Answer, v.Without, v.Keep = []string{"ok"}, k.Output, k.After, nil, nil, false
	if k.Setup != nil {
		v.Setup = k.Setup
	}
	if k.Tool != "" {
		v.Tool = k.Tool
	}
	if k.Args != nil {
		v.Args, v.Raw = k.Args, ""
	}
	if k.Task != "" {
		v.Task = k.Task
	}
	if k.TOML != nil {
		v.Config.TOML = *k.TOML
	}
	return &v
}

// Arguments are the call's arguments as they are sent.
func (c *Case) Arguments(p *Place) string {
	if c.Raw != "" {
		return p.expand(c.Raw)
	}
	return p.expand(string(c.Args))
}

// Settings is the text of the configuration file.
func (c *Case) Settings(p *Place) string { return p.expand(c.Config.TOML) }

// Opened is the spelling under which the workspace is opened.
func (c *Case) Opened(p *Place) string {
	if c.Config.Workspace == "" {
		return p.Root
	}
	return p.expand(c.Config.Workspace)
}

// TaskType is the task of the call.
func (c *Case) TaskType() string {
	if c.Task == "" {
		return "agent"
	}
	return c.Task
}

// Result is a call's answer.
type Result struct {
	Success bool            `json:"success"`
	Output  string          `json:"output"`
	Error   string          `json:"error"`
	Kind    string          `json:"error_kind"`
	Data    json.RawMessage `json:"data"`
}

// Outcome is the kind of the failure, or ok.
func (r *Result) Outcome() string {
	if r.Success {
		return "ok"
	}
	return r.Kind
}

// Parse reads an answer and checks its shape: one object with exactly the
// fields that a success or a failure has.
func Parse(answer []byte) (*Result, error) {
	var fields map[string]json.RawMessage
	if err := json.Unmarshal(answer, &fields); err != nil {
		return nil, fmt.Errorf("the answer is no JSON object: %w: %.200q", err, answer)
	}
	var r Result
	if err := json.Unmarshal(answer, &r); err != nil {
		return nil, fmt.Errorf("the answer has another shape: %w", err)
	}
	want := []string{"data", "output", "success"}
	if !r.Success {
		want = append(want, "error", "error_kind")
	}
	for _, name := range want {
		if _, ok := fields[name]; !ok {
			return &r, fmt.Errorf("the answer lacks %q: %.300s", name, answer)
		}
		delete(fields, name)
	}
	switch {
	case len(fields) != 0:
		return &r, fmt.Errorf("the answer has further fields: %v", fields)
	case !strings.HasPrefix(string(r.Data), "{"):
		return &r, fmt.Errorf("data is no object: %s", r.Data)
	case !r.Success && !strings.HasPrefix(r.Error, r.Kind+": "):
		return &r, fmt.Errorf("the error %q does not begin with its kind %q", r.Error, r.Kind)
	}
	return &r, nil
}
