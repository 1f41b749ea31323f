package shellscan

import "strings"

// changing are variables that make programs load code, run others, or find
// others under the same name.
var changing = set(
	"PATH IFS ENV HOME SHELL EDITOR VISUAL FCEDIT PAGER MANPAGER BROWSER",
	"SHELLOPTS BASHOPTS CDPATH GLOBIGNORE EXECIGNORE FIGNORE PROMPT_COMMAND PS0 PS1 PS2 PS3 PS4 POSIXLY_CORRECT",
	"HISTFILE HISTCMD INPUTRC TMOUT ZDOTDIR FPATH TEXTDOMAIN TEXTDOMAINDIR",
	"LESS LESSOPEN LESSCLOSE LESSKEY MORE SYSTEMD_PAGER DELTA_PAGER BAT_PAGER",
	"TAR_OPTIONS TAPE RSH RSYNC_RSH RSYNC_CONNECT_PROG CVS_RSH SVN_SSH SSH_ASKPASS SUDO_ASKPASS",
	"TERMINFO TERMINFO_DIRS TERMCAP LOCPATH NLSPATH GCONV_PATH GETCONF_DIR HOSTALIASES RESOLV_HOST_CONF",
	"OPENSSL_CONF OPENSSL_ENGINES OPENSSL_MODULES SSLKEYLOGFILE KRB5_CONFIG ODBCINI GPG_AGENT_INFO",
	"MAKE MAKEFLAGS MAKEFILES MFLAGS GNUMAKEFLAGS CMAKE_TOOLCHAIN_FILE CONFIG_SHELL CONFIG_SITE M4",
	"CC CXX CPP LD AS AR NM RANLIB STRIP FC F77 PKG_CONFIG PKG_CONFIG_PATH PKG_CONFIG_LIBDIR LDFLAGS CFLAGS CXXFLAGS CPPFLAGS",
	"COMPILER_PATH GCC_EXEC_PREFIX COLLECT_GCC LIBRARY_PATH DISTCC_CMDLIST",
	"GOFLAGS GOENV GOROOT GOPATH GOBIN GOTOOLDIR GOTOOLCHAIN GOPROXY GOVCS GOAUTH GOWORK GODEBUG",
	"RUSTC RUSTDOC RUSTC_WRAPPER RUSTC_WORKSPACE_WRAPPER RUSTFLAGS RUSTDOCFLAGS RUSTUP_TOOLCHAIN RUSTUP_HOME",
	"NODE_OPTIONS NODE_PATH NODE_REPL_EXTERNAL_MODULE NODE_EXTRA_CA_CERTS ELECTRON_RUN_AS_NODE",
	"RUBYOPT RUBYLIB RUBYSHELL GEM_HOME GEM_PATH JAVA_HOME JAVA_TOOL_OPTIONS JDK_JAVA_OPTIONS CLASSPATH",
	"MAVEN_OPTS MAVEN_ARGS GRADLE_OPTS ANT_OPTS SBT_OPTS PHPRC AWKPATH AWKLIBPATH GUILE_LOAD_PATH",
	"VIRTUAL_ENV CONDA_EXE BUNDLE_GEMFILE COMPOSER_HOME DEBUGINFOD_URLS GDBHISTFILE",
	"VIMINIT EXINIT GVIMINIT VIM VIMRUNTIME MYVIMRC EMACSLOADPATH NANORC",
	"MAIL MAILPATH MAILCHECK DISPLAY WAYLAND_DISPLAY DBUS_SESSION_BUS_ADDRESS DBUS_SYSTEM_BUS_ADDRESS",
	"ZIP ZIPOPT UNZIP UNZIPOPT ZIPINFO ZIPINFOOPT HGRCPATH HGEDITOR HGMERGE HG GNUPGHOME GOMODCACHE GOCACHE GCCGO RUSTUP_DIST_SERVER",
	"ACLOCAL AUTOCONF AUTOHEADER AUTOMAKE AUTOM4TE LIBTOOL TCLLIBPATH TCL_LIBRARY TK_LIBRARY GS_LIB TEXINPUTS TEXMFCNF SHELL_ESCAPE",
	"LOGNAME USER BUILDKIT_HOST KUBECONFIG WGETRC CURL_HOME SQLITE_HISTORY PSQLRC MYSQL_HOME",
)

