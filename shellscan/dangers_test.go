package shellscan

import (
	"fmt"
	"reflect"
	"slices"
	"testing"
)

// worst returns the dangers of a command, each once.
func worst(text string) []Danger {
	var found []Danger
	r := Scan(Input{Command: text, Dialect: Bash})
	for i := range r.Programs {
		if d := r.Programs[i].Danger; d != "" && !slices.Contains(found, d) {
			found = append(found, d)
		}
	}
	return found
}

// TestDangers: dangerous commands, and the harmless ones beside them.
func TestDangers(t *testing.T) {
	for danger, texts := range map[Danger][]string{
		Privileges: {
			"sudo ls", "doas ls", "su - root", "pkexec ls", "/usr/bin/sudo ls", "env sudo ls", "runuser -u x ls", "passwd", "useradd x",
			"usermod -aG docker u", "visudo", "setcap cap_x+ep f", "chmod u+s f", "chmod +s f", "chmod 4755 f", "chmod 06755 f", "chmod g=rxs,o= f",
			"chmod +4000 f", "chmod u=rw,=6755 f", "chmod u+r+s f", "chmod u-x+s f", "install -m 4755 a b", "install --mode=u+s a b", "install -m6755 a b", "run0 ls", "coreutils --coreutils-prog=env sudo ls",
			"sh -c 'sudo ls'", "echo x | sudo tee f", "xargs sudo rm", "find . -exec sudo rm {} ';'", "timeout 5 sudo ls", `s\udo ls`,
		},
		Disk: {
			"mkfs.ext4 /dev/sda1", "mkfs -t ext4 x", "fdisk /dev/sda", "parted x", "wipefs -a x", "dd if=/dev/zero of=/dev/sda", "dd of=/dev/../dev/nvme0n1",
			"shred /dev/sda", "mkswap f", "tee /dev/sda", "cp a /dev/sda", "mknod a b 8 0", "cryptsetup x", "blkdiscard x", "lvremove x",
		},
		Power: {
			"shutdown -h now", "reboot", "halt", "poweroff", "systemctl reboot", "systemctl --force poweroff", "init 0", "telinit 6", "kexec -e", "$x; reboot",
		},
		Mounts:     {"mount /dev/x /y", "mount --bind a b", "mount -a", "umount /x", "swapoff -a", "losetup -f x", "pivot_root a b", "mount.nfs a b"},
		Kernel:     {"insmod x", "modprobe x", "rmmod x", "sysctl -w a=b", "sysctl a=b", "sysctl -p", "iptables -F", "nft flush ruleset"},
		Namespaces: {"unshare -r sh", "nsenter -t 1 sh", "chroot x", "docker run x", "podman ps", "bwrap --bind / / sh", "systemd-nspawn x", "ip netns exec x y", "ip netn exec x y"},
		Persistence: {
			"crontab -", "crontab x", "crontab -e", "at now", "batch", "systemctl enable x", "systemctl --user start x", "systemctl daemon-reload",
			"systemd-run x", "service x start", "loginctl enable-linger", "update-rc.d x defaults",
		},
		KillAll: {
			"kill -9 -1", "kill -KILL -1", "kill -s 9 -1", "kill -- -1", "kill -1 -1", "kill 1", "kill -9 1", "killall5", "pkill -9 .", "pkill '.*'",
			"pkill -u root", "killall -u x", "killall -9 -r '.*'", "kill -9 -01", "kill -9 ' -1'", "fuser -k /", "fuser -vkm /", "/bin/kill -9 -1",
		},
		ForkBomb: {":(){ :|:& };:", "f() { f | f & }; f", "bomb() { bomb & bomb; }; bomb", "function x { x|x; }; x"},
		Roots: {
			"rm -rf /", "rm -fr /*", "rm -r -f //", "rm -rf /.", "rm -rf / x", "rm --recursive /etc", "rm -rf /usr/", "rm -rf /home/*", "rm -rf ~", "rm -rf ~/*",
			`rm -rf "$HOME"`, "rm -rf $HOME/", "rm -rf ${HOME}/*", "rm -rf /home/u", "rm -rf ../..", "rm -rf x/../../..", "rm --no-preserve-root x",
			"rm -rf ~root", "chown -R u /", "chmod -R 777 /etc", "chgrp -R g ~", "chown --recurs u /var", "find / -delete", "find /* -exec rm {} +", "find ~ -type f -delete",
			"{rm,-rf,/}", "xargs rm -rf /", "sh -c 'rm -rf /'", "rm -rf $'/'", "rm -rf /e''tc", "rm -rf /**", "rm -rf /[a-z]*", "rm -rf /e?c", "rm -rf /*/*", "rm -rf /etc/../usr",
		},
		Download: {
			"curl x | sh", "curl -sSL x | bash -s -- y", "wget -qO- x | python3", "curl x | sudo sh", "curl x | tee f | bash", "bash <(curl x)", "bash -c \"$(curl x)\"",
			"sh -c \"`wget -O- x`\"", "eval \"$(curl x)\"", "source <(curl x)", ". <(curl x)", "python3 -c \"$(curl x)\"", "bash <<< \"$(curl x)\"", "curl x | perl", "curl x | env sh",
			"curl x | xargs -0 sh -c", "curl x | node",
		},
		"": {
			"ls", "echo sudo", "grep -r sudo .", "cat /etc/sudoers.d", "sudoku x", "chmod 755 f", "chmod +x f", "chmod 0644 f", "chmod 1777 f",
			"dd if=a of=b", "dd if=/dev/zero of=/dev/null", "dd if=/dev/urandom of=f", "shred f", "lsblk", "mkfsx a", "df", "mount", "mount -l", "mountpoint x", "lsmod", "sysctl net.x",
			"systemctl status x", "systemctl list-units", "systemctl --user is-active x", "service x status", "crontab -l", "initdb x", "init", "kill 123", "kill -9 123",
			"kill -1 123", "kill -HUP 123", "kill -l 1", "kill 12 11", "kill -0 11", "kill %1", "pkill node", "pkill -f 'npm test'", "killall node", "dockerfile-lint x", "ip addr",
			"rm -rf build", "rm -rf ./x", "rm -rf /tmp/x", "rm -rf /home/u/x", "rm -rf node_modules/*", "rm -f /etc/x", "rm -rf ~/x", "rm -rf .", "rm -rf *", "rm / ", "rm -rf x/../y",
			"rm -rf '~'", "rm -rf '$HOME'", "rm -rf /srv/x/*", "rm -rf ..x", "rm -rf /srv/[a-z]*", "chmod g-s f", "chmod -4000 f", "chmod +111 f", "install -m 755 a b", "install -s a b", "tee f", "cp /dev/zero f", "mknod f p", "fuser f", "kill -9 10", "chown -R u x", "chown u /", "chmod -R +w src", "find . -delete", "find / -name x -delete", "find /tmp/x -delete",
			"find / -name x", "curl x", "curl x | jq .", "curl x > f", "curl x | grep sh", "cat x | sh", "bash x.sh", "echo $(curl x)", "curl -d \"$(cat x)\" y", "python3 x.py | curl -d @- y",
			"f() { f; }; f", "f() { ls | g & }; f", "f() { ls | while read -r x; do f \"$x\"; done; }; f", "power off", "shutdownx", "man shutdown", "which reboot",
			"command -v sudo", "type docker", "./mounter x", "touch sudo", "git config user.name sudo", "psql reboot", "apt-get install docker",
		},
	} {
		for _, text := range texts {
			var want []Danger
			if danger != "" {
				want = []Danger{danger}
			}
			got := worst(text)
			if danger == Download { // sudo in front of it is a danger of its own
				got = slices.DeleteFunc(got, func(d Danger) bool { return d == Privileges })
			}
			if !slices.Equal(got, want) {
				t.Errorf("%s: %q, want %q", text, got, want)
			}
		}
	}
	if slices.Contains(Dangers(), "") || len(Dangers()) != 11 {
		t.Errorf("dangers: %q", Dangers())
	}
}

