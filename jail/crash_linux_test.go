package jail

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"
)

// sealed is a content that tells whether it is whole: its own checksum first.
func sealedContent(r *rand.Rand, size int) []byte {
	body := make([]byte, size)
	for i := range body {
		body[i] = byte('a' + r.IntN(26))
	}
	sum := sha256.Sum256(body)
	return append([]byte(hex.EncodeToString(sum[:])+"\n"), body...)
}

func checkSealed(content []byte) error {
	sum, body, _ := bytes.Cut(content, []byte("\n"))
	if want := sha256.Sum256(body); string(sum) != hex.EncodeToString(want[:]) {
		return fmt.Errorf("%d bytes that are not whole", len(content))
	}
	return nil
}

// crashFiles are the files that the crasher writes; the even ones are small.
const crashFiles = 4

func crashSize(file int) int { return []int{100, 256 << 10}[file%2] }

// crasherMain replaces files, by plain writes and by compare-and-swap, until it
// is killed.
func crasherMain(args []string) {
	seed, _ := strconv.ParseUint(args[1], 10, 64)
	engine := EngineOpenat2
	if args[2] == EngineOSRoot.String() {
		engine = EngineOSRoot
	}
	j, err := New(args[0], WithEngine(engine), WithoutSync())
	if err != nil {
		fmt.Println(err)
		return
	}
	ready()
	r := rand.New(rand.NewPCG(seed, 1))
	for i := 0; ; i++ {
		file := r.IntN(crashFiles)
		name, content := strconv.Itoa(file), sealedContent(r, crashSize(file))
		if i%2 == 0 {
			err = j.WriteFile(name, content, 0o640)
		} else {
			err = edit(j, name, func([]byte) []byte { return content })
		}
		if err != nil {
			fmt.Fprintln(os.Stderr, "crasher:", err)
			return
		}
	}
}

// edit is one compare-and-swap: read, make the new content, replace what was
// read and nothing else.
func edit(j *Jail, name string, change func(old []byte) []byte) error {
	ctx := context.Background()
	old, err := j.ReadFile(name)
	if err != nil {
		return err
	}
	o, err := j.Resolve(ctx, name, Target)
	if err != nil {
		return err
	}
	defer func() { _ = o.Close() }()
	content := change(old)
	_, err = o.Replace(ctx, ReplaceOptions{Verify: func(f *File) error {
		now, err := f.ReadAll()
		if err == nil && !bytes.Equal(now, old) {
			err = ErrChanged
		}
		return err
	}}, func(w io.Writer) error {
		_, err := w.Write(content)
		return err
	})
	return err
}

// TestCrash kills a writer at random moments. Whatever it was at, each file is an
// old or a new content, whole, and a sweep leaves nothing else behind.
func TestCrash(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		kills := 30
		if e == EngineOSRoot {
			kills = 10
		}
		if longTests() {
			kills *= 25
		}
		dir := fastDir(t)
		r := rand.New(rand.NewPCG(1, 2))
		for i := range crashFiles {
			if err := os.WriteFile(filepath.Join(dir, strconv.Itoa(i)), sealedContent(r, crashSize(i)), 0o640); err != nil {
				t.Fatal(err)
			}
		}
		left := 0
		for kill := 0; kill < kills || left == 0 && kill < 100*kills; kill++ {
			victim := startHelper(t, "crasher", dir, strconv.Itoa(kill), e.String())
			time.Sleep(time.Duration(r.IntN(10_000)) * time.Microsecond)
			_ = victim.Process.Kill()
			_ = victim.Wait()
			if victim.ProcessState.Exited() {
				t.Fatal("the writer ended by itself")
			}
			left += checkCrash(t, dir, e)
			if t.Failed() {
				return
			}
		}
		t.Logf("%d kills left %d temporary files, all swept", kills, left)
		if left == 0 {
			t.Error("no kill hit a write")
		}
	})
}

// checkCrash looks at what a crash left and tells how many files were swept.
func checkCrash(t *testing.T, dir string, e Engine) (swept int) {
	t.Helper()
	j, err := New(dir, WithEngine(e))
	if err != nil {
		t.Fatal(err)
	}
	defer j.Close()
	if swept, err = j.Sweep(context.Background()); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != crashFiles {
		t.Errorf("after the sweep: %v %v", entries, err)
	}
	for _, entry := range entries {
		content, err := os.ReadFile(filepath.Join(dir, entry.Name()))
		if err == nil {
			err = checkSealed(content)
		}
		if err != nil {
			t.Errorf("%s: %v", entry.Name(), err)
		}
		if fi, err := entry.Info(); err != nil || fi.Mode() != 0o640 {
			t.Errorf("%s: %v %v", entry.Name(), fi.Mode(), err)
		}
	}
	return swept
}

