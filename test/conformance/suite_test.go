// Package conformance runs the official MCP conformance suite, from npm, against
// mcpserver behind the SDK's HTTP handler, which is what the suite speaks.
package conformance

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/baileyhq/bailey/audit"
)

// runs are the releases of the suite and the protocol versions that each is run
// for.
var runs = []struct {
	release  string // a directory in node_modules
	versions []string
}{
	{"conformance", []string{"2025-11-25"}},
	{"conformance-next", []string{"2025-06-18", "2025-11-25", "2026-07-28"}},
}

func TestConformance(t *testing.T) {
	node := findNode(t)
	f := newFixture(t)
	offered, judged := map[string]bool{}, map[string]bool{}
	for _, run := range runs {
		s := suite{node, filepath.Join("node_modules", run.release, "dist", "index.js")}
		for _, name := range s.list(t) {
			offered[name] = true
			_, in := applies[name]
			if _, out := doesNotApply[name]; in == out {
				t.Errorf("%s: scenario %s must be listed as one that applies or one that does not", run.release, name)
			}
		}
		for _, version := range run.versions {
			for _, at := range []face{own, named} {
				t.Run(strings.Join([]string{run.release, version, string(at)}, "/"), func(t *testing.T) {
					s.run(t, f.urls[at], version, at, judged)
				})
			}
		}
	}
	for name := range applies {
		if !judged[name] {
			t.Errorf("scenario %s was never run", name)
		}
	}
	for name := range doesNotApply {
		if !offered[name] {
			t.Errorf("scenario %s is no longer offered", name)
		}
	}
	f.checkLog(t)
}

// findNode returns the node that the tests of other clients bring along.
func findNode(t *testing.T) string {
	t.Helper()
	arch := map[string]string{"amd64": "x64", "arm64": "arm64"}[runtime.GOARCH]
	node, err := filepath.Abs("../mcp/node_modules/node-linux-" + arch + "/bin/node")
	if err != nil {
		t.Fatal(err)
	}
	for _, needed := range []string{node, "node_modules"} {
		if _, err := os.Stat(needed); err != nil {
			t.Skip("needs the conformance suite: run npm ci in test/mcp and test/conformance")
		}
	}
	if _, err := os.ReadFile("package-lock.json"); err != nil { // a change of it makes a cached result void
		t.Fatal(err)
	}
	return node
}

// suite is one release of the suite.
type suite struct{ node, script string }

func (s suite) command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), s.node, append([]string{s.script}, args...)...)
	cmd.Env = append(os.Environ(), "NO_COLOR=1")
	return cmd
}

var listed = regexp.MustCompile(`(?m)^ +- (\S+)`)

// list returns the scenarios for servers.
func (s suite) list(t *testing.T) []string {
	t.Helper()
	out, err := s.command(t, "list", "--server").Output()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, m := range listed.FindAllSubmatch(out, -1) {
		names = append(names, string(m[1]))
	}
	if len(names) < 30 {
		t.Fatalf("the suite lists %d scenarios only:\n%s", len(names), out)
	}
	return names
}

// check is one finding of a scenario.
type check struct {
	ID           string `json:"id"`
	Status       string `json:"status"`
	Description  string `json:"description"`
	ErrorMessage string `json:"errorMessage"`
}

// run runs every scenario of a version, and judges those that apply.
func (s suite) run(t *testing.T, url, version string, at face, judged map[string]bool) {
	results := t.TempDir()
	// The suite's exit status also counts what does not apply.
	out, err := s.command(t, "server", "--url", url, "--suite", "all", "--spec-version", version, "-o", results).CombinedOutput()
	if !strings.Contains(string(out), "=== SUMMARY ===") {
		t.Fatalf("the suite did not end: %v\n%s", err, out)
	}
	dirs, err := os.ReadDir(results)
	if err != nil {
		t.Fatal(err)
	}
	for _, dir := range dirs {
		name := scenarioOf(dir.Name())
		if !runsAt(name, at) {
			continue
		}
		judge(t, name, readChecks(t, filepath.Join(results, dir.Name(), "checks.json")))
		judged[name] = true
	}
}

// stamp is what the suite adds to a scenario's name for its directory.
var stamp = regexp.MustCompile(`-\d{4}-\d{2}-\d{2}T[-\dZ]+$`)

func scenarioOf(dir string) string {
	return stamp.ReplaceAllString(strings.TrimPrefix(dir, "server-"), "")
}

func runsAt(scenario string, at face) bool {
	return slices.Contains(applies[scenario], at)
}

func readChecks(t *testing.T, file string) []check {
	t.Helper()
	raw, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	var checks []check
	if err := json.Unmarshal(raw, &checks); err != nil {
		t.Fatal(err)
	}
	return checks
}

// judge fails the test for each check that does not pass, warnings included.
func judge(t *testing.T, scenario string, checks []check) {
	t.Helper()
	successes := 0
	for _, c := range checks {
		reason, apart := checksApart[scenario][c.ID]
		switch c.Status {
		case "SUCCESS":
			successes++
			if apart {
				t.Errorf("%s: %s passes: it does apply, other than listed (%s)", scenario, c.ID, reason)
			}
		case "FAILURE", "WARNING":
			if !apart {
				t.Errorf("%s: %s: %s: %s: %s", scenario, c.ID, c.Status, c.Description, c.ErrorMessage)
			}
		}
	}
	if successes == 0 {
		t.Errorf("%s: no check has passed", scenario)
	}
}

// checkLog sees that the suite's calls went through the pipeline.
func (f *fixture) checkLog(t *testing.T) {
	t.Helper()
	file, err := os.Open(f.log)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	calls := map[string]int{}
	for r, err := range audit.Records(file) {
		if err != nil {
			t.Fatal(err)
		}
		calls[r.Tool+" "+r.Result]++
	}
	for _, want := range []string{"file_read allow", "file_read deny", "file_find allow"} {
		if calls[want] == 0 {
			t.Errorf("no record of %s in the log: %v", want, calls)
		}
	}
}