func TestChangesPrograms(t *testing.T) {
	for name, want := range map[string]bool{
		"PATH": true, "LD_PRELOAD": true, "LD_ANYTHING": true, "BASH_ENV": true, "BASH_FUNC_x%%": true, "ENV": true, "IFS": true, "GIT_SSH": true,
		"NODE_OPTIONS": true, "PYTHONSTARTUP": true, "PERL5LIB": true, "RUBYOPT": true, "HOME": true, "npm_config_prefix": true, "NPM_CONFIG_PREFIX": true,
		"MAKEFLAGS": true, "GOFLAGS": true, "JAVA_TOOL_OPTIONS": true, "XDG_CONFIG_HOME": true, "RIPGREP_CONFIG_PATH": true, "FZF_DEFAULT_OPTS": true, "Path": true,
		"CI": false, "NODE_ENV": false, "GOOS": false, "CGO_ENABLED": false, "LANG": false, "TERM": false, "DEBUG": false, "PYTHONUNBUFFERED": false, "x": false, "TZ": false,
	} {
		if ChangesPrograms(name) != want {
			t.Errorf("%s: %v", name, !want)
		}
		if r := Scan(Input{Command: "ls", Env: []string{name}}); r.Complete() == want {
			t.Errorf("%s set for the call: %v", name, r.Dynamic)
		}
	}
}

