package shellscan

import "strings"

// optionless are the programs that no option can make run another one: of their
// arguments it needs not be known what the run makes of them.
var optionless = set(
	"ls dir vdir cat tac head tail wc nl od xxd hexdump strings cut paste tr fold fmt expand unexpand column rev",
	"grep egrep fgrep uniq comm join seq shuf tsort cmp cksum md5sum sha1sum sha224sum sha256sum sha384sum sha512sum b2sum sum",
	"cp mv rm mkdir rmdir touch ln link unlink truncate mktemp readlink realpath basename dirname pathchk",
	"chmod chown chgrp stat du df tree tee dd shred sync",
	"echo printf true false test [ expr sleep yes date pwd printenv id whoami groups uname hostname arch nproc tty uptime",
	"base64 base32 basenc numfmt factor jq cal kill",
)

// hazard names the options by which a program runs others.
type hazard struct {
	long  string // names of long options that may be abbreviated
	exact string // words that don't take abbreviations, with a value after = or not
	safe  string // long options that abbreviate a name of long and are harmless
	short string // letters of short options, alone or in a bundle
	words string // words that are so wherever they stand
	bare  bool   // a first word without a dash is a bundle of letters too, as tar's
}

var hazards = map[string]hazard{
	"tar":         tarHazard,
	"gtar":        tarHazard,
	"bsdtar":      tarHazard,
	"star":        tarHazard,
	"rsync":       {long: "rsh rsync-path config daemon server", safe: "remote-option recursive", short: "eM"},
	"split":       {long: "filter"},
	"rg":          {exact: "--pre --hostname-bin"},
	"ag":          {exact: "--pager"},
	"ack":         {exact: "--pager --ackrc"},
	"fd":          {exact: "--exec --exec-batch", short: "xX"},
	"fdfind":      {exact: "--exec --exec-batch", short: "xX"},
	"diff":        {long: "paginate", short: "l"},
	"diff3":       {long: "diff-program"},
	"sdiff":       {long: "diff-program", short: "o"},
	"patch":       {long: "ed get", short: "eg"},
	"install":     {long: "strip strip-program", short: "s"},
	"ssh":         {short: "oFISJDLRWEPw"},
	"scp":         {short: "oFSJD"},
	"ssh-keygen":  {short: "Dw"},
	"ssh-copy-id": {short: "oFi"},
	"curl":        {long: "config engine", short: "K"},
	"wget":        {long: "execute config use-askpass", short: "e"},
	"wget2":       {long: "execute config use-askpass gpg-command plugin plugin-opt", short: "e"},
	"zip":         {exact: "--unzip-command", short: "T"},
	"cmake":       {short: "PE", words: "-E --", exact: "--toolchain --preset"},
	"cpio":        {long: "rsh-command"},
	"file":        {exact: "--uncompress --uncompress-noreport", short: "zZ"},
	"gcc":         ccHazard,
	"g++":         ccHazard,
	"cc":          ccHazard,
	"c++":         ccHazard,
	"clang":       ccHazard,
	"clang++":     ccHazard,
	"go":          {exact: "-exec --exec -toolexec --toolexec -vettool --vettool -overlay -modfile -compiler -gccgoflags", words: "generate env tool"},
	"npm": {
		long:  "script-shell node-options userconfig globalconfig git call shell editor viewer browser init-module python node-gyp",
		short: "c", words: "config confi conf set c explore explor explo expl exec exe x edit", // npm takes abbreviations
	},
	"npx":            {long: "script-shell node-options userconfig globalconfig call shell"},
	"pnpm":           {long: "script-shell shell-mode node-options config", short: "c", words: "config exec dlx node create"},
	"yarn":           {long: "script-shell use-yarnrc", words: "config exec node dlx plugin create"},
	"cargo":          {long: "config", short: "ZC", words: "install"},
	"pip":            {long: "config-settings global-option build-option python", words: "config"},
	"pytest":         {long: "rootdir override-ini confcutdir pdb pdbcls", short: "o"},
	"mvn":            {words: "exec:exec exec:java"},
	"deno":           {words: "eval repl task"},
	"bun":            {long: "preload", words: "exec x"},
	"uv":             {words: "run tool"},
	"poetry":         {words: "run shell config"},
	"bundle":         {words: "exec config"},
	"ctags":          {long: "options"},
	"openssl":        {exact: "-engine --engine -provider --provider -provider-path --provider-path -config --config", words: "engine"},
	"pandoc":         {long: "filter lua-filter pdf-engine defaults", short: "Fd"},
	"rustc":          {exact: "-C --codegen -Z", short: "C@"},
	"java":           {exact: "-javaagent -agentlib -agentpath -Xrun -XX:OnError -XX:OnOutOfMemoryError -XX:Flags -XX:VMOptionsFile", short: "@"},
	"javac":          {short: "J@"},
	"javadoc":        {exact: "-doclet", short: "J@"},
	"jar":            {short: "J@"},
	"ctest":          {short: "S", exact: "--build-and-test --test-command --build-makeprogram --script-new-process", words: "--script"},
	"meson":          {words: "devenv"},
	"protoc":         {long: "plugin"},
	"rclone":         {long: "password-command"},
	"svn":            {exact: "--config-option --config-dir --editor-cmd --diff-cmd --diff3-cmd --merge-cmd"},
	"gh":             {words: "alias extension extensions ext config"},
	"ip":             {exact: "-b -batch -ba -bat -batc -force", words: "netns netn vrf vr exec exe ex"},
	"tcpdump":        {short: "z"},
	"pygmentize":     {short: "x"},
	"bison":          {long: "skeleton", short: "S"},
	"bat":            {exact: "--pager"},
	"batcat":         {exact: "--pager"},
	"wdiff":          {long: "auto-pager", short: "a"},
	"zdiff":          {long: "paginate", short: "l"},
	"bzdiff":         {long: "paginate", short: "l"},
	"xzdiff":         {long: "paginate", short: "l"},
	"groff":          {short: "UFMPm"},
	"troff":          {short: "UFm"},
	"pic":            {short: "U"},
	"ar":             ldHazard,
	"nm":             ldHazard,
	"ranlib":         ldHazard,
	"strip":          ldHazard,
	"size":           ldHazard,
	"ld":             ldHazard,
	"ld.bfd":         ldHazard,
	"ld.gold":        ldHazard,
	"gold":           ldHazard,
	"ld.lld":         ldHazard,
	"lld":            ldHazard,
	"gcc-ar":         ldHazard,
	"gcc-nm":         ldHazard,
	"cpp":            ccHazard,
	"c89":            ccHazard,
	"c99":            ccHazard,
	"c89-gcc":        ccHazard,
	"c99-gcc":        ccHazard,
	"gfortran":       ccHazard,
	"gccgo":          ccHazard,
	"gdc":            ccHazard,
	"netcat":         ncHazard,
	"nc.traditional": ncHazard,
	"nc.openbsd":     ncHazard,
	"nc":             ncHazard,
	"ncat":           ncHazard,
}

