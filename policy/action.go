package policy

import (
	"fmt"

	"github.com/baileyhq/bailey/internal/nearest"
)

// Action is what a rule asks for. Actions are ordered by strictness: of two
// that apply, the greater counts.
type Action uint8

const (
	Allow      Action = iota // the access may happen
	Supervised               // a human is asked first
	Deny                     // the access is refused
)

var actionNames = [...]string{Allow: "allow", Supervised: "supervised", Deny: "deny"}

// String returns the name that configurations use.
func (a Action) String() string {
	if int(a) < len(actionNames) {
		return actionNames[a]
	}
	return fmt.Sprintf("action(%d)", uint8(a))
}

// ParseAction reads the name of an action, exactly as String writes it.
// The error is an [*ActionError] that knows the nearest valid name.
func ParseAction(s string) (Action, error) {
	for i, name := range actionNames {
		if s == name {
			return Action(i), nil
		}
	}
	return Deny, &ActionError{Value: s, Nearest: nearest.Of(s, actionNames[:])}
}

// MarshalText implements [encoding.TextMarshaler].
func (a Action) MarshalText() ([]byte, error) {
	if int(a) >= len(actionNames) {
		return nil, &ActionError{Value: a.String()}
	}
	return []byte(actionNames[a]), nil
}

// UnmarshalText implements [encoding.TextUnmarshaler]. On an error the value
// is left as it was.
func (a *Action) UnmarshalText(text []byte) error {
	parsed, err := ParseAction(string(text))
	if err != nil {
		return err
	}
	*a = parsed
	return nil
}

// Effect is the set of things that an access does to its object.
type Effect uint8

const (
	Reveal Effect = 1 << iota // content becomes known to the agent
	Change                    // the object is made, written, removed or moved
	List                      // its name and metadata become known
)
