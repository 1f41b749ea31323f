package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/baileyhq/bailey/audit"
	"github.com/baileyhq/bailey/internal/filetree/escapes"
	"github.com/baileyhq/bailey/tool"
)

// nobody is a user that owns nothing on this host.
const nobody = 61_017

// deadline is how long an answer may take.
const deadline = 30 * time.Second

// exitCodes is what the shell sees of each kind that the corpus expects: 79 for
// an escape and for nothing else.
var exitCodes = map[string]int{
	"":                 0,
	"invalid_argument": 64,
	"not_text":         65, "too_large": 65, "not_a_file": 65, "not_a_directory": 65, "exists": 65, "edit_mismatch": 65,
	"not_found": 66,
	"io":        74,
	"op_denied": 77, "policy_denied": 77, "special_path": 77, "protected_path": 77,
	"path_escape":    79,
	"limit_exceeded": 83,
}

// A way is one manner of making a call.
type way struct {
	name   string
	engine string
	user   bool // as an ordinary user, where the tests run as root
	pairs  bool // key=value in place of JSON, and no --json
}

// TestEscapes makes every call of the corpus as a process of its own. The ways
// differ in more than one thing each, so that three processes a case show both
// engines, both users and both forms of arguments and answers; package tool has
// each engine with each user. Under the race detector each case takes one way.
func TestEscapes(t *testing.T) {
	ways := []way{{name: "openat2", engine: "openat2"}, {name: "osRoot", engine: "os.Root"}, {name: "pairs", engine: "auto", pairs: true}}
	if os.Geteuid() == 0 {
		ways[1].user, ways[2].user = true, true
	}
	program := install(t)
	for nth, w := range ways {
		t.Run(w.name, func(t *testing.T) {
			for i, c := range escapes.Cases(t) {
				if raced && i%len(ways) != nth {
					continue
				}
				if w.fits(c) {
					t.Run(c.ID, func(t *testing.T) {
						t.Parallel()
						w.call(t, program, c)
					})
				}
			}
		})
	}
}

// install puts this test binary where every user can run it, under the name
// that makes it the command.
func install(t *testing.T) string {
	t.Helper()
	dir, err := os.MkdirTemp("/var/tmp", "escape-bin")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	from, err := os.Open(self)
	if err != nil {
		t.Fatal(err)
	}
	defer from.Close()
	program := filepath.Join(dir, "bailey")
	to, err := os.OpenFile(program, os.O_CREATE|os.O_WRONLY|os.O_EXCL, 0o755)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := io.Copy(to, from); err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(to.Chmod(0o755), to.Close(), os.Chmod(dir, 0o755)); err != nil {
		t.Fatal(err)
	}
	return program
}

// fits reports whether a case can be called this way.
func (w way) fits(c *escapes.Case) bool {
	if !w.pairs {
		return true
	}
	_, ok := words(c, &escapes.Place{})
	return ok
}

// words are a case's arguments as key=value, if they are all strings and no
// process argument forbids them.
func words(c *escapes.Case, p *escapes.Place) ([]string, bool) {
	var a map[string]any
	if c.Raw != "" || json.Unmarshal([]byte(c.Arguments(p)), &a) != nil || len(a) == 0 {
		return nil, false
	}
	var list []string
	for key, v := range a {
		s, ok := v.(string)
		if !ok || strings.ContainsRune(s, 0) {
			return nil, false
		}
		list = append(list, key+"="+s)
	}
	slices.Sort(list)
	return list, true
}

