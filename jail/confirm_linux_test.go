package jail

import (
	"errors"
	"io"
	"os"
	"strings"
	"testing"
)

// What makes a name is asked about it afterwards, and undone if that is not well.
func TestOnMade(t *testing.T) {
	ctx := t.Context()
	write := func(w io.Writer) error { _, err := io.WriteString(w, "new"); return err }
	for _, c := range []struct {
		name, to string
		do       func(j *Jail, dst *Object) error
		made     string // last of the names that were asked about
		undone   []string
	}{
		{"write", "d/n/m/f", func(_ *Jail, dst *Object) error {
			_, err := dst.Replace(ctx, ReplaceOptions{Parents: true}, write)
			return err
		}, "d/n/m/f", []string{"-d/n"}},
		{"mkdir", "d/n/m", func(_ *Jail, dst *Object) error { _, err := dst.Mkdir(ctx, 0o777); return err }, "d/n/m", []string{"-d/n"}},
		{"move", "d/m", func(j *Jail, dst *Object) error {
			return acting(Entry, func(o *Object) error { return o.MoveTo(ctx, dst, false, nil) })(j, "s/f")
		}, "d/m", []string{"-d/m", "s/f = f"}},
		{"move tree", "d/m", func(j *Jail, dst *Object) error {
			return acting(Entry, func(o *Object) error { return o.MoveTo(ctx, dst, false, nil) })(j, "s")
		}, "d/m", []string{"-d/m", "s/f = f"}},
		{"copy", "d/c", func(j *Jail, dst *Object) error {
			return acting(Existing, func(o *Object) error { _, _, err := o.CopyTo(ctx, dst, false, nil); return err })(j, "s")
		}, "d/c/f", []string{"-d/c/f", "s/f = f"}},
		{"copy link", "d/c", func(j *Jail, dst *Object) error {
			return acting(Entry, func(o *Object) error { _, _, err := o.CopyTo(ctx, dst, false, nil); return err })(j, "l")
		}, "d/c", []string{"-d/c"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			engines(t, func(t *testing.T, e Engine) {
				for _, refuse := range []bool{true, false} {
					base := fastDir(t)
					makeTree(t, base, "d/x = x", "s/f = f", "l => s")
					j := newJail(t, base, WithEngine(e))
					mine := errors.New("mine")
					asked := false
					err := acting(Target, func(dst *Object) error {
						dst.OnMade(func(o *Object, made []string) error {
							for _, real := range made {
								if _, err := os.Lstat(real); err != nil {
									t.Errorf("asked about %s, which is not there", real)
								}
							}
							check(t, o.InPlace(ctx))
							if made[len(made)-1] != base+"/"+c.made {
								return nil
							}
							asked = true
							if refuse {
								return mine
							}
							return nil
						})
						return c.do(j, dst)
					})(j, c.to)
					switch {
					case !asked:
						t.Errorf("not asked: %v", err)
					case refuse:
						if !errors.Is(err, mine) {
							t.Errorf("%v", err)
						}
						wantTree(t, base, c.undone...)
					default:
						check(t, err)
						if _, err := os.Lstat(base + "/" + c.made); err != nil {
							t.Error(err)
						}
					}
				}
			})
		})
	}
}

// Nobody is asked about what only replaces something.
func TestOnMadeReplacing(t *testing.T) {
	base := fastDir(t)
	makeTree(t, base, "d/x = x")
	j := newJail(t, base)
	check(t, acting(Target, func(dst *Object) error {
		dst.OnMade(func(*Object, []string) error { return errors.New("asked") })
		_, err := dst.Replace(t.Context(), ReplaceOptions{}, func(w io.Writer) error { _, err := io.WriteString(w, "y"); return err })
		return err
	})(j, "d/x"))
	wantTree(t, base, "d/x = y")
}

// A directory that is moved while something is made in it is not in its place.
func TestInPlace(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		base := fastDir(t)
		makeTree(t, base, "a/b/x = x")
		j := newJail(t, base, WithEngine(e))
		err := acting(Target, func(dst *Object) error {
			dst.OnMade(func(o *Object, _ []string) error {
				check(t, os.Rename(base+"/a", base+"/moved"))
				return o.InPlace(t.Context())
			})
			_, err := dst.Replace(t.Context(), ReplaceOptions{}, func(io.Writer) error { return nil })
			return err
		})(j, "a/b/f")
		if !errors.Is(err, ErrChanged) {
			t.Errorf("%v", err)
		}
		wantTree(t, base, "-moved/b/f", "moved/b/x = x")
	})
}

// What is made beneath a directory after it was judged is judged when it has
// moved, and the move is undone; also where the old name is taken by then.
func TestMoveJudgesAgain(t *testing.T) {
	engines(t, func(t *testing.T, e Engine) {
		for _, taken := range []bool{false, true} {
			base := fastDir(t)
			makeTree(t, base, "a/x = x")
			j := newJail(t, base, WithEngine(e))
			mine := errors.New("mine")
			err := acting(Target, func(dst *Object) error {
				dst.OnMade(func(*Object, []string) error {
					check(t, os.WriteFile(base+"/z/late", nil, 0o600))
					if taken {
						check(t, os.Mkdir(base+"/a", 0o700))
					}
					return nil
				})
				return acting(Entry, func(o *Object) error {
					return o.MoveTo(t.Context(), dst, false, func(_, dest string, _ Info) error {
						if dest == base+"/z/late" {
							return mine
						}
						return nil
					})
				})(j, "a")
			})(j, "z")
			if !errors.Is(err, mine) {
				t.Errorf("%v", err)
			}
			wantTree(t, base, "-z")
			found := 0
			names, err := os.ReadDir(base)
			check(t, err)
			for _, n := range names {
				if _, err := os.Stat(base + "/" + n.Name() + "/x"); err == nil && strings.HasPrefix(n.Name(), "a") {
					found++
				}
			}
			if found != 1 {
				t.Errorf("the directory went away: %v", names)
			}
		}
	})
}
