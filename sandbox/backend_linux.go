package sandbox

import (
	"context"
	"fmt"
	"os/exec"
	"runtime"
	"strings"
	"time"
)

// remedy says what helps where bubblewrap is missing.
const remedy = "install bubblewrap (package bubblewrap in Debian, Ubuntu, Fedora, Arch and Alpine)"

// program finds the program to run.
func (s *Sandbox) program() (string, error) {
	if s.options.Backend == Firejail {
		return "", &Error{Err: ErrUnavailable, Detail: "firejail can't be attested by this version", Remedy: remedy}
	}
	if _, ok := auditArch[runtime.GOARCH]; !ok {
		return "", &Error{Err: ErrUnavailable, Detail: "there is no filter of system calls for " + runtime.GOARCH, Remedy: "use amd64 or arm64"}
	}
	path, err := s.find("bwrap")
	if err != nil {
		return "", &Error{Err: ErrUnavailable, Detail: err.Error(), Remedy: remedy}
	}
	return path, nil
}

// Probe tries each back end with a command that does nothing.
func (s *Sandbox) Probe(ctx context.Context) []Probe {
	p := Probe{Backend: Bubblewrap}
	p.Path, p.Err = s.program()
	if p.Err != nil {
		return []Probe{p}
	}
	p.Version = version(ctx, p.Path)
	begin := time.Now()
	r, err := s.Run(ctx, Spec{Argv: []string{"/bin/true"}, Dir: "/"})
	p.Took = time.Since(begin)
	switch {
	case err != nil:
		p.Err = err
	case r.ExitCode != 0:
		p.Err = failed("probe", fmt.Sprintf("/bin/true ended with %d", r.ExitCode))
	default:
		p.Usable, p.Guarantee, p.Layers, p.Gaps = true, r.Guarantee, r.Layers, r.Gaps
	}
	return []Probe{p}
}

// version is what a program says of itself, in one line.
func version(ctx context.Context, path string) string {
	ctx, cancel := context.WithTimeout(ctx, 5*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, path, "--version")
	cmd.Env = []string{}
	out, err := cmd.Output()
	if err != nil {
		return ""
	}
	line, _, _ := strings.Cut(string(out), "\n")
	return line
}