func (w way) call(t *testing.T, program string, c *escapes.Case) {
	w.user = w.user && c.Needs != "root"
	p := c.Lay(t) // skips what needs root, and says so
	for _, dir := range []string{"home", "state"} {
		if err := os.Mkdir(filepath.Join(p.Base, dir), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.WriteFile(filepath.Join(p.Base, "config.toml"), []byte(c.Settings(p)), 0o600); err != nil {
		t.Fatal(err)
	}
	if w.user {
		give(t, p.Base, nobody)
		p.Remember(t, c)
	}
	run := w.run(t, program, c, p)
	answer, expected := run.stdout, *c
	if w.pairs {
		answer, expected.Answer = run.asJSON(t), nil // data is printed with --json only
	} else if bytes.Count(answer, []byte("\n")) != 1 || !bytes.HasSuffix(answer, []byte("\n")) {
		t.Errorf("the answer is not one line: %.300q", answer)
	}
	r := expected.Check(t, p, answer)
	if want, known := exitCodes[r.Kind]; run.code != want || !known {
		t.Errorf("exit code %d for %q, want %d", run.code, r.Kind, want)
	}
	if !w.pairs && len(run.stderr) != 0 {
		t.Errorf("stderr: %q", run.stderr)
	}
	checkAudit(t, c, p, r, w)
}

// give makes a user the owner of a tree.
func give(t *testing.T, tree string, uid int) {
	t.Helper()
	err := filepath.WalkDir(tree, func(path string, _ fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		return os.Lchown(path, uid, uid)
	})
	// What is nested deeper than a path may be long can't be named, nor given.
	if err != nil && !errors.Is(err, syscall.ENAMETOOLONG) {
		t.Fatal(err)
	}
}

// outcome is what a process left.
type outcome struct {
	stdout, stderr []byte
	code           int
}

func (w way) run(t *testing.T, program string, c *escapes.Case, p *escapes.Place) outcome {
	t.Helper()
	args := []string{
		"--engine", w.engine, "--workspace", c.Opened(p), "--task", c.TaskType(),
		"--config", filepath.Join(p.Base, "config.toml"), "--state", filepath.Join(p.Base, "state"), "call",
	}
	stdin := ""
	if w.pairs {
		pairs, _ := words(c, p)
		args = append(append(args, c.Tool), pairs...)
	} else {
		arguments := c.Arguments(p)
		if c.Raw != "" {
			arguments, stdin = "-", arguments
		}
		args = append(args, "--json", c.Tool, arguments)
	}
	ctx, cancel := context.WithTimeout(t.Context(), deadline)
	defer cancel()
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Dir = p.Base
	cmd.Env = []string{"HOME=" + filepath.Join(p.Base, "home"), "PATH=/usr/bin:/bin", "NO_COLOR=1"}
	cmd.Stdin = strings.NewReader(stdin)
	if w.user {
		cmd.SysProcAttr = &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: nobody, Gid: nobody}}
	}
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	if ctx.Err() != nil {
		t.Fatalf("no answer within %v", deadline)
	}
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	for _, b := range [][]byte{out.Bytes(), errs.Bytes()} {
		if bytes.Contains(b, []byte(escapes.Marker)) {
			t.Errorf("the secret is told: %.300q", b)
		}
	}
	return outcome{out.Bytes(), errs.Bytes(), cmd.ProcessState.ExitCode()}
}

// asJSON makes an answer of what was printed without --json: output on stdout,
// or "bailey: KIND: message" on stderr.
func (o outcome) asJSON(t *testing.T) []byte {
	t.Helper()
	if o.code == 0 {
		if len(o.stderr) != 0 {
			t.Errorf("stderr of a success: %q", o.stderr)
		}
		answer, err := json.Marshal(map[string]any{"success": true, "output": string(o.stdout), "data": struct{}{}})
		if err != nil {
			t.Fatal(err)
		}
		return answer
	}
	if len(o.stdout) != 0 {
		t.Errorf("stdout of a failure: %q", o.stdout)
	}
	message, named := strings.CutPrefix(string(o.stderr), "bailey: ")
	kind, _, colon := strings.Cut(message, ": ")
	if !named || !colon {
		t.Errorf("a failure reads %q", o.stderr)
	}
	answer, err := json.Marshal(map[string]any{"success": false, "output": "", "error": message, "error_kind": kind, "data": struct{}{}})
	if err != nil {
		t.Fatal(err)
	}
	return answer
}

// changing are the tools whose calls announce themselves in the log.
var changing = []string{"file_write", "file_edit", "file_copy", "file_move", "dir_create", "file_delete"}

// checkAudit expects exactly the records of one call: its result, before it an
// intent if it changed something or failed while doing so.
func checkAudit(t *testing.T, c *escapes.Case, p *escapes.Place, r *escapes.Result, w way) {
	t.Helper()
	raw, err := os.ReadFile(filepath.Join(p.Base, "state", "audit.log"))
	if unknownTask(c) && errors.Is(err, fs.ErrNotExist) {
		return // nothing could be opened, the log neither
	}
	if err != nil {
		t.Fatal(err)
	}
	n, err := audit.Verify(bytes.NewReader(raw))
	if err != nil {
		t.Fatal(err)
	}
	var records []audit.Record
	for rec, err := range audit.Records(bytes.NewReader(raw)) {
		if err != nil {
			t.Fatal(err)
		}
		records = append(records, rec)
	}
	if int64(len(records)) != n || n < 1 || n > 2 {
		t.Fatalf("%d records: %s", n, raw)
	}
	result := records[len(records)-1]
	changes := slices.Contains(changing, c.Tool)
	if n == 2 && (!changes || records[0].Phase != audit.PhaseIntent || records[0].ID != result.ID) {
		t.Errorf("the first record is no intent of the second: %s", raw)
	}
	if n == 1 && changes && r.Success && !dryRun(c) {
		t.Errorf("a change without an intent: %s", raw)
	}
	if result.Phase != audit.PhaseResult || result.Tool != c.Tool || result.Task != c.TaskType() || result.Principal == "" || result.Session == "" {
		t.Errorf("recorded as %+v", result)
	}
	if c.Tool == "file_read_many" && r.Success {
		return // its record tells of the paths that were refused
	}
	if (result.Result == audit.ResultAllow) != r.Success || result.ErrorKind != r.Kind {
		t.Errorf("recorded as %+v, answered %q", result, r.Kind)
	}
}

// unknownTask reports whether the case names a task type that there is not.
func unknownTask(c *escapes.Case) bool {
	return slices.Equal(c.Expect, []string{string(tool.InvalidArgument)}) && c.Task != ""
}

func dryRun(c *escapes.Case) bool { return bytes.Contains(c.Args, []byte(`"dry_run"`)) }