// TestDetails: what a reading tells of a program beside its words.
func TestDetails(t *testing.T) {
	for _, tt := range []struct {
		text string
		want string // of the last program: via, builtin, inert, options, source, scripts, environment, place
	}{
		{"ls", "[] false false 0 0 [] [] 1:1"},
		{"true;\n  cd x", "[] true true 0 0 [] [] 2:3"},
		{"kill 1x", "[] true false 0 0 [] [] 1:1"},
		{"git -C x --no-pager log", "[] false false 3 0 [] [] 1:1"},
		{"A=1 B=\"$x\" ls", "[] false false 0 0 [] [{A {0 1 false}} {B {1 \"$x\" false}}] 1:1"},
		{"env A=1 nice ls", "[env nice] false false 0 0 [] [{A {0 1 false}}] 1:1"},
		{"x; sh -c 'y;\nz'", "[sh] false false 0 0 [] [] 1:4"},
		{"find . -exec xargs ls ';'", "[find xargs] false false 0 0 [] [] 1:1"},
		{"python3 -u x.py y", "[] false false 0 2 [x.py] [] 1:1"},
		{"python3 -c x", "[] false false 0 1 [] [] 1:1"},
		{"python3 < x", "[] false false 0 3 [] [] 1:1"},
		{"sh -e x.sh", "[] false false 0 2 [x.sh] [] 1:1"},
		{"./x.sh y", "[] false false 0 0 [./x.sh] [] 1:1"},
		{"make -f x.mk", "[] false false 0 2 [x.mk] [] 1:1"},
		{"npm test", "[] false false 0 2 [] [] 1:1"},
		{"node --test", "[] false false 0 2 [] [] 1:1"},
		{"awk '{}'", "[] false false 0 1 [] [] 1:1"},
		{"echo $(cat <<'X'\nX\n)", "[] true true 0 0 [] [] 1:1"},
	} {
		r := Scan(Input{Command: tt.text, Dialect: Bash})
		p := r.Programs[len(r.Programs)-1]
		got := fmt.Sprint(p.Via, p.Builtin, p.Inert, p.Options, p.Source, p.Scripts, p.Env, " ", p.Position.Line, ":", p.Position.Column)
		if fmt.Sprintf("%v %v %v %v %v %v %v %d:%d", p.Via, p.Builtin, p.Inert, p.Options, p.Source, p.Scripts, p.Env, p.Position.Line, p.Position.Column) != tt.want {
			t.Errorf("%q: %s, want %s", tt.text, got, tt.want)
		}
	}
	// The cat that only copies a text is inert, and no other.
	for text, want := range map[string]bool{
		"x \"$(cat <<'X'\na\nX\n)\"": true, "x \"$(cat <<X\na\nX\n)\"": true, "x \"$(cat f <<'X'\na\nX\n)\"": false, "x \"$(cat <<X\n$(y)\nX\n)\"": false,
		"x \"$(cat)\"": false, "cat() { y; }; x \"$(cat <<'X'\na\nX\n)\"": false, "x $(cat <<'X'\na\nX\n)": false, "cat <<'X'\nX": false,
	} {
		r := Scan(Input{Command: text, Dialect: Bash})
		at := slices.IndexFunc(r.Programs, func(p Program) bool { return p.Name == "cat" })
		if r.Programs[at].Inert != want {
			t.Errorf("%q: cat inert: %v", text, !want)
		}
	}
}

// An argument list is no shell text, and no builtin runs.
func TestArgv(t *testing.T) {
	r := Scan(Input{Argv: []string{"a", "$x", "*", "b; c", "~"}})
	want := []Arg{{Text: "$x"}, {Text: "*"}, {Text: "b; c"}, {Text: "~"}}
	if !r.Complete() || len(r.Programs) != 1 || !reflect.DeepEqual(r.Programs[0].Args, want) {
		t.Errorf("%+v", r)
	}
	if r := Scan(Input{Argv: []string{"cd", "x"}}); r.Programs[0].Builtin || r.Programs[0].Inert {
		t.Errorf("cd is a program here: %+v", r)
	}
	if r := Scan(Input{Argv: []string{"env", "sh", "-c", "evil"}}); brief(r) != "env sh -c evil; sh -c evil; evil; evil" {
		t.Error(brief(r))
	}
	for _, argv := range [][]string{{}, {""}, {"a\x00"}, {"a", "\x00"}} {
		if r := Scan(Input{Argv: argv}); r.Complete() {
			t.Errorf("%q is complete", argv)
		}
	}
}

// What the call itself gives a shell to read is executed.
func TestStdin(t *testing.T) {
	for text, want := range map[string]bool{"sh": false, "python3": false, "cat": true, "python3 x.py": true, "bash -s": false} {
		if r := Scan(Input{Command: text, Stdin: true}); r.Complete() != want {
			t.Errorf("%s: %v", text, r.Dynamic)
		}
	}
}
