package covers

// Cover and the kinds stand in for those of package sandbox.
type Cover struct {
	Folder   int
	Rel      string
	Kind     CoverKind
	Dev, Ino uint64
	Target   string
}

type CoverKind uint8

const (
	Mask CoverKind = iota
	ReadOnly
	Pin
	Link
)
