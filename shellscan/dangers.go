package shellscan

import (
	"path"
	"strconv"
	"strings"
)

// dangerous are the programs that are known for harm whatever their arguments.
var dangerous = group(map[Danger]string{
	Privileges: "sudo sudo-rs sudoedit run0 su-rs ksu pfexec please sulogin chgpasswd newusers doas su runuser pkexec setpriv capsh gosu su-exec sg newgrp visudo vipw vigr passwd chpasswd gpasswd " +
		"useradd userdel usermod groupadd groupdel groupmod adduser deluser addgroup delgroup chsh chfn setcap",
	Disk: "fdisk sfdisk cfdisk gdisk sgdisk cgdisk parted partprobe wipefs blkdiscard hdparm sdparm nvme mdadm cryptsetup " +
		"mkfs mke2fs mkswap mkntfs mkdosfs fsck e2fsck tune2fs resize2fs debugfs badblocks dmsetup lvcreate lvremove lvreduce vgcreate vgremove " +
		"pvcreate pvremove zpool zfs btrfs",
	Power:  "shutdown reboot halt poweroff telinit kexec pm-suspend pm-hibernate rtcwake",
	Mounts: "umount swapon swapoff losetup pivot_root switch_root fusermount fusermount3 udisksctl",
	Kernel: "insmod rmmod modprobe kmod depmod bpftool iptables ip6tables iptables-restore nft ebtables arptables ipset " +
		"setenforce apparmor_parser aa-disable auditctl",
	Namespaces: "unshare nsenter chroot bwrap firejail systemd-nspawn machinectl docker podman nerdctl ctr crictl runc crun lxc lxd " +
		"lxc-start lxc-attach lxc-execute buildah dockerd containerd docker-compose podman-compose",
	Persistence: "at batch atd systemd-run update-rc.d chkconfig rc-update launchctl anacron incrontab",
	KillAll:     "killall5",
})

func group(lists map[Danger]string) map[string]Danger {
	out := map[string]Danger{}
	for danger, list := range lists {
		for _, name := range strings.Fields(list) {
			out[name] = danger
		}
	}
	return out
}

// dangerOf tells what a program called like this is known for.
func dangerOf(base string, args []Arg) Danger {
	if d, ok := dangerous[base]; ok {
		return d
	}
	if strings.HasPrefix(base, "mkfs.") || strings.HasPrefix(base, "fsck.") {
		return Disk
	}
	if strings.HasPrefix(base, "mount.") || strings.HasPrefix(base, "umount.") {
		return Mounts
	}
	if judge, ok := dangerousCalls[base]; ok {
		return judge(args)
	}
	return ""
}

// dangerousCalls judge the programs that are harmless with other arguments.
var dangerousCalls = map[string]func([]Arg) Danger{
	"dd":  ddDanger,
	"tee": func(args []Arg) Danger { return when(anyArg(args, isDevice), Disk) },
	"cp":  func(args []Arg) Danger { return when(len(args) > 1 && isDevice(args[len(args)-1].Text), Disk) },
	"mknod": func(args []Arg) Danger {
		return when(hasArg(args, "b") || hasArg(args, "c") || hasArg(args, "u"), Disk)
	},
	"install": func(args []Arg) Danger { return when(anyArg(args, installsSetID), Privileges) },
	"fuser": func(args []Arg) Danger {
		return when(anyArg(args, func(w string) bool { return isShort(w, "k") || isLong(w, "kill") }), KillAll)
	},
	"shred":     func(args []Arg) Danger { return when(anyArg(args, isDevice), Disk) },
	"mount":     mountDanger,
	"sysctl":    func(args []Arg) Danger { return when(anyArg(args, setsKernel), Kernel) },
	"init":      func(args []Arg) Danger { return when(anyArg(args, runLevel), Power) },
	"systemctl": systemctlDanger,
	"service":   func(args []Arg) Danger { return when(len(args) > 1 && args[1].Text != "status", Persistence) },
	"loginctl": func(args []Arg) Danger {
		return when(hasArg(args, "enable-linger"), Persistence) + when(anyArg(args, func(w string) bool { return hasWord("poweroff reboot halt", w) }), Power)
	},
	"crontab": func(args []Arg) Danger { return when(!hasArg(args, "-l"), Persistence) },
	"ip": func(args []Arg) Danger {
		return when(anyArg(args, func(w string) bool { return strings.HasPrefix(w, "netn") || w == "vrf" }), Namespaces)
	},
	"kill":    killDanger,
	"pkill":   pkillDanger,
	"killall": pkillDanger,
	"chmod":   chmodDanger,
	"chown":   ownerDanger,
	"chgrp":   ownerDanger,
	"rm":      rmDanger,
	"find":    findDanger,
}

func when(yes bool, d Danger) Danger {
	if yes {
		return d
	}
	return ""
}

func anyArg(args []Arg, is func(string) bool) bool {
	for _, arg := range args {
		if is(arg.Text) {
			return true
		}
	}
	return false
}

