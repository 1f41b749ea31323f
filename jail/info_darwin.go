package jail

import (
	"os"
	"syscall"
	"time"
)

func (i Info) harmlessDevice() bool { return false }

// fromFileInfo makes an Info of what os.Root tells.
func fromFileInfo(fi os.FileInfo) Info {
	info := Info{name: fi.Name(), size: fi.Size(), mode: fi.Mode(), mtime: fi.ModTime(), origin: fi}
	if st, ok := fi.Sys().(*syscall.Stat_t); ok {
		info.ctime = time.Unix(st.Ctimespec.Unix())
		info.nlink = uint64(st.Nlink)
		info.uid, info.gid = st.Uid, st.Gid
		info.id = FileID{Dev: uint64(st.Dev), Ino: st.Ino} //nolint:gosec // a device number, not a quantity
	}
	return info
}
