package gitguard

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/jail"
)

// maxRounds is how often the folders are looked at again: what was shut away comes
// to light in the second, and another run may go on in the same folders.
const maxRounds = 4

// Finish takes over what is harmless of what the command did to configurations,
// takes away what it planted, and reports both. It does so even if ctx has ended.
// An error says that something may be left; the report holds as far as it goes.
func (r *Run) Finish(ctx context.Context) (Report, error) {
	ctx = context.WithoutCancel(ctx)
	unlock, err := r.guard.store.lock(ctx)
	if err != nil {
		return r.report, errors.Join(err, r.removeCopies(), r.end(false))
	}
	defer unlock()
	r.into = quarantine{store: r.guard.store}
	defer r.into.close()
	merged := r.mergeAll(ctx)
	cleaned := r.clean(ctx)
	errs := []error{merged, cleaned, r.removeCopies(), r.end(cleaned == nil)}
	slices.SortStableFunc(r.report.Quarantined, func(a, b Item) int { return strings.Compare(a.Path, b.Path) })
	return r.report, errors.Join(errs...)
}

// clean judges what has appeared, until nothing is left to be done.
func (r *Run) clean(ctx context.Context) error {
	for round := 1; ; round++ {
		now, err := r.guard.scanner.Scan(ctx, r.policy)
		if err != nil && !errors.Is(err, covers.ErrTooMany) {
			return err
		}
		acted, err := r.judgeAll(ctx, now)
		if err != nil || !acted {
			r.leftLocks(now)
			return err
		}
		if round == maxRounds {
			return fmt.Errorf("what commands make in %s changes faster than it can be judged", r.guard.ws.Root())
		}
	}
}

// judgeAll judges what has appeared. It tells whether it changed anything.
func (r *Run) judgeAll(ctx context.Context, now *covers.Scan) (acted bool, err error) {
	acted, errs := r.open(ctx, now)
	v := view{run: r, now: now, fresh: map[string]bool{}}
	appeared := now.Appeared(r.before)
	for _, g := range appeared {
		if g.Reason == covers.GitDir {
			v.fresh[g.Real] = true
		}
	}
	for _, g := range appeared {
		if r.settled[g.Real] || r.gone(g.Real) {
			continue
		}
		did, err := v.judge(ctx, g)
		acted = acted || did
		if err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", g.Real, err))
		}
	}
	return acted && len(errs) == 0, errors.Join(errs...)
}

// gone tells whether a path was moved away, or lies in what was.
func (r *Run) gone(real string) bool {
	return slices.ContainsFunc(r.moved, func(m string) bool { return real == m || strings.HasPrefix(real, m+"/") })
}

// open gives access to the directories that the command has shut, and moves away
// what can't be looked into all the same.
func (r *Run) open(ctx context.Context, now *covers.Scan) (acted bool, errs []error) {
	for _, p := range now.Sealed {
		if slices.Contains(r.before.Sealed, p) || r.gone(p.Real) {
			continue
		}
		acted = true
		if !r.settled[p.Real] {
			r.settled[p.Real] = true
			if r.grant(ctx, p.Real) == nil && r.grantBeneath(ctx, p.Real) == nil {
				continue
			}
		}
		if err := r.move(ctx, p.Real, "can't be looked into"); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", p.Real, err))
		}
	}
	return acted, errs
}

// grant opens a directory, and those above it that a command may have shut.
func (r *Run) grant(ctx context.Context, real string) error {
	root := ""
	for _, f := range r.guard.ws.Jail().Folders() {
		if f.Mode == jail.ReadWrite && (real == f.Real || strings.HasPrefix(real, f.Real+"/")) && len(f.Real) > len(root) {
			root = f.Real
		}
	}
	if root == "" {
		return jail.ErrReadOnly
	}
	for at := root; ; {
		if err := r.grantOne(ctx, at); err != nil {
			return err
		}
		rest := strings.TrimPrefix(real[len(at):], "/")
		if rest == "" {
			return nil
		}
		name, _, _ := strings.Cut(rest, "/")
		at = path.Join(at, name)
	}
}

func (r *Run) grantOne(ctx context.Context, real string) error {
	o, err := r.guard.ws.Jail().Resolve(ctx, real, jail.Existing)
	if err != nil {
		return err
	}
	defer o.Close()
	if o.Real() != real {
		return jail.ErrChanged
	}
	if !o.Info().IsDir() {
		return nil
	}
	return o.GrantOwner()
}

func (r *Run) leftLocks(now *covers.Scan) {
	for _, p := range now.Locks {
		if !slices.Contains(r.before.Locks, p) && !r.gone(p.Real) {
			r.report.LeftLocks = append(r.report.LeftLocks, p.Real)
		}
	}
}

// add reports something.
func (r *Run) add(real, reason, to string) {
	r.report.Quarantined = append(r.report.Quarantined, Item{Path: real, Reason: reason, To: to})
}

// mergeAll takes over what is harmless of the changes in the copies.
func (r *Run) mergeAll(ctx context.Context) error {
	if len(r.shadows) == 0 {
		return nil
	}
	copies, err := jail.New(r.dir)
	if err != nil {
		return err
	}
	defer copies.Close() //nolint:errcheck // only read
	var errs []error
	for i := range r.shadows {
		s := &r.shadows[i]
		if err := r.merge(ctx, copies, s); err != nil {
			errs = append(errs, fmt.Errorf("%s: %w", s.real, err))
		}
	}
	return errors.Join(errs...)
}

func (r *Run) merge(ctx context.Context, copies *jail.Jail, s *shadow) error {
	text, _, err := readFile(ctx, copies, path.Join(copies.Root(), s.name), maxConfig)
	if err != nil {
		r.add(s.real, "the command left no configuration that can be read; the old one was kept", "")
		return nil //nolint:nilerr // reported
	}
	if bytes.Equal(text, s.base) {
		return nil
	}
	after, err := parseConfig(text)
	if err != nil {
		to, err := r.into.keep(s.real, text)
		r.add(s.real, "the command left a configuration that is not plain; the old one was kept", to)
		return err
	}
	before, err := parseConfig(s.base)
	if err != nil {
		return err
	}
	take, refuse := permitted(before, after)
	if len(refuse) > 0 {
		to, err := r.into.keep(s.real, text)
		if err != nil {
			return err
		}
		r.add(s.real, "put back: "+list(refuse), to)
	}
	if len(take) == 0 {
		return nil
	}
	return r.rewrite(ctx, s.real, func(old []byte) ([]byte, error) { return apply(old, take) })
}

// maxListed is how many refused keys a reason names.
const maxListed = 20

func list(refuse []refusal) string {
	var parts []string
	for i, f := range refuse {
		if i == maxListed {
			parts = append(parts, fmt.Sprintf("and %d more", len(refuse)-i))
			break
		}
		parts = append(parts, f.name.String()+" "+f.reason)
	}
	return strings.Join(parts, ", ")
}

// rewrite changes a configuration on the host.
func (r *Run) rewrite(ctx context.Context, real string, edit func(old []byte) ([]byte, error)) error {
	o, err := r.guard.ws.Jail().Resolve(ctx, real, jail.Entry)
	if err != nil {
		return err
	}
	defer o.Close()
	old, _, err := r.guard.read(ctx, real, maxConfig)
	if err != nil {
		return err
	}
	text, err := edit(old)
	if err != nil || bytes.Equal(text, old) {
		return err
	}
	return replace(ctx, o, old, text)
}
