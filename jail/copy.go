package jail

import (
	"context"
	"errors"
	"io"
	"io/fs"
	"path"
)

// CopyTo copies the object to dst (resolved as Target): a file's content and
// mode, a directory with everything beneath. Directories above dst that are
// absent are made. A name that is taken is fs.ErrExist, or with overwrite a file
// is replaced and a directory filled up. Each file is written as Replace writes.
//
// A link is copied as a link, but a relative one that would lead out of the
// folders at its new place is refused. (An absolute one leads where it led
// before: the copy opens no new way.)
//
// A tree is looked at whole, by the guard too, before anything is copied. What
// is made in it after that is judged when the copy comes to it.
//
// It tells how many files it copied, links included, and how many bytes.
func (o *Object) CopyTo(ctx context.Context, dst *Object, overwrite bool, guard Guard) (files int, bytes int64, err error) {
	c := &copier{ctx: ctx, overwrite: overwrite, guard: guard}
	err = c.object(o, dst)
	return c.files, c.bytes, err
}

type copier struct {
	ctx       context.Context //nolint:containedctx // lives for one call
	overwrite bool
	verbatim  bool // links are copied wherever they lead, as a rename would leave them
	guard     Guard
	files     int
	bytes     int64
}

func (c *copier) object(o, dst *Object) error {
	if !o.exists {
		return o.fail("copy", fs.ErrNotExist)
	}
	if kind := o.info.specialKind(); kind != "" {
		return o.fail("copy", &SpecialError{Kind: kind})
	}
	if err := o.placeable(dst, c.overwrite, "copy"); err != nil {
		return err
	}
	if o.Real() == dst.Real() {
		return dst.fail("copy", fs.ErrExist)
	}
	if err := c.guard.allow(o.Real(), dst.Real(), o.info); err != nil {
		return err
	}
	switch {
	case o.info.IsDir():
		return c.tree(o, dst)
	case o.info.IsLink():
		return c.link(dst, o.Readlink)
	default:
		return c.file(dst, o.Open)
	}
}

func (c *copier) file(dst *Object, open func() (*File, error)) error {
	src, err := open()
	if err != nil {
		return err
	}
	defer func() { _ = src.Close() }()
	opts := ReplaceOptions{Perm: src.info.mode.Perm(), Parents: true, Exclusive: !c.overwrite}
	_, err = dst.Replace(c.ctx, opts, func(w io.Writer) error {
		n, err := io.Copy(w, &cancelReader{c.ctx, src})
		c.bytes += n
		return err
	})
	if err == nil {
		c.files++
	}
	return err
}

// cancelReader ends a long copy when its context does.
type cancelReader struct {
	ctx context.Context //nolint:containedctx // lives for one call
	r   io.Reader
}

func (c *cancelReader) Read(p []byte) (int, error) {
	if err := c.ctx.Err(); err != nil {
		return 0, err
	}
	return c.r.Read(p)
}

func (c *copier) tree(src, dst *Object) error {
	if err := c.inspect(src, dst); err != nil {
		return err
	}
	if _, err := dst.Mkdir(c.ctx, src.info.mode.Perm()|0o700); err != nil {
		return err
	}
	top := dst.Real()
	return src.traverse(c.ctx, WalkOptions{}, false, func(e *WalkEntry) error {
		if e.Err() != nil {
			return e.Err()
		}
		return c.entry(e, dst, path.Join(top, e.Path()))
	})
}

// inspect refuses a tree that could not be copied to its end.
func (c *copier) inspect(src, dst *Object) error {
	top := dst.Real()
	return src.traverse(c.ctx, WalkOptions{}, false, func(e *WalkEntry) error {
		if e.Err() != nil {
			return e.Err()
		}
		dest := path.Join(top, e.Path())
		if err := judge(e, dest, c.guard); err != nil {
			return err
		}
		switch {
		case e.IsDir():
			return nil
		case e.IsLink():
			target, err := e.Readlink()
			if err != nil {
				return err
			}
			if c.leadsOut(dst.j, dest, target) {
				return report("copy", e.Path(), errAbove)
			}
			return nil
		case e.Type() != 0:
			return report("copy", e.Path(), &SpecialError{Kind: Info{mode: e.Type()}.specialKind()})
		}
		return c.readable(e, src.j)
	})
}

// readable refuses a file with more than one link where the jail does.
func (c *copier) readable(e *WalkEntry, j *Jail) error {
	if !j.denyHardLinks {
		return nil
	}
	info, err := e.Info()
	if err == nil && info.nlink > 1 {
		err = report("copy", e.Path(), errHardLink)
	}
	return err
}

// leadsOut tells whether a relative link at dest would lead out of the folders.
func (c *copier) leadsOut(j *Jail, dest, target string) bool {
	if path.IsAbs(target) || c.verbatim {
		return false
	}
	f, _ := j.folderOf(path.Join(path.Dir(dest), target))
	return f == nil
}

// entry copies what a walk came upon to a real path below the copy.
func (c *copier) entry(e *WalkEntry, top *Object, dest string) error {
	if err := judge(e, dest, c.guard); err != nil {
		return err
	}
	dst, err := top.j.Resolve(c.ctx, dest, Target)
	if err != nil {
		return err
	}
	defer func() { _ = dst.Close() }()
	if dst.Real() != dest {
		return dst.fail("copy", ErrChanged) // a link came into the way of the copy
	}
	dst.OnMade(top.confirm)
	switch {
	case e.IsDir():
		info, err := e.Info()
		if err != nil {
			return err
		}
		if info.same(top.info) {
			return top.fail("copy", fs.ErrInvalid) // into itself, by way of a mount
		}
		_, err = dst.Mkdir(c.ctx, info.mode.Perm()|0o700)
		return err
	case e.IsLink():
		return c.link(dst, e.Readlink)
	case e.Type() != 0:
		return report("copy", e.Path(), &SpecialError{Kind: Info{mode: e.Type()}.specialKind()})
	default:
		return c.file(dst, e.Open)
	}
}

// link makes the same link at a free name.
func (c *copier) link(dst *Object, readlink func() (string, error)) error {
	target, err := readlink()
	if err != nil {
		return err
	}
	if dst.exists {
		return dst.fail("copy", fs.ErrExist)
	}
	if c.leadsOut(dst.j, dst.Real(), target) {
		return dst.fail("copy", errAbove)
	}
	if err := dst.writable(); err != nil {
		return dst.fail("copy", err)
	}
	if _, err := dst.makeParents(c.ctx, 0o777); err != nil {
		return dst.fail("copy", err)
	}
	err = dst.parent.symlink(target, dst.base)
	if errors.Is(err, fs.ErrExist) {
		err = ErrChanged
	}
	if err == nil {
		err = c.confirmLink(dst)
	}
	if err == nil {
		c.files++
	}
	return dst.fail("copy", err)
}

func (c *copier) confirmLink(dst *Object) error {
	if dst.confirm == nil {
		return nil
	}
	info, err := dst.parent.lstat(dst.base)
	if err == nil {
		err = dst.confirmMade([]string{dst.Real()})
	}
	if err != nil {
		dst.unmake(dst.parent, dst.base, info)
	}
	return err
}
