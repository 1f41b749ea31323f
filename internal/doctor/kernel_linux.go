package doctor

import (
	"fmt"
	"io/fs"
	"os"
	"strings"
	"syscall"

	"golang.org/x/sys/unix"
)

func kernelRelease() Check {
	var u unix.Utsname
	if err := unix.Uname(&u); err != nil {
		return Check{Name: "kernel", Status: Warn, Detail: err.Error()}
	}
	return Check{Name: "kernel", Status: Info, Detail: "Linux " + unix.ByteSliceToString(u.Release[:])}
}

// kernelFeatures are what the walls around a command are made of.
func kernelFeatures() []Check {
	return []Check{landlock(), seccomp(), userNamespaces(), cgroups()}
}

func landlock() Check {
	abi, _, errno := unix.Syscall(unix.SYS_LANDLOCK_CREATE_RULESET, 0, 0, unix.LANDLOCK_CREATE_RULESET_VERSION)
	if errno != 0 {
		return Check{Name: "landlock", Status: Warn, Detail: "not available: " + errno.Error(), Remedy: "a second wall is missing; Linux 5.13 or newer has it"}
	}
	return Check{Name: "landlock", Status: OK, Detail: fmt.Sprintf("ABI %d", abi)}
}

func seccomp() Check {
	if _, err := unix.PrctlRetInt(unix.PR_GET_SECCOMP, 0, 0, 0, 0); err != nil {
		return Check{Name: "seccomp", Status: Fail, Detail: "not available: " + err.Error()}
	}
	return Check{Name: "seccomp", Status: OK, Detail: "available"}
}

func userNamespaces() Check {
	c := Check{Name: "user namespaces", Status: OK, Detail: "permitted"}
	for _, limit := range []struct{ file, forbids, remedy string }{
		{"/proc/sys/user/max_user_namespaces", "0", "sysctl user.max_user_namespaces=15000"},
		{"/proc/sys/kernel/unprivileged_userns_clone", "0", "sysctl kernel.unprivileged_userns_clone=1"},
		{"/proc/sys/kernel/apparmor_restrict_unprivileged_userns", "1", "an AppArmor profile for bwrap, or sysctl kernel.apparmor_restrict_unprivileged_userns=0"},
	} {
		value, err := os.ReadFile(limit.file)
		if err == nil && strings.TrimSpace(string(value)) == limit.forbids {
			c.Status, c.Detail, c.Remedy = Warn, "restricted by "+limit.file, limit.remedy
		}
	}
	return c
}

func cgroups() Check {
	if _, err := os.Stat("/sys/fs/cgroup/cgroup.controllers"); err != nil {
		return Check{Name: "cgroups", Status: Warn, Detail: "no unified hierarchy (v2)", Remedy: "limits on memory and processes fall back to rlimits"}
	}
	return Check{Name: "cgroups", Status: OK, Detail: "version 2"}
}

func ownedByRoot(info fs.FileInfo) bool {
	st, ok := info.Sys().(*syscall.Stat_t)
	return ok && st.Uid == 0
}
