package shellscan

// Dialect is the language that a text is read in. It must be that of the shell
// which runs the text.
type Dialect uint8

const (
	POSIX Dialect = iota // sh: dash or BusyBox ash
	Bash                 // bash, not in POSIX mode
)

// Input is a command to read.
type Input struct {
	Command string // a shell text, run as by `sh -c`; used where Argv is nil
	Dialect Dialect
	Argv    []string // a program and its arguments, run without a shell
	Env     []string // names of the variables that the call sets for the command
	Stdin   bool     // the call gives the command something to read
}

// Reading is what a command would do.
type Reading struct {
	Programs  []Program
	Redirects []Redirect
	// Dynamic holds the reasons why the reading may not be complete: what runs
	// is decided only at the run, or could not be understood. Empty means that
	// Programs and Redirects are all there is.
	Dynamic []Reason
}

// Complete reports whether all that the command would run is known.
func (r *Reading) Complete() bool { return len(r.Dynamic) == 0 }

// Reason is one cause for which a reading may not be complete.
type Reason struct {
	Text     string
	Position Position
}

// Position is a place in the command, counted from 1, columns in bytes. It is
// zero for an argument list. What lies in a nested text, such as that of sh -c,
// has the place of the command around it.
type Position struct{ Line, Column uint }

// Program is one program that would be run.
type Program struct {
	Name string // as written, with quotes resolved; "" where it isn't known
	Args []Arg
	Env  []Assignment // what is set for this program alone
	Via  []string     // the programs that run it, outermost first
	// Builtin marks a command that the shell carries out itself. A program of
	// the same name is not run.
	Builtin bool
	// Inert marks a builtin that only arranges things within the shell (cd, echo,
	// test, exec, …), and the cat of `$(cat <<'X'`, which copies a text that the
	// command holds. What these run or write is listed of its own.
	Inert bool
	// Guess marks what may well be run: it stands where the program before it,
	// of which not enough is known, could take a command. The reading is not
	// complete then.
	Guess bool
	// Options is the number of leading Args that are git's global options.
	Options int
	Source  Source
	Scripts []string // files named in the arguments whose content is executed
	Danger  Danger
	// Position is where the command starts that runs it.
	Position Position
}

// Assignment sets a variable in the environment of a program.
type Assignment struct {
	Name  string
	Value Arg
}

// Arg is one argument, or several where the run decides how many there are.
type Arg struct {
	Kind Kind
	Text string // the argument of a Literal, else how it is written
	path bool   // a path that the run makes up, and that can't be an option
}

// Kind tells how much is known of an argument.
type Kind uint8

const (
	Literal Kind = iota // exactly Text
	One                 // one argument that only the run decides: "$x", ~/dir
	Glob                // the files that match Text, or Text itself
	Many                // any number of arguments that only the run decides: $x, "$@"
)

// Source is where a program that executes what it is given takes it from.
type Source uint8

const (
	NoSource Source = iota
	Inline          // an argument holds the code: python -c …
	File            // a file: sh x.sh, make, npm test
	Stream          // standard input
)

// Redirect is a file that the shell opens for a command.
type Redirect struct {
	Path     string
	Home     bool // Path starts with ~/, or is ~
	Read     bool
	Write    bool // the file is made, emptied or appended to
	Position Position
}

// Danger is the kind of harm that a command is known for. The zero value is none.
type Danger string

const (
	Privileges  Danger = "privileges"  // sudo, su, set-user-ID bits, accounts
	Disk        Danger = "disk"        // file systems and partitions
	Power       Danger = "power"       // shutdown, reboot
	Mounts      Danger = "mounts"      // mount, swapon
	Kernel      Danger = "kernel"      // modules, sysctl, packet filters
	Namespaces  Danger = "namespaces"  // container engines, other namespaces
	Persistence Danger = "persistence" // cron, at, services
	KillAll     Danger = "kill-all"    // signals to every process
	ForkBomb    Danger = "fork-bomb"
	Roots       Danger = "roots"    // recursive deletion or change of / or a home
	Download    Danger = "download" // what comes from the network is executed
)

// Dangers returns all kinds of danger.
func Dangers() []Danger {
	return []Danger{
		Privileges, Disk, Power, Mounts, Kernel, Namespaces, Persistence, KillAll, ForkBomb, Roots, Download,
	}
}