var (
	tarHazard = hazard{
		long: "to-command checkpoint-action use-compress-program info-script new-volume-script rsh-command rmt-command files-from multi-volume tape-length",
		safe: "checkpoint", short: "IFTML", bare: true,
	}
	ccHazard = hazard{short: "B@", exact: "-wrapper -fplugin -specs --specs -Xlinker -fuse-ld -no-canonical-prefixes -plugin -load " +
		"--prefix --ld-path --config --gcc-toolchain --gcc-install-dir -fpass-plugin -ccc- -iplugindir -Wp, -Xpreprocessor"}
	ldHazard = hazard{short: "@", exact: "-plugin --plugin --plugin-opt -load-pass-plugin --load-pass-plugin -load --load"}
	ncHazard = hazard{long: "exec sh-exec lua-exec", short: "ec"}
)

// runners are programs that run the command in their arguments, in ways that
// are not read here.
var runners = set(
	"parallel entr strace ltrace gdb lldb valgrind perf script tmux screen expect unbuffer rlwrap xvfb-run fakeroot faketime",
	"dbus-run-session dbus-launch prlimit numactl setarch linux32 linux64 i386 x86_64 catchsegv start-stop-daemon run-parts",
	"chroot unshare nsenter bwrap firejail su runuser pkexec setpriv capsh sg newgrp systemd-run at batch ssh-agent socat",
	"setuidgid softlimit chpst envdir envuidgid s6-setuidgid runsv tini dumb-init gosu su-exec eatmydata trickle proxychains torsocks",
	"ld.so ld-linux.so.2 ld-linux-x86-64.so.2 ld-linux-aarch64.so.1 nix-shell pyenv rbenv hyperfine nodemon watchexec",
	"concurrently dotenv cross-env direnv choom uclampset coresched runcon pipesz setns cgexec logsave memusage sotruss heaptrack",
	"systemd-inhibit systemd-cat systemd-socket-activate run0 sudo-rs su-rs ksu pfexec please super rustup sshpass autossh ssh-argv0",
	"dtach abduco zellij byobu openvt cttyhack tcpsvd udpsvd cpulimit chronic ifne mispipe pee lckdo zrun rr bpftrace stap gdbserver",
	"fakechroot proot apptainer singularity toolbox distrobox flatpak-spawn daemonize daemon setlock s6-setlock nq tsp retry",
	"msgexec msgfilter debconf pg_virtualenv gpg-agent vgdb gdbtui valgrind.bin",
)

