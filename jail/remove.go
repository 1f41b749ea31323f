package jail

import (
	"context"
	"errors"
	"io/fs"
	"syscall"
)

// A Guard judges one object right before it is removed, moved or copied: its
// real path, the real path that it would get (empty for a removal), and what it
// is. Recursive acts call it for the object itself and for everything beneath.
// An error refuses that object and ends the act; it is returned as it is.
type Guard func(real, dest string, info Info) error

func (g Guard) allow(real, dest string, info Info) error {
	if g == nil {
		return nil
	}
	return g(real, dest, info)
}

// Remove removes a file, a link (never what it points to) or an empty directory.
func (o *Object) Remove(ctx context.Context, guard Guard) error {
	if err := o.removable(ctx); err != nil {
		return o.fail("remove", err)
	}
	if err := guard.allow(o.Real(), "", o.info); err != nil {
		return err
	}
	return o.fail("remove", o.unlink())
}

func (o *Object) removable(ctx context.Context) error {
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := o.writable(); err != nil {
		return err
	}
	if !o.exists {
		return fs.ErrNotExist
	}
	if o.viaLink {
		return errNotDirectory // as the kernel says: the link is meant, and it is none
	}
	if o.j.nested && o.info.IsDir() && o.j.leadsToFolder(o.Real()) {
		return errRoot // another allowed folder lies beneath
	}
	return o.here()
}

func (o *Object) unlink() error {
	err := o.parent.remove(o.base, o.info.IsDir())
	if err == nil {
		err = o.flush(o.parent)
	}
	return err
}

// removeRounds bounds how often RemoveAll comes back for entries that were made
// or changed their kind while it was at work.
const removeRounds = 8

// RemoveAll removes a directory with everything beneath, by descriptor, without
// following links, and stops at mount points. It tells how many names it removed.
func (o *Object) RemoveAll(ctx context.Context, guard Guard) (removed int, err error) {
	if !o.exists || !o.info.IsDir() {
		if err := o.Remove(ctx, guard); err != nil {
			return 0, err
		}
		return 1, nil
	}
	if err := o.removable(ctx); err != nil {
		return 0, o.fail("remove", err)
	}
	if err := guard.allow(o.Real(), "", o.info); err != nil {
		return 0, err
	}
	for round := 1; ; round++ {
		n, err := o.removeBeneath(ctx, guard)
		removed += n
		if err == nil {
			if err = o.here(); err == nil {
				err = o.unlink()
			}
			if err == nil {
				return removed + 1, nil
			}
			err = o.fail("remove", err)
		}
		again := errors.Is(err, ErrNotEmpty) || errors.Is(err, ErrChanged)
		if !again || round == removeRounds {
			return removed, err
		}
	}
}

func (o *Object) removeBeneath(ctx context.Context, guard Guard) (removed int, err error) {
	err = o.traverse(ctx, WalkOptions{Post: true}, true, func(e *WalkEntry) error {
		switch {
		case e.Err() != nil && e.IsDir() && e.dir().remove(e.Name(), true) == nil:
			removed++ // could not be read, but was empty
			return nil
		case e.Err() != nil:
			return e.Err()
		case e.After():
		case guard != nil:
			if err := judge(e, "", guard); err != nil {
				return err
			}
		}
		if e.IsDir() && !e.After() {
			return nil
		}
		err := e.dir().remove(e.Name(), e.IsDir())
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return nil
		case errors.Is(err, syscall.EISDIR), errors.Is(err, syscall.ENOTDIR):
			return report("remove", e.Path(), ErrChanged) // swapped since it was listed
		case err != nil:
			return report("remove", e.Path(), err)
		}
		removed++
		return nil
	})
	return removed, err
}

// judge shows an entry of a walk to the guard.
func judge(e *WalkEntry, dest string, guard Guard) error {
	if guard == nil {
		return nil
	}
	info, err := e.Info()
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	return guard(e.Real(), dest, info)
}
