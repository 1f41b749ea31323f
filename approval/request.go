package approval

import (
	"encoding/json"
	"time"
)

// State is where a request is on its way.
type State string

// The states.
const (
	Pending   State = "pending"
	Approved  State = "approved"
	Executed  State = "executed" // the approval was used
	Denied    State = "denied"
	Expired   State = "expired" // nobody answered, or nobody used the approval, in time
	Cancelled State = "cancelled"
)

// Scope is what an approval covers.
type Scope string

// The scopes.
const (
	Once    Scope = "once"    // the one call that was asked about
	Session Scope = "session" // it, and what has the same Grant in the same session
)

// Request is what a human is asked.
type Request struct {
	Digest  string // of exactly this call: equal ones are one request
	Grant   string // of what a decision for the session covers; "": can't be given for a session
	Session string // of the caller, as the runtime knows it

	Principal, Group, Workspace, Task string
	Tool, Op, Rule, Message, Command  string

	Paths   []string        // real paths; a path holds no NUL
	Details json.RawMessage // all else that a human is shown; opaque here
}

// Entry is a request and what became of it.
type Entry struct {
	ID string
	Request
	State   State
	Scope   Scope // of an approval
	Created time.Time
	Expires time.Time // of a pending request or of an approval; zero: never
	Decided time.Time // zero while pending
	By      string    // who decided
	Reason  string    // why it was denied
	Joined  int       // how many equal calls attached to it
	Fresh   bool      // it was made by the very Submit that returned it
}

// Decision is what a human says.
type Decision struct {
	Approve bool
	Scope   Scope // of an approval; "" is Once
	By      string
	Reason  string // of a denial, told to the agent
}

// Filter chooses requests. The zero value takes all.
type Filter struct {
	States    []State
	Workspace string
	Limit     int  // the newest so many; 0: all
	Brief     bool // without their Details, which may be large
}
