package gitguard

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/baileyhq/bailey/jail"
)

// quarantine is a directory of the store, made when the first thing comes to it.
type quarantine struct {
	store store
	dir   string
	jail  *jail.Jail
	count int
}

func (q *quarantine) open() (err error) {
	if q.jail != nil {
		return nil
	}
	if q.dir, err = q.store.fresh(quarantineKind); err == nil {
		q.jail, err = jail.New(q.dir)
	}
	return err
}

func (q *quarantine) close() {
	if q.jail != nil {
		_ = q.jail.Close()
	}
}

// place is a free name for something.
func (q *quarantine) place(real string) (string, error) {
	if err := q.open(); err != nil {
		return "", err
	}
	q.count++
	return filepath.Join(q.dir, strconv.Itoa(q.count), path.Base(real)), nil
}

// keep writes down the text of a configuration that is not taken over.
func (q *quarantine) keep(real string, text []byte) (string, error) {
	to, err := q.place(real)
	if err != nil {
		return "", err
	}
	return to, writeCopy(q.dir, strings.TrimPrefix(to, q.dir+string(filepath.Separator)), text)
}

// move moves something away, and reports it.
func (r *Run) move(ctx context.Context, real, reason string) error {
	to, err := r.moveAway(ctx, real, false)
	if errors.Is(err, fs.ErrPermission) {
		// The command may have shut the directory that holds it, or itself.
		if err := errors.Join(r.grant(ctx, path.Dir(real)), r.grantBeneath(ctx, real)); err != nil {
			return err
		}
		to, err = r.moveAway(ctx, real, true)
	}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		r.moved = append(r.moved, real)
		return nil // another run's cleaning was quicker
	case err != nil:
		return err
	}
	r.moved = append(r.moved, real)
	r.add(real, reason, to)
	return nil
}

// moveAway moves an object into the quarantine. Where a part of it can't be copied
// to that file system, such as a FIFO, all of it is removed; a lack of rights counts
// for that at the last try.
func (r *Run) moveAway(ctx context.Context, real string, last bool) (to string, err error) {
	o, err := r.guard.ws.Jail().Resolve(ctx, real, jail.Entry)
	if err != nil {
		return "", err
	}
	defer o.Close()
	if o.Info().IsSpecial() {
		return "", o.Remove(ctx, nil)
	}
	if to, err = r.into.place(real); err != nil {
		return "", err
	}
	dst, err := r.into.jail.Resolve(ctx, to, jail.Target)
	if err != nil {
		return "", err
	}
	defer dst.Close()
	if home, err := r.into.jail.Stat("."); err == nil && home.ID().Dev == o.Info().ID().Dev {
		return to, o.MoveTo(ctx, dst, false, nil)
	}
	// The move of package jail between file systems stays inside of one jail.
	if _, _, err := o.CopyTo(ctx, dst, false, nil); err != nil {
		if !last && errors.Is(err, fs.ErrPermission) {
			return "", err
		}
		to = ""
	}
	if o.Info().IsDir() {
		_, err = o.RemoveAll(ctx, nil)
	} else {
		err = o.Remove(ctx, nil)
	}
	return to, err
}

// grantBeneath opens what is to be moved itself.
func (r *Run) grantBeneath(ctx context.Context, real string) error {
	o, err := r.guard.ws.Jail().Resolve(ctx, real, jail.Entry)
	if err != nil {
		return err
	}
	defer o.Close()
	if !o.Info().IsDir() {
		return nil
	}
	if err := o.GrantOwner(); err != nil {
		return err
	}
	return o.Walk(ctx, jail.WalkOptions{}, func(e *jail.WalkEntry) error {
		if e.IsDir() && e.Err() == nil {
			return r.grantOne(ctx, e.Real())
		}
		return nil
	})
}
