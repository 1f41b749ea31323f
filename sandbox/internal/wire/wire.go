// Package wire is what the launcher of a sandbox, its keeper and the helper inside
// say to each other. Keeper and helper are the launcher's executable once more and
// run before the rest of it is initialised, so that this package imports little.
package wire

import (
	"os"
	"strconv"
)

// How the executable knows that it is a helper: os.Args[0] and, inside, os.Args[1].
// Inside it is executed by descriptor, so that no path has to lead to it.
const (
	KeeperName = "bailey-keeper"
	KeeperOwn  = "own" // os.Args[1]: with namespaces of its own; else
	KeeperBare = "alone"
	InnerPath  = "/proc/self/fd/4"
	InnerName  = "bailey-inner"
	InnerAgain = "bailey-inner-restricted" // the second start, where one does not do
)

// Descriptors that helpers are started with.
const (
	KeeperSocket = 3

	InnerControl = 3
	InnerExe     = 4
	BackendArgs  = 5
)

// InnerEnv is the helper's variable and its value: without garbage collection it needs
// no new thread where a command has used up all of them.
var InnerEnv = [2]string{"GOGC", "off"}

// Own is the directory inside that belongs to the helper.
const Own = "/run/bailey"

// Staged is where the back end mounts a folder, from where the helper moves it to
// its place.
func Staged(folder int) string { return Own + "/" + strconv.Itoa(folder) }

// Setup is the first message to the helper: the walls.
type Setup struct {
	Outside  []string // namespaces of the launcher and the keeper, none of which may be one inside
	Pinned   []string // directories to be made, and bound onto themselves
	Folders  []Folder
	Covers   []Cover
	Files    []File
	Writable []string // below these a command may write
	Filter   []byte   // of system calls: struct sock_filter
}

// Folder is a staged directory, or file, and the place where it belongs.
type Folder struct {
	Path     string
	Dev, Ino uint64
	File     bool
	Within   bool // below another folder: then its place is there already, and is it itself
}

// File is made in the sandbox's root, as are the directories above it.
type File struct {
	Path    string
	Content []byte
	Mode    uint32 // with unix.S_IFDIR it is a directory
	Over    bool   // it is mounted over one that is there
}

// Cover is sandbox.Cover.
type Cover struct {
	Folder   int
	Rel      string
	Kind     uint8
	Dev, Ino uint64
	Target   string
}

// Rlimit is for setrlimit(2), soft and hard.
type Rlimit struct {
	Resource int
	Value    uint64
}

// Check is the second message: what the launcher wants to know about the walls.
type Check struct {
	Hidden    []string // to be opened
	Unwritten []string // directories, to make a file without a name in
	Same      []string // whose identity is asked
}

// Evidence is what the walls look like from inside.
type Evidence struct {
	PID        int
	Namespaces []string   // what /proc/self/ns/NAME says, in the order of Namespaces
	Threads    [][]string // of each thread, the values of StatusLines
	MountInfo  string
	Opened     []string // of Check.Hidden
	Written    []string // of Check.Unwritten
	Identity   []Inode  // of Check.Same; zero where there is nothing
	Landlock   int      // its ABI, if it is on
	UserMax    string   // /proc/sys/user/max_user_namespaces
}

// Namespaces are the kinds that a sandbox has of its own.
var Namespaces = []string{"user", "mnt", "pid", "ipc", "uts", "net", "cgroup"}

// OwnNamespaces are the identities of the calling process's.
func OwnNamespaces() ([]string, error) {
	ids := make([]string, len(Namespaces))
	for i, name := range Namespaces {
		var err error
		if ids[i], err = os.Readlink("/proc/self/ns/" + name); err != nil {
			return nil, err
		}
	}
	return ids, nil
}

// StatusLines are the lines of /proc/self/status that tell of privileges.
var StatusLines = []string{"CapInh", "CapPrm", "CapEff", "CapBnd", "CapAmb", "NoNewPrivs", "Seccomp"}

// Inode identifies an object.
type Inode struct{ Dev, Ino uint64 }

// Command is the third message, after which the command starts.
type Command struct {
	Argv, Env  []string
	Path       []string // directories of programs
	Dir        string
	Terminal   bool
	Rows, Cols uint16
	Rlimits    []Rlimit
}

// Message is one step of the talk between launcher and helper.
type Message struct {
	Setup    *Setup
	Check    *Check
	Evidence *Evidence
	Command  *Command
	Failure  *Failure
	Exit     *Exit
	Terminal bool // the terminal's other end comes along
	Signal   int  // for all inside
}

// Failure is a step of the set-up that went wrong.
type Failure struct {
	Step, Detail string
	Changed      bool // an object is not the one that was meant
}

// Exit is how the command ended.
type Exit struct {
	Code    int
	Signal  int    // that ended it
	Missing string // why it could not be executed
	CPU     int64  // microseconds
	MaxRSS  int64  // kibibytes
}
