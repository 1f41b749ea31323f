package bailey

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
)

// notifyTime is what the operator's notifier has to do its work.
const notifyTime = 10 * time.Second

// trustedPath is where a notifier without a directory is looked for, and its PATH.
// An agent can't write there, whatever PATH says.
const trustedPath = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin"

// notifyEnv are the variables that a notifier may need: who it runs for, in which
// language, and how it reaches a desktop.
var notifyEnv = []string{
	"HOME", "USER", "LOGNAME", "LANG", "LC_ALL", "TZ",
	"DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "XDG_RUNTIME_DIR", "DBUS_SESSION_BUS_ADDRESS",
}

// notifiers are the notifiers that run. They end with the session.
type notifiers struct {
	mu   sync.Mutex
	ctx  context.Context
	end  context.CancelFunc
	busy sync.WaitGroup
}

// start runs f with a context that ends with the session.
func (n *notifiers) start(f func(context.Context)) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx == nil {
		n.ctx, n.end = context.WithCancel(context.Background())
	}
	ctx := n.ctx
	n.busy.Go(func() { f(ctx) })
}

func (n *notifiers) close() {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.ctx != nil {
		n.end()
		n.busy.Wait()
	}
}

// notify runs the operator's notifier. That it fails is no reason to hold up a call.
func (b *Bailey) notify(e approval.Entry) {
	argv := b.config.Approval.Notify
	if len(argv) == 0 {
		return
	}
	b.notifiers.start(func(ctx context.Context) {
		if err := b.runNotifier(ctx, argv, e); err != nil && !errors.Is(err, context.Canceled) {
			slog.WarnContext(ctx, "[approval] notify failed", "approval", e.ID, "error", err)
		}
	})
}

func (b *Bailey) runNotifier(ctx context.Context, argv []string, e approval.Entry) error {
	program, err := b.notifier(argv[0])
	if err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, notifyTime)
	defer cancel()
	// The ID begins with no dash, and the others stand behind it.
	args := append(append([]string{}, argv[1:]...), e.ID, e.Workspace, review.Summary(e))
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Args[0] = argv[0]
	cmd.Dir = "/"
	cmd.Env = []string{"PATH=" + trustedPath}
	for _, name := range notifyEnv {
		if value := b.opts.Env(name); value != "" {
			cmd.Env = append(cmd.Env, name+"="+value)
		}
	}
	ownGroup(cmd)
	err = cmd.Run()
	if errors.Is(ctx.Err(), context.DeadlineExceeded) {
		return fmt.Errorf("%s took longer than %v and was ended", argv[0], notifyTime)
	}
	return err
}

// notifier finds the program: at an absolute path, or by name in the system's
// directories; never at a place that an agent can write.
func (b *Bailey) notifier(name string) (string, error) {
	program := name
	switch {
	case !strings.Contains(name, "/"):
		if program = lookTrusted(name); program == "" {
			return "", fmt.Errorf("%s is not in %s; name it by its absolute path", name, trustedPath)
		}
	case !filepath.IsAbs(name):
		return "", fmt.Errorf("%s is neither an absolute path nor a bare name", name)
	}
	real, err := filepath.EvalSymlinks(program)
	if err != nil {
		return "", err
	}
	for _, f := range b.space.Jail().Folders() {
		if real == f.Real || strings.HasPrefix(real, strings.TrimSuffix(f.Real, "/")+"/") {
			return "", fmt.Errorf("%s lies in a folder of the agent's (%s)", name, f.Real)
		}
	}
	return real, nil
}

func lookTrusted(name string) string {
	for _, dir := range filepath.SplitList(trustedPath) {
		program := filepath.Join(dir, name)
		if info, err := os.Stat(program); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return program
		}
	}
	return ""
}