// closed are programs that execute what they are given, or run others, by too
// many ways to follow.
var closed = set(
	"ssh-add telnet ftp sftp lftp psql mysql mariadb sqlite3 mongo mongosh redis-cli m4 dc bc gnuplot octave maxima gs tex",
	"latex pdflatex xelatex lualatex vi vim view nvim ex ed red emacs emacsclient nano pico joe mcedit less more most man",
	"info pg apt apt-get aptitude dpkg rpm yum dnf zypper pacman apk snap flatpak brew docker podman nerdctl ctr crictl runc",
	"crun lxc machinectl kubectl helm ansible ansible-playbook terraform vagrant gpg gpg2 logrotate anacron xdg-open open",
	"asdf mise nix guix conda nvm xdotool vim.basic vim.tiny vim.nox vimdiff rvim nvi editor sensible-editor pager",
	"sensible-pager sensible-browser www-browser x-terminal-emulator xterm zless bzless xzless lzless zstdless zmore bzmore xzmore lzmore",
	"vimtutor rview gvim kak hx mg jed ne emacs-nox emacs-gtk mc ranger nnn lf tig fzf sk rename prename file-rename perl-rename",
	"mail mailx s-nail mutt neomutt alpine sendmail procmail fetchmail msmtp mbsync hg jj sl bzr brz cvs darcs fossil git-shell scalar",
	"lynx links elinks w3m aria2c nmap tshark exiftool blender gimp soffice libreoffice calc gp genius qalc units pgbench pg_ctl",
	"luatex pdftex xetex etex texlua latexmk context tectonic dvips R irb erb gem ipython jupyter pydoc pdb idle coverage prove",
	"perldoc cpan cpanm instmodsh erl elixir iex escript ghc ghci runghc runhaskell ocaml sbcl clisp ecl racket scheme gosh csi",
	"swipl gprolog clojure clj kotlin jshell jrunscript jdb swift crystal nim dart rdmd tcc lli opt llc bugpoint pike gforth jimsh",
	"phpdbg php-cgi composer corepack ts-node tsx zx mono csharp dotnet powershell expect autoexpect jpackage",
	"apt-cache apt-config apt-key apt-mark apt-cdrom add-apt-repository apt-add-repository dpkg-buildpackage dpkg-reconfigure debuild",
	"dpkg-source rpmbuild sulogin login agetty getty scriptlive gdbus busctl dbus-send gapplication gpg-connect-agent gpgsm gpgtar",
	"gpg-zip script-live systemd-mount systemd-run invoke-rc.d deb-systemd-invoke",
)

// knownAs returns the name by which this package knows a program: bash for
// bash5, gcc for gcc-12.
func knownAs(base string) string {
	if strings.HasPrefix(base, "ld-") && strings.Contains(base, ".so") {
		return "ld.so"
	}
	if short, cut := strings.CutSuffix(base, "-static"); cut && isKnown(short) {
		return short
	}
	if short, cut := strings.CutSuffix(base, ".static"); cut && isKnown(short) {
		return short
	}
	short := strings.TrimRight(base, "0123456789.-")
	if short == base || isKnown(base) || !isKnown(short) {
		return base
	}
	return short
}

// Renamed reports whether a program's file is one whose arguments this package
// reads, and its name tells nothing of that: such a call is not known by its
// text. Programs that do the work of many go by their name, and are not meant.
func Renamed(name, file string) bool {
	as, is := knownAs(baseName(name)), knownAs(baseName(file))
	return as != is && isKnown(is) && !isKnown(as) && !multicall[is]
}

// multicall are the programs that do what they are called.
var multicall = set("busybox toybox coreutils")

