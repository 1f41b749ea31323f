package jail

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"strings"
	"syscall"
)

// MoveTo gives the object (resolved as Entry) the name of dst (resolved as
// Target); directories above dst that are absent are made. A name that is taken
// is fs.ErrExist, or with overwrite a file is replaced, never a directory. A
// link is moved as a link. Between file systems it copies and then removes what it
// has copied, so that set-uid bits, owners and times are not kept there.
//
// For a directory the guard sees everything beneath before anything moves; what
// is made beneath after that moves along. With dst.OnMade the guard sees it all
// once more afterwards (by the paths that it had), and what it refuses then is
// moved back.
func (o *Object) MoveTo(ctx context.Context, dst *Object, overwrite bool, guard Guard) error {
	if err := o.movable(ctx, dst, overwrite); err != nil {
		return err
	}
	if o.Real() == dst.Real() {
		return nil
	}
	if err := o.judgeAll(ctx, dst.Real(), guard); err != nil {
		return err
	}
	if _, err := dst.makeParents(ctx, 0o777); err != nil {
		return dst.fail("move", err)
	}
	err := o.moveName(ctx, dst, guard)
	if errors.Is(err, syscall.EXDEV) {
		return o.moveByCopy(ctx, dst, overwrite, guard)
	}
	return o.fail("move", err)
}

func (o *Object) movable(ctx context.Context, dst *Object, overwrite bool) error {
	if err := o.removable(ctx); err != nil {
		return o.fail("move", err)
	}
	if kind := o.info.specialKind(); kind != "" {
		return o.fail("move", &SpecialError{Kind: kind})
	}
	return o.placeable(dst, overwrite, "move")
}

// placeable makes sure that dst may become what o is.
func (o *Object) placeable(dst *Object, overwrite bool, op string) error {
	_, inside := cutFolder(dst.Real(), o.Real())
	kind := dst.info.specialKind()
	var err error
	switch {
	case inside && o.info.IsDir() && dst.Real() != o.Real():
		err = fs.ErrInvalid // into itself
	case kind != "":
		err = &SpecialError{Kind: kind}
	case dst.exists && !overwrite && dst.Real() != o.Real():
		err = fs.ErrExist
	case dst.exists && dst.info.IsDir() != o.info.IsDir():
		err = fs.ErrExist
	case dst.exists && dst.info.IsDir() && op == "move" && dst.Real() != o.Real():
		err = fs.ErrExist
	case dst.wantDir && !o.info.IsDir():
		err = errNotDirectory
	case o.info.IsLink() && o.leadsTo(dst):
		err = fs.ErrInvalid // it would take its own target's place
	default:
		err = dst.writable()
	}
	return dst.fail(op, err)
}

// leadsTo tells whether o is a link to dst.
func (o *Object) leadsTo(dst *Object) bool {
	target, err := o.j.Resolve(context.Background(), o.Real(), Target)
	if err != nil {
		return false
	}
	defer func() { _ = target.Close() }()
	return target.Real() == dst.Real()
}

// judgeAll shows the object and everything beneath to the guard.
func (o *Object) judgeAll(ctx context.Context, dest string, guard Guard) error {
	if guard == nil {
		return nil
	}
	if err := guard(o.Real(), dest, o.info); err != nil {
		return err
	}
	if !o.info.IsDir() {
		return nil
	}
	return o.traverse(ctx, WalkOptions{}, true, func(e *WalkEntry) error {
		if e.Err() != nil {
			return e.Err()
		}
		return judge(e, path.Join(dest, e.Path()), guard)
	})
}

// moveName renames, then makes sure that it moved the object and not something
// that was swapped in.
func (o *Object) moveName(ctx context.Context, dst *Object, guard Guard) error {
	unlock, err := lockBoth(ctx, o.parent, dst.parent)
	if err != nil {
		return err
	}
	defer unlock()
	if err := o.here(); err != nil {
		return err
	}
	if err := dst.here(); err != nil {
		return err
	}
	how := renameNoReplace
	if dst.exists {
		how = renameReplace
	}
	if dst.exists && dst.info.same(o.info) {
		return o.unlink() // two hard links of one file: rename(2) would do nothing
	}
	if err := o.parent.rename(o.base, dst.parent, dst.base, how); err != nil {
		return err
	}
	now, err := dst.parent.lstat(dst.base)
	if err != nil {
		return err
	}
	if !now.same(o.info) {
		return errors.Join(ErrChanged, dst.parent.rename(dst.base, o.parent, o.base, renameNoReplace))
	}
	if err := o.confirmMoved(ctx, dst, guard); err != nil {
		if back := o.moveBack(dst); back != nil {
			return errors.Join(err, back)
		}
		return err
	}
	if err := o.flush(dst.parent); err != nil {
		return err
	}
	return o.flush(o.parent)
}

// confirmMoved looks once more, now that the object has its new name: at what was
// made beneath a directory while it was judged, and at the place that it has got.
// Without a Confirm nobody depends on that.
func (o *Object) confirmMoved(ctx context.Context, dst *Object, guard Guard) error {
	if dst.exists || dst.confirm == nil {
		return nil
	}
	if err := dst.confirmMade([]string{dst.Real()}); err != nil {
		return err
	}
	if !o.info.IsDir() {
		return nil
	}
	if err := o.judgeAll(ctx, dst.Real(), guard); err != nil {
		return &callersError{err}
	}
	return nil
}

// moveBack undoes a move. If somebody has taken the old name meanwhile, the object
// gets one beside it: nothing is lost, and it does not stay where it may not be.
func (o *Object) moveBack(dst *Object) error {
	if now, err := dst.parent.lstat(dst.base); err != nil || !now.same(o.info) {
		return err
	}
	err := dst.parent.rename(dst.base, o.parent, o.base, renameNoReplace)
	if errors.Is(err, fs.ErrExist) {
		err = dst.parent.rename(dst.base, o.parent, o.base+"~"+strings.TrimPrefix(tempName(), tempPrefix), renameNoReplace)
	}
	return err
}

func (o *Object) moveByCopy(ctx context.Context, dst *Object, overwrite bool, guard Guard) error {
	dest := dst.Real()
	c := &copier{ctx: ctx, overwrite: overwrite, verbatim: true, guard: guard}
	if err := c.object(o, dst); err != nil {
		return err
	}
	_, err := o.RemoveAll(ctx, func(real, _ string, info Info) error {
		return o.copied(ctx, real, dest, info)
	})
	return err
}

// copied refuses to remove what has no copy: it was made while the copy went on.
func (o *Object) copied(ctx context.Context, real, dest string, info Info) error {
	rel, _ := cutFolder(real, o.Real())
	twin, err := o.j.Resolve(ctx, path.Join(dest, rel), Entry)
	if errors.Is(err, fs.ErrNotExist) {
		return o.fail("move", ErrChanged)
	}
	if err != nil {
		return err
	}
	defer func() { _ = twin.Close() }()
	if twin.info.mode.Type() != info.mode.Type() || info.mode.IsRegular() && twin.info.size != info.size {
		return o.fail("move", ErrChanged)
	}
	return nil
}