// TestSweepSparesTheLiving: a sweep beside a writer at work disturbs nothing.
func TestSweepSparesTheLiving(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		dir := fastDir(t)
		j, err := New(dir, WithEngine(e), WithoutSync())
		if err != nil {
			t.Fatal(err)
		}
		defer j.Close()
		ctx := context.Background()
		sweep := func(want int) {
			t.Helper()
			other, err := New(dir, WithEngine(e))
			if err != nil {
				t.Fatal(err)
			}
			defer other.Close()
			if n, err := other.Sweep(ctx); n != want || err != nil {
				t.Errorf("swept %d, want %d: %v", n, want, err)
			}
		}
		if err := os.WriteFile(filepath.Join(dir, tempPrefix+strings.Repeat("0", tempRandom)), nil, 0o600); err != nil {
			t.Fatal(err)
		}
		o, err := j.Resolve(ctx, "f", Target)
		if err != nil {
			t.Fatal(err)
		}
		defer o.Close()
		_, err = o.Replace(ctx, ReplaceOptions{}, func(w io.Writer) error {
			sweep(1) // what the dead left, not what is being written
			return writeString("whole")(w)
		})
		if err != nil {
			t.Fatal(err)
		}
		_, err = o.Replace(ctx, ReplaceOptions{Verify: func(*File) error {
			sweep(0) // the old file has a temporary name now
			return ErrChanged
		}}, writeString("other"))
		if !errors.Is(err, ErrChanged) {
			t.Error(err)
		}
		if content, err := j.ReadFile("f"); string(content) != "whole" {
			t.Errorf("%q %v", content, err)
		}
	})
}

// A counter file holds the epoch, which the outsider sets, and the count, which
// the counters add to. The outsider knows nothing of locks: it replaces the file
// by a plain rename, with the next epoch and a count of zero.
//
// Among the counters no increment may be lost. The outsider's epochs must not be
// lost either: once it has set one, the file never again shows an older one (but
// for the moment in which a compare-and-swap is being undone). What a counter
// added right before the outsider's rename is gone with the old epoch: that is
// the outsider's doing.
func parseCounter(content []byte) (epoch, count int) {
	_, _ = fmt.Sscanf(string(content), "epoch %d count %d\n", &epoch, &count)
	return epoch, count
}

func formatCounter(epoch, count int) []byte {
	return fmt.Appendf(nil, "epoch %d count %d\n", epoch, count)
}

// counterMain adds to the counter so many times.
func counterMain(args []string) {
	j, err := New(args[0], WithoutSync())
	if err != nil {
		fmt.Println(err)
		return
	}
	ready()
	times, _ := strconv.Atoi(args[1])
	for done := 0; done < times; {
		err := edit(j, "counter", func(old []byte) []byte {
			epoch, count := parseCounter(old)
			return formatCounter(epoch, count+1)
		})
		switch {
		case err == nil:
			done++
		case !errors.Is(err, ErrChanged):
			fmt.Fprintln(os.Stderr, "counter:", err)
			os.Exit(1)
		}
	}
}

// outsiderMain sets one epoch after the other and, before each, makes sure that
// the one before is still there.
func outsiderMain(args []string) {
	name, temp := filepath.Join(args[0], "counter"), filepath.Join(args[0], "outsider")
	epochs, _ := strconv.Atoi(args[1])
	ready()
	for next := 1; next <= epochs; next++ {
		if !epochIs(name, next-1) {
			fmt.Fprintf(os.Stderr, "outsider: epoch %d was lost\n", next-1)
			os.Exit(1)
		}
		if os.WriteFile(temp, formatCounter(next, 0), 0o644) != nil || os.Rename(temp, name) != nil {
			os.Exit(1)
		}
		if next%3 == 0 { // else at once again, into the undoing of a swap
			time.Sleep(time.Millisecond)
		}
	}
}

// epochIs waits a while: a compare-and-swap that is just being undone shows the
// older epoch for a moment.
func epochIs(name string, want int) bool {
	for range 500 {
		content, err := os.ReadFile(name)
		if epoch, _ := parseCounter(content); err == nil && epoch == want {
			return true
		}
		time.Sleep(time.Millisecond)
	}
	return false
}

func TestCompareAndSwap(t *testing.T) {
	times, epochs := 200, 100
	if longTests() {
		times, epochs = 5000, 4000
	}
	start := func(t *testing.T) (dir string, counters []*exec.Cmd) {
		dir = fastDir(t)
		if err := os.WriteFile(filepath.Join(dir, "counter"), formatCounter(0, 0), 0o644); err != nil {
			t.Fatal(err)
		}
		for range 4 {
			counters = append(counters, startHelper(t, "counter", dir, strconv.Itoa(times)))
		}
		return dir, counters
	}
	finish := func(t *testing.T, dir string, cmds ...*exec.Cmd) (epoch, count int) {
		for _, cmd := range cmds {
			if err := cmd.Wait(); err != nil {
				t.Errorf("%v", err)
			}
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 {
			t.Errorf("left: %v %v", entries, err)
		}
		content, err := os.ReadFile(filepath.Join(dir, "counter"))
		if err != nil {
			t.Fatal(err)
		}
		return parseCounter(content)
	}
	t.Run("among ourselves", func(t *testing.T) {
		dir, counters := start(t)
		if _, count := finish(t, dir, counters...); count != 4*times {
			t.Errorf("count %d, want %d", count, 4*times)
		}
	})
	t.Run("with an outsider", func(t *testing.T) {
		dir, counters := start(t)
		outsider := startHelper(t, "outsider", dir, strconv.Itoa(epochs))
		if epoch, _ := finish(t, dir, append(counters, outsider)...); epoch != epochs {
			t.Errorf("epoch %d, want %d", epoch, epochs)
		}
	})
}