func isKnown(base string) bool {
	_, reads := readers[base]
	_, shell := shells[base]
	_, wraps := wrappers[base]
	_, interprets := interpreters[base]
	_, runs := hazards[base]
	_, harms := dangerous[base]
	return reads || shell || wraps || interprets || runs || harms || runners[base] || closed[base]
}

// runsOthers returns the first argument by which a program would run another.
func runsOthers(base string, args []Arg) string {
	h, ok := hazards[base]
	if !ok {
		return ""
	}
	for i, arg := range args {
		if arg.Kind == Literal && h.matches(arg.Text, i == 0) {
			return arg.Text
		}
	}
	if base == "go" {
		return goFlags(args)
	}
	if _, compiles := hazards[base]; compiles && strings.HasPrefix(hazards[base].exact, ccHazard.exact) {
		return linkerPlugin(args)
	}
	if strings.HasSuffix(base, "tar") || base == "cpio" || base == "pax" {
		return remoteArchive(args)
	}
	return ""
}

func (h *hazard) matches(word string, first bool) bool {
	name, _, _ := strings.Cut(word, "=")
	if hasWord(h.words, word) || hasWord(h.exact, name) {
		return true
	}
	switch {
	case strings.HasPrefix(word, "@") && strings.Contains(h.short, "@"):
		return true
	case strings.HasPrefix(word, "--"):
		if name == "--" || hasWord(h.safe, name[2:]) {
			return false
		}
		for list := h.long; list != ""; {
			var long string
			long, list, _ = strings.Cut(list, " ")
			if strings.HasPrefix(long, name[2:]) {
				return true
			}
		}
		return false
	case strings.HasPrefix(word, "-") || h.bare && first:
		for list := h.exact; list != ""; { // -B/dir, -fplugin=x, -javaagent:x
			var exact string
			exact, list, _ = strings.Cut(list, " ")
			if len(exact) > 2 && exact[1] != '-' && strings.HasPrefix(word, exact) {
				return true
			}
		}
		return strings.ContainsAny(strings.TrimPrefix(word, "-"), h.short)
	}
	return false
}

// goFlags finds a linker to run in -ldflags.
func goFlags(args []Arg) string {
	for i, arg := range args {
		if strings.HasPrefix(strings.TrimLeft(arg.Text, "-"), "ldflags") && strings.HasPrefix(arg.Text, "-") {
			if strings.Contains(arg.Text, "ext") || i+1 < len(args) && strings.Contains(args[i+1].Text, "ext") {
				return arg.Text
			}
		}
	}
	return ""
}

// remoteArchive finds an archive that tar would fetch by a remote shell.
func remoteArchive(args []Arg) string {
	for i, arg := range args {
		if host, _, has := strings.Cut(arg.Text, ":"); has && !strings.Contains(host, "/") &&
			(i > 0 && namesArchive(args[i-1].Text, i == 1) || isShort(arg.Text, "fFIO") || strings.HasPrefix(arg.Text, "--f")) {
			return arg.Text
		}
	}
	return ""
}

// namesArchive reports whether the word after this one may be an archive.
func namesArchive(word string, first bool) bool {
	return isShort(word, "fFIO") || strings.HasPrefix(word, "--f") || first && !strings.HasPrefix(word, "-") && strings.Contains(word, "f")
}

// linkerPlugin finds code that a linker is told to load.
func linkerPlugin(args []Arg) string {
	for _, arg := range args {
		if strings.HasPrefix(arg.Text, "-Wl,") && strings.Contains(arg.Text, "plugin") {
			return arg.Text
		}
	}
	return ""
}

// opaque lists what may be commands in the arguments of runners.
func (s *scanner) opaque(at int, base string, c call) {
	name := s.reading.Programs[at].Name
	s.dynamic(name + " runs or executes what this reader doesn't follow")
	if !runners[base] {
		return
	}
	s.guess++
	defer func() { s.guess-- }()
	rest := c.words[1:]
	for i, arg := range rest {
		if arg.Kind != Literal || strings.HasPrefix(arg.Text, "-") || strings.Contains(arg.Text, "=") {
			continue
		}
		if strings.ContainsAny(arg.Text, " \t\n;|&$`") {
			s.shellText(name, arg.Text, POSIX)
		}
		s.runVia(name, call{words: rest[i:], env: c.env})
		if i > 3 {
			return // options, their values, then the command
		}
	}
}