// isDevice reports whether a path is a device, but for those that swallow.
func isDevice(p string) bool {
	p = path.Clean(p)
	return strings.HasPrefix(p, "/dev/") && p != "/dev/null" && p != "/dev/zero" && p != "/dev/full" &&
		!strings.HasPrefix(p, "/dev/shm/") && !strings.HasPrefix(p, "/dev/std") && !strings.HasPrefix(p, "/dev/fd/") && p != "/dev/tty"
}

func ddDanger(args []Arg) Danger {
	return when(anyArg(args, func(word string) bool {
		out, ok := strings.CutPrefix(word, "of=")
		return ok && isDevice(out)
	}), Disk)
}

// mountDanger: without arguments, mount lists.
func mountDanger(args []Arg) Danger {
	return when(anyArg(args, func(word string) bool { return word != "-l" && word != "--version" && word != "--help" }), Mounts)
}

func setsKernel(word string) bool {
	return strings.Contains(word, "=") || hasWord("-w --write -p --load --system", word) || strings.HasPrefix(word, "-p")
}

func runLevel(word string) bool { return hasWord("0 1 2 3 4 5 6 s S", word) }

// systemctlReads are the commands of systemctl that change nothing.
const systemctlReads = "status show cat is-active is-enabled is-failed is-system-running list-units list-unit-files " +
	"list-timers list-sockets list-dependencies list-jobs list-machines get-default help show-environment"

func systemctlDanger(args []Arg) Danger {
	for _, arg := range args {
		switch {
		case strings.HasPrefix(arg.Text, "-"):
		case hasWord(systemctlReads, arg.Text):
			return ""
		case hasWord("poweroff reboot halt kexec suspend hibernate hybrid-sleep suspend-then-hibernate rescue emergency exit isolate", arg.Text):
			return Power
		default:
			return Persistence
		}
	}
	return ""
}

// killDanger finds -1, every process, and 1, the first, behind the signal.
func killDanger(args []Arg) Danger {
	signal := false
	for i, arg := range args {
		word := arg.Text
		switch {
		case !signal && (hasWord("-s -n --signal", word) || strings.HasPrefix(word, "--signal=") || word == "--"):
			signal = true
		case hasWord("-l -L -t --list --table", word):
			return ""
		case word == "-1" && i == 0 && len(args) > 1:
			signal = true
		case isProcess(word, -1) && (signal || i > 0), isProcess(word, 1) && (i == 0 || signal):
			return KillAll
		case strings.HasPrefix(word, "-"):
			signal = true
		}
	}
	return ""
}

// isProcess reports whether a word is a number, in any of its spellings.
func isProcess(word string, number int) bool {
	n, err := strconv.Atoi(strings.TrimSpace(word))
	return err == nil && n == number
}

// pkillDanger finds patterns that match every process.
func pkillDanger(args []Arg) Danger {
	pattern := false
	for _, arg := range args {
		if strings.HasPrefix(arg.Text, "-") {
			continue
		}
		if strings.Trim(arg.Text, ".*^$+?()") == "" {
			return KillAll
		}
		pattern = true
	}
	byUser := anyArg(args, func(word string) bool {
		return strings.HasPrefix(word, "-u") || strings.HasPrefix(word, "-U") || hasWord("--user --euid --uid", strings.SplitN(word, "=", 2)[0]) ||
			strings.HasPrefix(word, "-v") || word == "--inverse"
	})
	return when(byUser || !pattern && len(args) > 1, KillAll)
}

func chmodDanger(args []Arg) Danger {
	if anyArg(args, setsID) {
		return Privileges
	}
	return ownerDanger(args)
}

// setsID reports whether a mode sets the set-user-ID or set-group-ID bit.
func setsID(word string) bool {
	if word != "" && strings.Trim(word, "01234567") == "" {
		digits := strings.TrimLeft(word, "0")
		return len(digits) == 4 && digits[0] != '1'
	}
	for _, clause := range strings.Split(word, ",") {
		who, perms, ok := cutSign(clause)
		switch {
		case !ok || strings.Trim(who, "ugoa-rwxXst") != "":
		case strings.Contains(perms, "s") && strings.Trim(perms, "rwxXst+-=ugo") == "":
			return true
		case perms != "" && strings.Trim(perms, "01234567") == "" && setsID(perms): // GNU's +4000
			return true
		}
	}
	return false
}

// installsSetID reports whether a word of install is such a mode, alone or as
// the value of an option.
func installsSetID(word string) bool {
	if mode, ok := strings.CutPrefix(word, "-m"); ok {
		return setsID(mode)
	}
	if option, mode, ok := strings.Cut(word, "="); ok && isLong(option, "mode") {
		return setsID(mode)
	}
	return setsID(word)
}

func cutSign(clause string) (who, perms string, ok bool) {
	i := strings.IndexAny(clause, "+=")
	if i < 0 {
		return "", "", false
	}
	return clause[:i], clause[i+1:], true
}

func ownerDanger(args []Arg) Danger {
	return when(recursive(args, "R") && anyRoot(args), Roots)
}

