package shellscan

import (
	"path"
	"strings"
)

// dangerous are the programs that are known for harm whatever their arguments.
var dangerous = group(map[Danger]string{
	Privileges: "sudo sudoedit doas su runuser pkexec setpriv capsh gosu su-exec sg newgrp visudo vipw vigr passwd chpasswd gpasswd " +
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
	"dd":        ddDanger,
	"shred":     func(args []Arg) Danger { return when(anyArg(args, isDevice), Disk) },
	"mount":     mountDanger,
	"sysctl":    func(args []Arg) Danger { return when(anyArg(args, setsKernel), Kernel) },
	"init":      func(args []Arg) Danger { return when(anyArg(args, runLevel), Power) },
	"systemctl": systemctlDanger,
	"service":   func(args []Arg) Danger { return when(len(args) > 1 && args[1].Text != "status", Persistence) },
	"loginctl":  func(args []Arg) Danger { return when(hasArg(args, "enable-linger"), Persistence) },
	"crontab":   func(args []Arg) Danger { return when(!hasArg(args, "-l"), Persistence) },
	"ip":        func(args []Arg) Danger { return when(hasArg(args, "netns"), Namespaces) },
	"kill":      killDanger,
	"pkill":     pkillDanger,
	"killall":   pkillDanger,
	"chmod":     chmodDanger,
	"chown":     ownerDanger,
	"chgrp":     ownerDanger,
	"rm":        rmDanger,
	"find":      findDanger,
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
		case word == "-1" && (signal || i > 0), word == "1" && (i == 0 || signal):
			return KillAll
		case strings.HasPrefix(word, "-"):
			signal = true
		}
	}
	return ""
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
		if who, perms, ok := cutSign(clause); ok && strings.Contains(perms, "s") &&
			strings.Trim(who, "ugoa") == "" && strings.Trim(perms, "rwxXst") == "" {
			return true
		}
	}
	return false
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
		for _, all := range []string{"/*", "/.*", "/.[!.]*", "/?*", "/{*,.*}"} {
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
	return systemRoots[text] || path.Dir(text) == "/home" || path.Dir(text) == "/Users"
}

// mayBeRoot returns why a recursive deletion could turn out to be one of a root:
// "$DIR"/* is /* where DIR is empty.
func mayBeRoot(base string, args []Arg) string {
	if base != "rm" && base != "chown" && base != "chmod" && base != "chgrp" || !recursive(args, "rR") {
		return ""
	}
	for _, arg := range args {
		if arg.Kind == Literal || !strings.Contains(arg.Text, "$") {
			continue
		}
		if rest := withoutExpansions(arg.Text); rest == "/" || rest == "/*" || rest == "/.*" {
			return base + " " + quote(arg.Text) + " may be the root directory"
		}
	}
	return ""
}

// withoutExpansions leaves out variables and quotes.
func withoutExpansions(text string) string {
	var b strings.Builder
	for i := 0; i < len(text); i++ {
		switch {
		case text[i] == '"':
		case text[i] == '$' && i+1 < len(text) && text[i+1] == '{':
			end := strings.IndexByte(text[i:], '}')
			if end < 0 {
				return text
			}
			i += end
		case text[i] == '$':
			for i+1 < len(text) && (text[i+1] == '_' || text[i+1] >= '0' && text[i+1] <= '9' || text[i+1]|0x20 >= 'a' && text[i+1]|0x20 <= 'z') {
				i++
			}
		default:
			b.WriteByte(text[i])
		}
	}
	return b.String()
}
