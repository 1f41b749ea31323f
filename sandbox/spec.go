package sandbox

import (
	"io"
	"os"
	"time"
)

// Spec says what to run, and within which walls. Run does not keep it.
type Spec struct {
	Argv []string // the program and its arguments; no shell reads them again
	Dir  string   // where it starts: an absolute path inside
	Env  []string // KEY=VALUE, on top of the base environment; the last of a key counts

	// Stdin is read by a goroutine; nil is an empty input. Run does not wait for a
	// Read that goes on when the command has ended. Stdout and Stderr are written by
	// one goroutine each, also where they are equal; nil throws the output away.
	// The command holds pipes, never these files themselves.
	Stdin          io.Reader
	Stdout, Stderr io.Writer
	Terminal       *Terminal // if not nil, all three streams are a terminal, made inside

	Folders  []Folder // of the host, at their own paths; one may lie below another
	Covers   []Cover  // in the order in which they are mounted
	Files    []File   // that the sandbox brings along
	ReadOnly []string // more directories of the host, read-only, by real path; on PATH with their bin
	Paths    []string // at the end of PATH: directories of programs that the workspace brings along

	Cache string // a directory in a writable folder that caches of tools are pointed to; "" for none

	// Hidden are paths of the host that must be out of reach inside. It is attested.
	Hidden []string

	Limits  Limits
	Network string // "off" or ""; anything else is refused
}

// A Terminal is a pseudo-terminal within the sandbox. What the command writes goes
// to Spec.Stdout, what Spec.Stdin yields is typed.
type Terminal struct {
	Size   Size
	Resize <-chan Size // further sizes; may be nil
}

// Size is that of a terminal, in characters.
type Size struct{ Rows, Cols uint16 }

// A Folder is a directory of the host that a command sees at its own path.
type Folder struct {
	Path     string   // the real path
	Dir      *os.File // that directory, opened without following links; it is this object that is mounted
	Writable bool
}

// CoverKind says what a cover does.
type CoverKind uint8

// The kinds of covers.
const (
	Mask     CoverKind = iota // opening it fails with EACCES, a file or a directory
	ReadOnly                  // the object itself, read-only
	Pin                       // the object itself, bound onto itself, so that its name stays
	Link                      // a symbolic link to Target stands in its place
)

// A Cover is something in a folder that is not as the rest of the folder. A
// command can't move, remove or replace what is covered, nor the cover.
type Cover struct {
	Folder   int       // index in Spec.Folders
	Rel      string    // the path below the folder, without links
	Kind     CoverKind //
	Dev, Ino uint64    // of the object that must be found there, as stat(2) gives them
	Target   string    // of a Link
}

// A File is a file that the sandbox brings along, outside of the folders. Missing
// directories above it are made; in /etc only what the sandbox has there can be
// replaced, such as /etc/gitconfig.
type File struct {
	Path     string
	Content  []byte
	Source   *os.File // if not nil, this file or directory of the host is mounted, in place of Content
	Mode     os.FileMode
	Writable bool // with Source only
}

// Limits bound a command; a zero is no bound of ours.
type Limits struct {
	Wall      time.Duration // of the whole run
	CPU       time.Duration // of one process
	Memory    int64         // bytes of private data of one process
	Processes int           // threads included
	FileSize  int64         // bytes of one file
	OpenFiles int           // of one process; at least 32
}

// A Report tells what became of a command.
type Report struct {
	ExitCode int           // 128+n for signal n; 127 where the program is absent, 126 where it can't be executed
	Signal   string        // such as "SIGKILL"; "" if it exited
	Missing  bool          // the program is absent or can't be executed; ExitCode is ours
	TimedOut bool          // Limits.Wall ended it
	Canceled bool          // the context ended it
	Duration time.Duration // from the command's start to its end

	CPUTime time.Duration // user and system, of the command and of what it waited for
	MaxRSS  int64         // bytes, of the largest process

	Backend   string   // "bubblewrap", "firejail" or "none"
	Guarantee string   // Full, Reduced or None
	Layers    []string // the walls that were attested, by name
	Gaps      []string // what is missing, for a guarantee that is not full
}

// The guarantees.
const (
	Full    = "full"
	Reduced = "reduced"
	None    = "none"
)
