// Package doctor finds out what a host offers: isolation programs, kernel
// features, and switches that take protection away. It looks and tries; it
// changes nothing.
package doctor

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/baileyhq/bailey/jail"
)

// Status is the outcome of a check.
type Status string

// The outcomes.
const (
	OK   Status = "ok"
	Warn Status = "warn" // works, but weaker or against advice
	Fail Status = "fail"
	Info Status = "info"
)

// A Check is one thing that was looked at.
type Check struct {
	Name   string `json:"name"`
	Status Status `json:"status"`
	Detail string `json:"detail"`
	Remedy string `json:"remedy,omitempty"`
}

// A Report is all that was found.
type Report struct {
	Isolation bool    `json:"isolation"` // a command could run isolated
	Checks    []Check `json:"checks"`
}

// Examine looks at the host. env gives environment variables.
func Examine(ctx context.Context, env func(string) string) Report {
	var r Report
	r.Checks = append(r.Checks, kernelRelease(), engine())
	r.Checks = append(r.Checks, kernelFeatures()...)
	isolation := isolationPrograms(ctx)
	for _, c := range isolation {
		r.Isolation = r.Isolation || c.Status == OK
	}
	r.Checks = append(r.Checks, isolation...)
	if !r.Isolation {
		r.Checks = append(r.Checks, Check{
			Name: "isolation", Status: Fail, Detail: "no program here can isolate a command",
			Remedy: "install bubblewrap (Debian, Ubuntu, Fedora: package bubblewrap), or firejail",
		})
	}
	r.Checks = append(r.Checks, account(), container(env), unsafeSwitch(env))
	return r
}

// engine tries which engine the jail would take.
func engine() Check {
	dir, err := os.MkdirTemp("", "bailey-doctor-")
	if err != nil {
		return Check{Name: "jail engine", Status: Warn, Detail: fmt.Sprintf("could not be tried: %v", err)}
	}
	defer func() { _ = os.RemoveAll(dir) }()
	j, err := jail.New(dir, jail.WithForceRoot())
	if err != nil {
		return Check{Name: "jail engine", Status: Fail, Detail: err.Error()}
	}
	defer func() { _ = j.Close() }()
	if j.Engine() == jail.EngineOSRoot {
		return Check{
			Name: "jail engine", Status: Warn, Detail: "os.Root: openat2 is missing or forbidden here",
			Remedy: "the guarantees are weaker (see SECURITY.md); use Linux 5.6 or newer, or a container profile that permits openat2",
		}
	}
	return Check{Name: "jail engine", Status: OK, Detail: j.Engine().String()}
}

func account() Check {
	if os.Geteuid() == 0 {
		return Check{
			Name: "account", Status: Warn, Detail: "running as root",
			Remedy: "a user of its own for Bailey limits what a mistake could reach",
		}
	}
	return Check{Name: "account", Status: OK, Detail: fmt.Sprintf("uid %d", os.Geteuid())}
}

// container looks for the marks that container engines leave.
func container(env func(string) string) Check {
	for _, mark := range []string{"/.dockerenv", "/run/.containerenv"} {
		if _, err := os.Stat(mark); err == nil {
			return Check{Name: "container", Status: Info, Detail: fmt.Sprintf("inside a container (%s)", filepath.Base(mark))}
		}
	}
	for _, name := range []string{"container", "KUBERNETES_SERVICE_HOST"} {
		if env(name) != "" {
			return Check{Name: "container", Status: Info, Detail: fmt.Sprintf("inside a container ($%s)", name)}
		}
	}
	return Check{Name: "container", Status: Info, Detail: "none noticed"}
}

// UnsafeVariable lets commands run without isolation. Nobody should have it set
// by default.
const UnsafeVariable = "BAILEY_ALLOW_UNSANDBOXED"

func unsafeSwitch(env func(string) string) Check {
	if value := env(UnsafeVariable); value != "" {
		return Check{
			Name: "unsafe switch", Status: Fail, Detail: fmt.Sprintf("%s=%s is set in this environment", UnsafeVariable, value),
			Remedy: "take it out: it lets commands run without isolation",
		}
	}
	return Check{Name: "unsafe switch", Status: OK, Detail: UnsafeVariable + " is not set in this environment"}
}
