package jail

import (
	"bufio"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Some tests need a second process: an attacker, a writer to be killed. It is
// this test binary again; the variable tells it what to be.
const helperVariable = "BAILEY_TEST_HELPER"

func init() {
	if line := os.Getenv(helperVariable); line != "" {
		name, args, _ := strings.Cut(line, "\n")
		go func() { // ends with the test, however that ends
			_, _ = io.Copy(io.Discard, os.Stdin)
			os.Exit(0)
		}()
		switch args := strings.Split(args, "\n"); name {
		case "attacker":
			attackerMain(args)
		case "crasher":
			crasherMain(args)
		case "counter":
			counterMain(args)
		case "outsider":
			outsiderMain(args)
		}
		os.Exit(0)
	}
}

// startHelper runs a helper and waits until it has printed its first line.
func startHelper(t testing.TB, name string, args ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.Command(os.Args[0])
	cmd.Env = append(os.Environ(), helperVariable+"="+name+"\n"+strings.Join(args, "\n"))
	cmd.Stderr = os.Stderr
	in, err := cmd.StdinPipe() // its end of file stops the helper
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("helper %s: %q %v", name, line, err)
	}
	t.Cleanup(func() {
		_ = in.Close()
		if cmd.ProcessState == nil {
			_ = cmd.Process.Kill()
			_ = cmd.Wait()
		}
	})
	return cmd
}

// ready tells startHelper that the helper is at work.
func ready() { _, _ = os.Stdout.WriteString("ready\n") }

// longTests asks for the long form of the race and crash tests.
func longTests() bool { return os.Getenv("BAILEY_LONG") == "1" }

// engines are tested alike.
func engines(t *testing.T, test func(t *testing.T, e Engine)) {
	for _, e := range []Engine{EngineOpenat2, EngineOSRoot} {
		t.Run(e.String(), func(t *testing.T) { test(t, e) })
	}
}

// fastDir is a directory for one test, in memory where that is to be had. Its
// path has no links.
func fastDir(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("/dev/shm", "bailey-test-")
	if err != nil {
		dir = t.TempDir()
	} else {
		t.Cleanup(func() { _ = os.RemoveAll(dir) })
	}
	if dir, err = filepath.EvalSymlinks(dir); err != nil {
		t.Fatal(err)
	}
	return dir
}
