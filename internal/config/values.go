package config

import (
	"fmt"
	"math"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// Action is what a policy answers.
type Action string

// The actions of tool policy, rules and default_action.
const (
	Allow      Action = "allow"
	Deny       Action = "deny"
	Supervised Action = "supervised"
)

// FolderMode says what may be done in an allowed folder.
type FolderMode string

// The modes of an allowed folder.
const (
	Read  FolderMode = "read"
	Write FolderMode = "write"
)

// HardLinks says what becomes of reading a file with more than one link.
type HardLinks string

// The values of hard_links.
const (
	HardLinksRead HardLinks = "read"
	HardLinksDeny HardLinks = "deny"
)

// Backend names the isolation program.
type Backend string

// The values of sandbox_backend. BackendAuto tries bubblewrap, then firejail.
const (
	BackendAuto       Backend = "auto"
	BackendBubblewrap Backend = "bubblewrap"
	BackendFirejail   Backend = "firejail"
)

// OnFailure says what becomes of a call whose audit record can't be written.
type OnFailure string

// The values of on_failure.
const (
	FailDeny     OnFailure = "deny"
	FailContinue OnFailure = "continue"
)

// Unattended says what becomes of a request that nobody is there to answer.
type Unattended string

// The values of unattended.
const (
	UnattendedWait Unattended = "wait"
	UnattendedDeny Unattended = "deny"
)

// Network is how far a command may reach.
type Network string

// The network modes.
const (
	NetworkOff   Network = "off"
	NetworkAllow Network = "allow"
	NetworkFull  Network = "full"
	NetworkHost  Network = "host"
)

// Op is an operation that a task type grants.
type Op string

// The operations.
const (
	OpRead    Op = "read"
	OpList    Op = "list"
	OpWrite   Op = "write"
	OpMkdir   Op = "mkdir"
	OpDelete  Op = "delete"
	OpExec    Op = "exec"
	OpInstall Op = "install"
)

// enums lists the valid values of each enumerated type, in the order shown.
var enums = map[reflect.Type][]string{
	reflect.TypeFor[Action]():     {"allow", "deny", "supervised"},
	reflect.TypeFor[FolderMode](): {"read", "write"},
	reflect.TypeFor[HardLinks]():  {"read", "deny"},
	reflect.TypeFor[Backend]():    {"auto", "bubblewrap", "firejail"},
	reflect.TypeFor[OnFailure]():  {"deny", "continue"},
	reflect.TypeFor[Unattended](): {"wait", "deny"},
	reflect.TypeFor[Network]():    {"off", "allow", "full", "host"},
	reflect.TypeFor[Op]():         {"read", "list", "write", "mkdir", "delete", "exec", "install"},
}

// Duration is a span of time, written like "90s", "1h30m" or "400d" (a day has
// 24 hours). Zero stands for "none": no limit.
type Duration time.Duration

const (
	day         = Duration(24 * time.Hour)
	maxDuration = 99999 * day
)

// durationPattern keeps each number so short that the sum can't overflow, and
// lets no number be zero, so that "none" is the only way to say it.
const durationPattern = `([1-9][0-9]{0,4}d)?([1-9][0-9]{0,4}h)?([1-9][0-9]{0,5}m)?([1-9][0-9]{0,7}s)?([1-9][0-9]{0,8}ms)?`

var (
	durationRE    = regexp.MustCompile(`^` + durationPattern + `$`)
	durationUnits = []struct {
		name string
		unit Duration
	}{
		{"d", day},
		{"h", Duration(time.Hour)},
		{"m", Duration(time.Minute)},
		{"s", Duration(time.Second)},
		{"ms", Duration(time.Millisecond)},
	}
)

// ParseDuration reads what [Duration.String] writes.
func ParseDuration(s string) (Duration, error) {
	if s == "none" {
		return 0, nil
	}
	parts := durationRE.FindStringSubmatch(s)
	if parts == nil || s == "" {
		return 0, fmt.Errorf("%q is not a duration", s)
	}
	var sum Duration
	for i, u := range durationUnits {
		if digits := strings.TrimSuffix(parts[i+1], u.name); digits != "" {
			n, err := strconv.ParseInt(digits, 10, 64)
			if err != nil {
				return 0, fmt.Errorf("%q is not a duration: %w", s, err)
			}
			sum += Duration(n) * u.unit
		}
	}
	if sum > maxDuration {
		return 0, fmt.Errorf("%q is longer than 99999d", s)
	}
	return sum, nil
}

// Std returns d as the standard library has it; zero means no limit.
func (d Duration) Std() time.Duration { return time.Duration(d) }

func (d Duration) String() string {
	if d == 0 {
		return "none"
	}
	var b strings.Builder
	for _, u := range durationUnits {
		if n := d / u.unit; n > 0 {
			b.WriteString(strconv.FormatInt(int64(n), 10) + u.name)
			d -= n * u.unit
		}
	}
	return b.String()
}

// Size is a number of bytes, written like "256KiB", "2GiB", "10MB" or 4096.
type Size int64

const sizePattern = `[1-9][0-9]{0,17}B|[1-9][0-9]{0,14}(KiB|kB|KB)|[1-9][0-9]{0,11}(MiB|MB)|[1-9][0-9]{0,8}(GiB|GB)|[1-9][0-9]{0,5}(TiB|TB)`

var (
	sizeRE    = regexp.MustCompile(`^(` + sizePattern + `)$`)
	sizeUnits = []struct {
		name string
		unit Size
		most Size // as many as sizePattern has digits for
	}{
		{"TiB", 1 << 40, 1e6 - 1},
		{"GiB", 1 << 30, 1e9 - 1},
		{"MiB", 1 << 20, 1e12 - 1},
		{"KiB", 1 << 10, 1e15 - 1},
		{"TB", 1e12, 0},
		{"GB", 1e9, 0},
		{"MB", 1e6, 0},
		{"kB", 1e3, 0},
		{"KB", 1e3, 0},
		{"B", 1, 0},
	}
)

// ParseSize reads a size with its unit.
func ParseSize(s string) (Size, error) {
	if !sizeRE.MatchString(s) {
		return 0, fmt.Errorf("%q is not a size", s)
	}
	for _, u := range sizeUnits {
		digits, ok := strings.CutSuffix(s, u.name)
		if !ok {
			continue
		}
		n, err := strconv.ParseInt(digits, 10, 64)
		if err != nil || n > math.MaxInt64/int64(u.unit) {
			return 0, fmt.Errorf("%q is not a size", s)
		}
		return Size(n) * u.unit, nil
	}
	return 0, fmt.Errorf("%q is not a size", s)
}

// Bytes returns s as a plain number.
func (s Size) Bytes() int64 { return int64(s) }

// String writes s with the largest binary unit that divides it, or as a plain
// number of bytes.
func (s Size) String() string {
	for _, u := range sizeUnits {
		if n := s / u.unit; n > 0 && n <= u.most && s%u.unit == 0 {
			return strconv.FormatInt(int64(n), 10) + u.name
		}
	}
	return strconv.FormatInt(int64(s), 10)
}
