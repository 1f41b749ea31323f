package sandbox

import (
	"context"
	"os"
	"os/user"
	"strings"
	"sync"
	"time"

	"github.com/baileyhq/bailey/sandbox/internal/system"
)

// Names of back ends.
const (
	Auto       = "auto" // bubblewrap, else firejail
	Bubblewrap = "bubblewrap"
	Firejail   = "firejail"
)

// Options of a Sandbox.
type Options struct {
	Backend string // Auto, or one by its name: then no other is tried; "" is Auto
	TmpSize int64  // bytes of the session's /tmp; 0 is DefaultTmpSize
	Home    string // HOME inside: an empty read-only directory, unless a folder lies below it; "" is "/"
	Unsafe  bool   // run without walls where no back end can be used; each Report says so
}

// DefaultTmpSize is the size of /tmp if Options says none, in bytes.
const DefaultTmpSize = 1 << 30

// Sandbox runs the commands of one session. It may be used by several goroutines.
type Sandbox struct {
	options Options
	find    func(program string) (string, error)
	account system.Account
	alone   bool // for tests: the keeper does without namespaces of its own

	mu     sync.Mutex
	keeper *keeper
	closed bool
}

// TmpNotShared is the gap that each run has a /tmp of its own: the host allows this
// program no namespaces, but only the back end.
const TmpNotShared = "tmp_not_shared"

// Probe is what a back end offers on this host.
type Probe struct {
	Backend   string
	Path      string // of its program; "" if there is none to trust
	Version   string
	Usable    bool // a command ran, and its walls were attested
	Guarantee string
	Layers    []string
	Gaps      []string
	Took      time.Duration // for that command
	Err       error         // why it can't be used
}

// New makes a Sandbox. It starts nothing: see [Sandbox.Start].
func New(o Options) (*Sandbox, error) {
	switch o.Backend {
	case "":
		o.Backend = Auto
	case Auto, Bubblewrap, Firejail:
	default:
		return nil, refused("there is no back end called " + o.Backend)
	}
	if o.TmpSize <= 0 {
		o.TmpSize = DefaultTmpSize
	}
	if o.Home == "" {
		o.Home = "/"
	}
	if err := absolute("HOME", o.Home); err != nil {
		return nil, err
	}
	return &Sandbox{options: o, find: findTrusted, account: currentAccount(o.Home)}, nil
}

// currentAccount is the user that commands run as: the present one.
func currentAccount(home string) system.Account {
	a := system.Account{Name: "user", Shell: "/bin/sh", Home: home}
	if u, err := user.Current(); err == nil && !strings.ContainsAny(u.Username, ":\n\x00") {
		a.Name = u.Username
	}
	return a
}

// Start starts what keeps the session's sandboxes, which the first Run or Tmp would
// do otherwise. It can be called early, from a goroutine of its own, to save time.
func (s *Sandbox) Start(ctx context.Context) error {
	_, err := s.keeperOf(ctx)
	return err
}

// Close ends every command that still runs and removes the session's /tmp. When it
// returns nothing is left of them.
func (s *Sandbox) Close() error {
	s.mu.Lock()
	k := s.keeper
	s.keeper, s.closed = nil, true
	s.mu.Unlock()
	if k != nil {
		k.close()
	}
	return nil
}

// Run runs a command and waits for its end, however that comes about. An error
// says that nothing ran: an [*Error], or the context's. When the context ends, all
// of the command's processes get SIGTERM, and [Grace] later SIGKILL; the Report
// tells. Nothing of a command is left when Run returns.
func (s *Sandbox) Run(ctx context.Context, spec Spec) (*Report, error) {
	return s.run(ctx, &spec)
}

// Tmp is the directory that commands of this session see as /tmp, to be closed by
// the caller. ok is false where the host does not allow to share it; then each run
// has its own.
func (s *Sandbox) Tmp(ctx context.Context) (dir *os.File, ok bool, err error) {
	k, err := s.keeperOf(ctx)
	if err != nil || k.tmp == nil {
		return nil, false, err
	}
	dir, err = duplicate(k.tmp)
	return dir, err == nil, err
}
