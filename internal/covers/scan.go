package covers

import "github.com/baileyhq/bailey/sandbox"

// A Place is where an object lies.
type Place struct {
	Folder int    // the number of the allowed folder, as jail.Folders counts them
	Rel    string // the path below it, "." for the folder itself
	Real   string // the absolute real path
}

// A Scan is what one scan has found. It is shared and must not be changed.
type Scan struct {
	// Covers are in the order in which they are to be mounted. Folder counts as
	// jail.Folders does. A cover of a link is for the link itself.
	Covers []sandbox.Cover
	// Guarded are the names that would have to be taken away again if a command
	// had made them, by path.
	Guarded []Guarded
	// Repositories are the directories that git takes for one, those of
	// submodules and linked work trees included, by path.
	Repositories []Repository
	// Locks are the lock files in repositories.
	Locks []Place
	// Sealed are directories that can't be listed: they are masked.
	Sealed []Place
}

// Reason tells why a name is guarded.
type Reason uint8

// The reasons.
const (
	Protected Reason = iota // the policy protects the name, or a rule denies changing it
	GitDir                  // git takes the directory for a repository
	Hooks                   // git runs hooks from it
)

// Guarded is an object whose name must not come into being by a command.
type Guarded struct {
	Place
	Reason Reason
	Rule   string // of the policy; "" for Hooks
	Dir    bool
}

// A Repository is a directory that git takes for one.
type Repository struct {
	Place
	// Named is set for a directory that is called .git, which belongs to the work
	// tree that holds it.
	Named bool
	// Held is set where the repository is read-only as a whole.
	Held bool
}

// shape is the set of names by which git knows a repository.
type shape uint8

const (
	hasHead shape = 1 << iota
	hasObjects
	hasRefs
	hasCommondir
)

func (s shape) complete() bool {
	return s&hasHead != 0 && (s&hasCommondir != 0 || s&hasObjects != 0 && s&hasRefs != 0)
}
