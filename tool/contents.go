package tool

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
)

// maxPinned bounds the bytes that are hashed for one request. Of files beyond,
// the size, the times and the identity count.
const maxPinned = 64 << 20

// pins works out what the objects of one call hold.
type pins struct {
	box  *Toolbox
	left int64 // bytes that may still be hashed
}

// of tells what the object of a target holds, and with whole what lies beneath.
// The object is opened anew: that of a target can be opened once only.
func (p *pins) of(ctx context.Context, g *target, whole bool) (ContentView, error) {
	v := ContentView{Path: text.DisplayName(g.Real())}
	switch {
	case g.err != nil:
		v.Path, v.Type = text.DisplayName(g.path), string(g.err.Kind)
		return v, nil
	case !g.exists():
		v.Type = "absent"
		return v, nil
	}
	info := g.obj.Info()
	v.Type, v.Size, v.Mode = typeName(info.Mode()), info.Size(), fmt.Sprintf("%04o", info.Mode().Perm())
	if info.IsSpecial() {
		return v, nil // it holds nothing
	}
	obj, err := p.box.Workspace.Jail().Resolve(ctx, g.Real(), jail.Entry)
	if err != nil {
		return v, err
	}
	defer obj.Close()
	if obj.Info().ID() != info.ID() {
		return v, conflictWith(g)
	}
	switch {
	case info.IsDir():
		v.Size = 0
		if whole {
			v.State, v.Entries, err = fingerprint(ctx, obj)
		}
	case info.IsLink():
		v.Target, err = obj.Readlink()
		v.Target = text.DisplayName(v.Target)
	default:
		err = p.hash(ctx, obj, &v)
	}
	return v, err
}

// hash adds what a file holds.
func (p *pins) hash(ctx context.Context, obj *jail.Object, v *ContentView) error {
	f, err := obj.Open()
	if err != nil {
		return err
	}
	defer f.Close()
	v.Size, v.MTime = f.Info().Size(), stamp(f.Info().ModTime())
	if v.Size > p.left {
		v.State = stateOf(f.Info())
		return nil
	}
	h := sha256.New()
	n, err := io.Copy(h, &patientReader{ctx, io.LimitReader(f, p.left+1)})
	if err != nil {
		return err
	}
	p.left = max(0, p.left-n)
	v.Size, v.SHA256 = n, hex.EncodeToString(h.Sum(nil))
	return nil
}

// stateOf tells an object's state apart from others without reading it.
func stateOf(i jail.Info) string {
	return fmt.Sprintf("%d %d %d %d %d", i.ID().Dev, i.ID().Ino, i.Size(), i.ModTime().UnixNano(), i.ChangeTime().UnixNano())
}

// fingerprint digests the names, types, sizes, times and identities of all that
// lies beneath a directory.
func fingerprint(ctx context.Context, obj *jail.Object) (state string, entries int, err error) {
	h := sha256.New()
	err = obj.Walk(ctx, jail.WalkOptions{Sorted: true, Stat: true}, func(e *jail.WalkEntry) error {
		if err := e.Err(); err != nil {
			return err
		}
		info, err := e.Info()
		if err != nil {
			return err
		}
		if entries++; entries > maxBeneath {
			return fail(LimitExceeded, fmt.Sprintf("a directory holds more than %d entries; take its parts one by one", maxBeneath))
		}
		fmt.Fprintf(h, "%q %v %s\n", e.Path(), info.Mode(), stateOf(info))
		return nil
	})
	return hex.EncodeToString(h.Sum(nil)), entries, err
}

// pinned is a view as a digest takes it. The time of a file that was hashed means
// nothing.
func (v *ContentView) pinned() []string {
	return []string{v.Path, v.Type, fmt.Sprint(v.Size), v.Mode, v.SHA256, v.Target, v.State, fmt.Sprint(v.Entries)}
}
