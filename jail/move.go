package jail

import (
	"context"
	"errors"
	"io/fs"
	"path"
	"syscall"
)

// MoveTo gives the object (resolved as Entry) the name of dst (resolved as
// Target); directories above dst that are absent are made. A name that is taken
// is fs.ErrExist, or with overwrite a file is replaced, never a directory. A
// link is moved as a link. Between folders on different file systems it copies
// and then removes.
//
// For a directory the guard sees everything beneath before anything moves; what
// is made beneath after that moves along.
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
	err := o.moveName(ctx, dst)
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
	default:
		err = dst.writable()
	}
	return dst.fail(op, err)
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
func (o *Object) moveName(ctx context.Context, dst *Object) error {
	unlock, err := lockDir(ctx, dst.parent)
	if err != nil {
		return err
	}
	defer unlock()
	if err := errors.Join(o.here(), dst.here()); err != nil {
		return err
	}
	how := renameNoReplace
	if dst.exists {
		how = renameReplace
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
	if o.j.noSync {
		return nil
	}
	return errors.Join(dst.parent.sync(), o.parent.sync())
}

func (o *Object) moveByCopy(ctx context.Context, dst *Object, overwrite bool, guard Guard) error {
	if _, _, err := o.CopyTo(ctx, dst, overwrite, guard); err != nil {
		return err
	}
	_, err := o.RemoveAll(ctx, guard)
	return err
}
