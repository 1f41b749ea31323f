package gitguard

// A Report tells what was found after a run.
type Report struct {
	Quarantined []Item
	LeftLocks   []string // real paths, sorted
}

// An Item is one thing that was taken away or put back.
type Item struct {
	Path   string `json:"path"` // the real path
	Reason string `json:"reason"`
	To     string `json:"to,omitempty"` // where what was taken away is kept
}
