package jail

import (
	"context"
	"errors"
	"io"
	"io/fs"
)

// ReplaceOptions say how Replace writes.
type ReplaceOptions struct {
	// Perm is the mode of a new file, before the umask; 0 means 0o666. Set-uid,
	// set-gid and sticky bits are dropped.
	Perm fs.FileMode
	// SetPerm gives the mode Perm to a file that existed, too, and to a new one
	// without regard to the umask.
	SetPerm bool
	// Exclusive fails with fs.ErrExist if the name is taken.
	Exclusive bool
	// Parents makes the directories above that are absent.
	Parents bool
	// Verify makes the replacement a compare-and-swap. It is called with the
	// file that was swapped out, or nil if there was none. If it returns an
	// error, the old file is put back and the error returned.
	Verify func(old *File) error

	// unjudged: nobody decided anything about the object, and the content is at
	// hand. So it need not be the same one still, and the moment until the rename
	// is too short to hold a lock against a sweep for.
	unjudged bool
}

// Replace writes a new file and puts it in the place of the object, at once. An
// existing file's mode (less set-uid and the like), owner, user extended
// attributes and access ACL are kept as far as the caller's rights reach; its
// other hard links keep the old content.
//
// It fails with ErrChanged if the name does not stand for the resolved object
// any more. Without Verify, whoever comes between that look and the rename is
// overwritten, as by any rename. With Verify the two are exchanged under a lock
// that all of Bailey's writers take, so that a loss is noticed and undone, also
// one that another program would have suffered.
func (o *Object) Replace(ctx context.Context, opts ReplaceOptions, write func(io.Writer) error) (Info, error) {
	info, err := o.replace(ctx, opts, write)
	return info, o.fail("write", err)
}

func (o *Object) replace(ctx context.Context, opts ReplaceOptions, write func(io.Writer) error) (Info, error) {
	if err := o.replaceable(opts); err != nil {
		return Info{}, err
	}
	made, err := o.makeParents(ctx, 0o777)
	if err != nil {
		return Info{}, err
	}
	perm := opts.Perm.Perm()
	if perm == 0 && !opts.SetPerm {
		perm = 0o666
	}
	plain := o.exists && o.parent.plain(o.base)
	switch old := o.info.mode.Perm(); {
	case plain && !opts.SetPerm && old>>3&7 == old&7:
		perm = old // whoever the group turns out to be, it may not do more than everybody
	case o.exists, opts.SetPerm:
		perm = 0o600 // nobody else looks in before the right mode is set
	}
	t, err := newTemp(o.parent, perm, !opts.unjudged || !o.j.noSync)
	if err != nil {
		return Info{}, err
	}
	defer t.discard()
	if err := write(t); err != nil {
		return Info{}, blame(err)
	}
	info, err := o.finish(t, opts, plain)
	if err != nil {
		return Info{}, err
	}
	if err := ctx.Err(); err != nil {
		return Info{}, err
	}
	if err := o.commit(ctx, t, opts, info); err != nil {
		return Info{}, err
	}
	if !o.exists {
		if err := o.confirmMade(append(made, o.Real())); err != nil {
			o.unmake(o.parent, o.base, info)
			return Info{}, err
		}
	}
	info.name = o.base
	o.info, o.exists = info, true
	return info, nil
}

// replaceable refuses what can't be replaced by a regular file.
func (o *Object) replaceable(opts ReplaceOptions) error {
	kind := o.info.specialKind()
	switch {
	case kind != "":
		return &SpecialError{Kind: kind}
	case o.wantDir, o.exists && o.info.IsDir():
		return errIsDirectory
	case o.exists && opts.Exclusive:
		return fs.ErrExist
	case o.info.IsLink():
		return ErrNotRegular
	case len(o.absent) > 0 && !opts.Parents:
		return fs.ErrNotExist
	}
	return o.writable()
}

// finish gives the new file the metadata of the old one and makes it durable.
func (o *Object) finish(t *temp, opts ReplaceOptions, plain bool) (Info, error) {
	if o.exists {
		dropDefaultACL(t)
	}
	if o.exists && !plain {
		copyAttributes(o.parent, o.base, o.info, t)
	}
	info, err := t.stat()
	if err != nil {
		return info, err
	}
	mode := info.mode.Perm()
	switch {
	case opts.SetPerm:
		mode = opts.Perm.Perm()
	case o.exists:
		mode = o.info.mode.Perm()
	}
	changed := mode != info.mode
	if o.exists && (info.uid != o.info.uid || info.gid != o.info.gid) {
		changed = true
		if !keepOwner(t, o.info) {
			mode &^= ^mode & 0o007 << 3 // no more for another group than for everybody
		}
	}
	if changed {
		if err := t.chmod(mode); err != nil {
			return info, err
		}
		if info, err = t.stat(); err != nil {
			return info, err
		}
	}
	if !o.j.noSync {
		err = t.sync()
	}
	return info, err
}

// keepOwner tries both, then the group alone: an ordinary user may give a file
// to a group of his, not to another user. It tells whether the group is kept.
func keepOwner(t *temp, old Info) bool {
	return t.chown(int(old.uid), int(old.gid)) == nil || t.chown(-1, int(old.gid)) == nil
}

