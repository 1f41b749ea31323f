package jail

import (
	"context"
	"path"
	"strings"
)

// A Confirm looks at names right after an act has made them. o is the object that
// was to be made, or one beneath it, and made lists the real paths that were not
// there before, outermost first. An error undoes the act and is returned as it is.
//
// It is for decisions that depend on what else is there: two acts that are decided
// upon at the same time do not see each other, but of two that both look after
// they have acted, one sees what the other has made.
type Confirm func(o *Object, made []string) error

// OnMade has f called by every act through o that makes names: directories above
// o, o itself, and all beneath it in a copy. It is not called for what replaces
// something.
func (o *Object) OnMade(f Confirm) { o.confirm = f }

// InPlace makes sure that the directory which holds the object's name, and in
// which the acts take place, still has the real path that it had. It fails with
// ErrChanged if it was moved meanwhile.
func (o *Object) InPlace(ctx context.Context) error {
	dirname := path.Dir(o.Real())
	for range o.absent {
		dirname = path.Dir(dirname)
	}
	if o.parent == nil || !strings.Contains(o.rel, "/") || dirname == o.folder.Real {
		return nil // the folder itself is held open for life
	}
	now, err := o.j.Resolve(ctx, dirname, Existing)
	switch {
	case ctx.Err() != nil:
		return o.fail("confirm", ctx.Err())
	case err != nil:
		return o.fail("confirm", ErrChanged)
	}
	defer func() { _ = now.Close() }()
	if now.self == nil || now.Real() != dirname {
		return o.fail("confirm", ErrChanged)
	}
	return o.fail("confirm", sameDir(o.parent, now.self))
}

// confirmMade asks about names that were just made, if there are any.
func (o *Object) confirmMade(made []string) error {
	if o.confirm == nil || len(made) == 0 {
		return nil
	}
	if err := o.confirm(o, made); err != nil {
		return &callersError{err}
	}
	return nil
}

// madeName is a directory that an act made.
type madeName struct {
	in   dir
	name string
	info Info
}

// unmake removes a name that was just made, if it still stands for the same
// object, and the directories that were made above it. A directory that holds
// something by now stays.
func (o *Object) unmake(in dir, name string, info Info) {
	if now, err := in.lstat(name); err == nil && now.same(info) {
		_ = in.remove(name, info.IsDir())
	}
	o.unmakeParents()
}

func (o *Object) unmakeParents() {
	for i := len(o.made) - 1; i >= 0; i-- {
		m := o.made[i]
		if now, err := m.in.lstat(m.name); err == nil && now.same(m.info) {
			_ = m.in.remove(m.name, true)
		}
	}
}
