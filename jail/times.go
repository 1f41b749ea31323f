package jail

import "time"

// Times are those that [Info] does not hold, because they take a system call of
// their own. A time that the system or the file system does not tell is zero.
type Times struct {
	Birth  time.Time // when the object was made
	Access time.Time // when its content was last read, as far as the mount keeps account
}

// Times tells when the object was made and last read. They are zero if it was
// replaced since it was resolved.
func (o *Object) Times() Times {
	switch {
	case !o.exists:
		return Times{}
	case o.parent != nil && o.base != "":
		return o.parent.times(o.base, o.info)
	case o.self != nil:
		return o.self.times("", o.info)
	default:
		return Times{}
	}
}

// times: what os.Root tells came with its look at the object.
func (*rootDir) times(_ string, want Info) Times { return Times{Access: want.accessed()} }