// changingPrefixes begin the names of families of such variables.
var changingPrefixes = []string{
	"LD_", "DYLD_", "BASH_", "GIT_", "PYTHON", "PERL", "LUA_", "XDG_", "NPM_CONFIG_", "YARN_", "PNPM_", "PIP_", "UV_", "CARGO_",
	"CGO_", "DOCKER_", "SSH_", "SYSTEMD_", "PHP_", "_JAVA_", "GLIBC_", "MALLOC_", "QT_", "GTK_", "GIO_",
	"RLIMIT_", "CMAKE_", "CTEST_", "DOTNET_", "CORECLR_", "COMPLUS_", "MONO_", "DENO_", "BUN_", "ERL_", "R_", "GUILE_", "GHC", "OCAML", "RUSTC_", "SVN_",
	"BUNDLE_", "JULIA_", "GUIX_", "NIX_", "DPKG_", "APT_", "DEBUGINFOD_", "ASAN_", "TSAN_", "UBSAN_", "MSAN_", "LSAN_",
}

// changingSuffixes end the names by which programs take options, and the
// commands that they run.
var changingSuffixes = []string{
	"_OPTS", "_OPTIONS", "_FLAGS", "_ARGS", "_CONFIG_PATH", "_CONFIG_FILE", "_PAGER", "_EDITOR", "_COMMAND", "_CMD", "_WRAPPER", "_PRELOAD", "_SHELL",
}

// harmlessMembers belong to such a family and only describe.
var harmlessMembers = set("CGO_ENABLED PYTHONUNBUFFERED PYTHONDONTWRITEBYTECODE PYTHONIOENCODING PYTHONUTF8 PYTHONHASHSEED CARGO_TERM_COLOR")

// evaluated are the variables of bash that evaluate as arithmetic what they are
// set to.
var evaluated = set("SECONDS RANDOM SRANDOM OPTIND LINENO HISTCMD FUNCNEST DIRSTACK")

// isLocale reports whether a variable sets the encoding of characters.
func isLocale(name string) bool { return name == "LANG" || name == "LC_ALL" || name == "LC_CTYPE" }

// ChangesReading reports whether the value of a variable may change how a shell
// reads a text: in the encodings of some locales a backslash, a backquote or a
// bar can be the second byte of a character.
func ChangesReading(name, value string) bool {
	if !isLocale(name) {
		return false
	}
	_, charset, _ := strings.Cut(value, ".")
	charset, _, _ = strings.Cut(charset, "@")
	charset = strings.ReplaceAll(strings.ToLower(charset), "-", "")
	return value != "" && value != "C" && value != "POSIX" && charset != "utf8"
}

// locale notes that a variable may set an encoding in which texts mean
// something else.
func (s *scanner) locale(by, name string, value Arg) {
	if isLocale(name) && (value.Kind != Literal || ChangesReading(name, value.Text)) {
		s.dynamic(by + " sets " + name + ", and may change the encoding in which texts are read")
	}
}

// ChangesPrograms reports whether a variable changes which programs run, or what
// common programs execute: a command whose environment sets it is not known by
// its text. The list errs on the side of naming too many.
func ChangesPrograms(name string) bool {
	// npm takes its variables in any case, and proxies come in small letters.
	upper := strings.ToUpper(name)
	if changing[upper] {
		return true
	}
	for _, prefix := range changingPrefixes {
		if strings.HasPrefix(upper, prefix) {
			return !harmlessMembers[name]
		}
	}
	for _, suffix := range changingSuffixes {
		if strings.HasSuffix(upper, suffix) {
			return true
		}
	}
	return strings.Contains(name, "()") || strings.HasSuffix(name, "%%") // exported functions
}

// set makes a set of the words in some lists.
func set(lists ...string) map[string]bool {
	words := map[string]bool{}
	for _, list := range lists {
		for _, word := range strings.Fields(list) {
			words[word] = true
		}
	}
	return words
}