// commit puts the new file in place. Only an exchange needs the directory's lock,
// since it may have to be undone: a rename alone is one step, and the last writer
// wins as with any rename.
func (o *Object) commit(ctx context.Context, t *temp, opts ReplaceOptions, info Info) error {
	var err error
	switch {
	case !o.exists:
		err = o.commitNew(t, opts)
	case opts.Verify != nil:
		err = o.commitSwap(ctx, t, opts, info)
	default:
		err = o.commitOver(t, opts)
	}
	if err == nil {
		err = o.flush(o.parent)
	}
	return err
}

// commitOver takes the place of the file.
func (o *Object) commitOver(t *temp, opts ReplaceOptions) error {
	if !opts.unjudged {
		if err := o.here(); err != nil {
			return err
		}
	}
	return o.place(t, renameReplace)
}

// place renames the new file. If that is not there any more, a sweep took it for
// a left-over: nothing has changed and the writer may try again.
func (o *Object) place(t *temp, how renameMode) error {
	err := o.parent.rename(t.name, o.parent, o.base, how)
	t.gone = err == nil
	if errors.Is(err, fs.ErrNotExist) {
		return ErrChanged
	}
	return err
}

func (o *Object) commitNew(t *temp, opts ReplaceOptions) error {
	if opts.Verify != nil {
		if err := opts.Verify(nil); err != nil {
			return &callersError{err}
		}
	}
	err := o.place(t, renameNoReplace)
	if errors.Is(err, fs.ErrExist) && !opts.Exclusive {
		return ErrChanged // the decision was about a name that was free
	}
	return err
}

// commitSwap exchanges the two names, looks at what came out, and exchanges them
// back if that is not what the caller built upon.
func (o *Object) commitSwap(ctx context.Context, t *temp, opts ReplaceOptions, info Info) error {
	unlock, err := lockDir(ctx, o.parent)
	if err != nil {
		return err
	}
	defer unlock()
	if err := o.here(); err != nil {
		return err
	}
	err = o.parent.rename(t.name, o.parent, o.base, renameExchange)
	if errors.Is(err, errNoExchange) {
		return o.commitChecked(t, opts)
	}
	if err != nil {
		return err
	}
	// From here on the temporary name holds the old file; discard removes it.
	if err = o.verify(t.name, opts); err == nil {
		return nil
	}
	if failed := o.swapBack(t, info); failed != nil {
		return errors.Join(err, failed)
	}
	return err
}

// verify hands the file of that name to the caller's check, if it is the one
// that was resolved.
func (o *Object) verify(name string, opts ReplaceOptions) error {
	old, err := o.parent.openFile(name)
	if errors.Is(err, errIsLink) {
		return ErrChanged
	}
	if err != nil {
		return err
	}
	defer func() { _ = old.Close() }()
	_, _ = old.tryLock() // keeps a sweep off; an outsider's lock is no harm
	if !old.info.same(o.info) {
		return ErrChanged
	}
	old.folder, old.rel = o.folder, o.rel
	if err := opts.Verify(old); err != nil {
		return &callersError{err}
	}
	return nil
}

// swapBack undoes an exchange. If what comes back is not the file that was put
// there, another program has replaced it meanwhile: its file is the newest and
// goes back in place, which is an exchange to be looked at like the first.
func (o *Object) swapBack(t *temp, placed Info) error {
	for range swapTries {
		older, err := o.parent.lstat(t.name)
		if err == nil {
			err = o.parent.rename(t.name, o.parent, o.base, renameExchange)
		}
		if err != nil {
			t.gone = true // what belongs in place is under the temporary name: keep it
			return err
		}
		back, err := o.parent.lstat(t.name)
		if err != nil || back.same(placed) {
			return err
		}
		placed = older
	}
	t.gone = true
	return ErrChanged
}

// swapTries bounds how often swapBack starts again because others replace the
// file in the very same moments.
const swapTries = 16

// commitChecked is the weaker way where names can't be exchanged: check, then
// rename.
func (o *Object) commitChecked(t *temp, opts ReplaceOptions) error {
	if err := o.verify(o.base, opts); err != nil {
		return err
	}
	if err := o.here(); err != nil {
		return err
	}
	return o.place(t, renameReplace)
}

// WriteFile replaces a file's content, or makes it with mode perm. It follows
// links that stay inside, makes no directories, and is atomic.
func (j *Jail) WriteFile(name string, data []byte, perm fs.FileMode) error {
	ctx := context.Background()
	for tries := 1; ; tries++ {
		err := j.writeOnce(ctx, name, data, perm)
		if err == nil || tries == eagainLimit || !errors.Is(err, ErrChanged) || errors.Is(err, errLocked) {
			return err
		}
	}
}

// eagainLimit bounds how often a write that judges nothing starts again.
const eagainLimit = 128

func (j *Jail) writeOnce(ctx context.Context, name string, data []byte, perm fs.FileMode) error {
	o, err := j.resolve(ctx, name, Target, j.noSync)
	if err != nil {
		return err
	}
	defer func() { _ = o.Close() }()
	_, err = o.Replace(ctx, ReplaceOptions{Perm: perm, unjudged: true}, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
	return err
}
