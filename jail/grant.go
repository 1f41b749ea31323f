package jail

import (
	"errors"
	"io/fs"
)

// GrantOwner gives the owner of a directory in a writable folder all rights to it,
// the folder itself included, so that what somebody shut away in it can be looked
// at and removed. It takes no rights from anybody.
func (o *Object) GrantOwner() error {
	const all = 0o700
	if o.folder.Mode != ReadWrite {
		return o.fail("chmod", errReadOnly)
	}
	d, err := o.directory()
	if err != nil {
		return o.fail("chmod", err)
	}
	info, err := d.info()
	if err != nil || info.mode&all == all {
		return o.fail("chmod", err)
	}
	g, ok := d.(interface{ chmod(mode fs.FileMode) error })
	if !ok {
		return o.fail("chmod", errors.ErrUnsupported)
	}
	return o.fail("chmod", g.chmod(info.mode|all))
}