func rmDanger(args []Arg) Danger {
	if hasArg(args, "--no-preserve-root") {
		return Roots
	}
	return when(recursive(args, "rR") && anyRoot(args), Roots)
}

// findDanger finds `find / -delete`.
func findDanger(args []Arg) Danger {
	deletes := hasArg(args, "-delete")
	for i, arg := range args {
		if strings.HasPrefix(arg.Text, "-exec") || strings.HasPrefix(arg.Text, "-ok") {
			deletes = deletes || i+1 < len(args) && hasWord("rm shred unlink chown chmod", baseName(args[i+1].Text))
		}
	}
	if !deletes {
		return ""
	}
	narrowed := anyArg(args, func(word string) bool {
		return hasWord("-name -iname -path -ipath -regex -newer -mtime -mmin -user -empty -inum -size", word)
	})
	return when(anyRoot(args) && !narrowed, Roots)
}

func recursive(args []Arg, letters string) bool {
	return anyArg(args, func(word string) bool {
		return isLong(word, "recursive") ||
			len(word) > 1 && word[0] == '-' && word[1] != '-' && strings.ContainsAny(word, letters)
	})
}

func anyRoot(args []Arg) bool {
	for _, arg := range args {
		if isRoot(arg) {
			return true
		}
	}
	return false
}

// systemRoots are the directories of / whose loss is that of the system, or of
// all that someone has.
var systemRoots = set("/ /bin /boot /dev /etc /home /lib /lib32 /lib64 /libx32 /media /mnt /opt /proc /root /run /sbin /srv /sys /usr /usr/bin /usr/lib",
	"/var /var/lib /Users /System /Library /Applications")

// homes are the spellings of a home directory.
var homes = set("~ $HOME ${HOME}")

// isRoot reports whether an argument is such a directory, or all that is in it.
func isRoot(arg Arg) bool {
	text := strings.ReplaceAll(arg.Text, `"`, "")
	for {
		trimmed := strings.TrimRight(text, "/")
		for _, all := range []string{"/*", "/**", "/?", "/.*", "/.[!.]*", "/?*", "/{*,.*}"} {
			trimmed = strings.TrimSuffix(trimmed, all)
		}
		if trimmed == text {
			break
		}
		text = trimmed
	}
	switch {
	case text == "":
		return arg.Text != "" && strings.Contains(arg.Text, "/")
	case homes[text]:
		return arg.Kind != Literal
	case arg.Kind == One && strings.HasPrefix(text, "~") && !strings.Contains(text, "/"):
		return true // another user's home
	case strings.Trim(path.Clean(text), "./") == "" && strings.Contains(path.Clean(text), ".."):
		return true
	case !strings.HasPrefix(text, "/"):
		return false
	}
	text = path.Clean(text)
	if arg.Kind == Glob && strings.ContainsAny(text, "*?[") && path.Dir(text) == "/" {
		return true // /[a-z]*, /e?c
	}
	return systemRoots[text] || path.Dir(text) == "/home" || path.Dir(text) == "/Users"
}

// mayBeDangerous returns why a call that is harmless as far as it is known may
// turn out to be dangerous, by what the run makes of its arguments: rm -r "$x"
// may be about /, and kill "$x" about -1.
func mayBeDangerous(base string, args []Arg) string {
	open := func(arg Arg) bool { return arg.Kind != Literal && !arg.path && !anchored(arg) }
	switch base {
	case "rm", "chown", "chgrp":
		return openTarget(base, args, open)
	case "chmod":
		if len(args) > 0 && open(args[0]) {
			return base + " " + quote(args[0].Text) + " is not known to be harmless"
		}
		return openTarget(base, args, open)
	case "kill", "dd", "shred", "tee", "mknod":
		for _, arg := range args {
			if open(arg) && arg.Text != "$!" && arg.Text != `"$!"` {
				return base + " " + quote(arg.Text) + " is not known to be harmless"
			}
		}
	}
	return ""
}

// openTarget finds what a recursive change could be about. An argument that may
// become several may also be the option that makes it recursive.
func openTarget(base string, args []Arg, open func(Arg) bool) string {
	recurses := recursive(args, "rR")
	options := true
	for _, arg := range args {
		switch {
		case arg.Kind == Literal && arg.Text == "--":
			options = false
		case open(arg) && (recurses || options && arg.Kind == Many):
			return base + " " + quote(arg.Text) + " may be the root directory"
		}
	}
	return ""
}

// anchored reports whether an argument that the run decides starts with a text
// that leads away from roots, or is a pattern for files below one.
func anchored(arg Arg) bool {
	text := strings.TrimLeft(arg.Text, `"`)
	if arg.Kind == Glob && !strings.ContainsAny(text, "$`") {
		return true
	}
	fixed, _, _ := strings.Cut(text, "$")
	fixed, _, _ = strings.Cut(fixed, "`")
	return strings.Trim(fixed, `./"'~{<`) != "" && !isRoot(Arg{Text: strings.TrimRight(fixed, "/") + "/"}) && !strings.HasPrefix(text, "<input")
}
