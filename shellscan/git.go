package shellscan

import "strings"

// gitCommands are the commands of git that run nothing but git's own programs,
// or what the repository's configuration says.
var gitCommands = set(
	"add am annotate apply archive blame branch bundle cat-file check-attr check-ignore check-mailmap checkout checkout-index",
	"cherry cherry-pick clean clone commit commit-graph commit-tree config count-objects describe diff diff-files diff-index",
	"diff-tree fast-export fast-import fetch fmt-merge-msg for-each-ref format-patch fsck gc get-tar-commit-id grep hash-object",
	"index-pack init interpret-trailers log ls-files ls-remote ls-tree mailinfo merge merge-base merge-file merge-tree mktag mktree",
	"mv name-rev notes pack-objects pack-refs patch-id prune prune-packed pull push range-diff read-tree rebase reflog remote",
	"repack replace rerere reset restore rev-list rev-parse revert rm shortlog show show-branch show-index show-ref sparse-checkout",
	"stage stash status stripspace submodule switch symbolic-ref tag unpack-file unpack-objects update-index update-ref",
	"update-server-info var verify-commit verify-pack verify-tag version whatchanged worktree write-tree",
)

// gitHazards are the options by which a command of git runs a program.
var gitHazards = map[string]hazard{
	"":          {long: "upload-pack receive-pack exec ext-diff textconv extcmd open-files-in-pager template config separate-git-dir to-cmd smtp-server sendmail-cmd", safe: "exit-code text config-env-x tool extended-regexp"},
	"clone":     {short: "cu"},
	"ls-remote": {long: "upload-pack exec"},
	"rebase":    {short: "xi", long: "interactive"},
	"grep":      {short: "O"},
	"bisect":    {},
}

// safeSettings are the keys that git -c may set: they run nothing.
var safeSettings = set("user.name user.email core.quotepath core.abbrev core.pagersize core.autocrlf core.eol core.filemode core.longpaths",
	"commit.gpgsign tag.gpgsign init.defaultbranch pull.rebase pull.ff merge.ff push.default diff.renames diff.context",
	"log.date log.decorate status.short status.branch fetch.prune rebase.autostash gc.auto advice.detachedhead protocol.version safe.directory")

// gitGlobals are git's options in front of its command.
var gitGlobals = options{
	flags: "pPhv", values: "Cc",
	long: "version help paginate no-pager no-replace-objects no-lazy-fetch no-optional-locks no-advice bare " +
		"literal-pathspecs glob-pathspecs noglob-pathspecs icase-pathspecs html-path man-path info-path exec-path list-cmds",
	takes: "git-dir work-tree namespace config-env super-prefix attr-source",
}

func (s *scanner) git(at int, c call) {
	args := c.words[1:]
	given, rest, unknown := gitGlobals.leading(args)
	s.reading.Programs[at].Options = len(args) - len(rest)
	if unknown != "" {
		s.dynamic("git " + quote(unknown) + " is not known")
	}
	for _, opt := range given {
		switch opt.name {
		case "c":
			s.gitSetting(opt.value)
		case "git-dir", "exec-path", "config-env":
			s.dynamic("git --" + opt.name + " changes what runs")
		}
	}
	if len(rest) == 0 {
		return
	}
	name := rest[0]
	if name.Kind != Literal || !gitCommands[name.Text] {
		s.dynamic("git " + quote(name.Text) + " may be an alias, or run a program")
		s.gitText(rest)
		if len(rest) > 2 { // bisect run, hook run
			s.guess++
			s.runVia("git", call{words: rest[2:]})
			s.guess--
		}
		return
	}
	s.gitCommand(name.Text, rest[1:])
}

// gitSetting reads the value of git -c.
func (s *scanner) gitSetting(setting Arg) {
	key, value, _ := strings.Cut(setting.Text, "=")
	lower := strings.ToLower(key)
	if setting.Kind == Literal && (safeSettings[lower] || strings.HasPrefix(lower, "color.") || strings.HasPrefix(lower, "advice.") || strings.HasPrefix(lower, "column.")) {
		return
	}
	s.dynamic("git -c " + quote(key) + " may run a program")
	if setting.Kind == Literal {
		s.shellText("git", strings.TrimPrefix(value, "!"), POSIX)
	}
}

func (s *scanner) gitCommand(name string, args []Arg) {
	general, special := gitHazards[""], gitHazards[name]
	for i, arg := range args {
		switch {
		case arg.Kind != Literal:
			s.dynamic(quote(arg.Text) + " is decided at the run, and an option could make git run another program")
		case general.matches(arg.Text, false), special.matches(arg.Text, false):
			s.dynamic("git " + name + " " + quote(arg.Text) + " runs another program")
			s.gitText(args[i:])
		case isLong(arg.Text, "output", "output-indicator-new", "output-indicator-old", "output-indicator-context", "output-directory"):
			_, value, has := strings.Cut(arg.Text, "=")
			s.outputOption(value, has, args[i+1:])
		case gitRemote[name] && isTransport(arg.Text):
			s.dynamic("git " + quote(arg.Text) + " runs a program to reach a repository")
			_, text, _ := strings.Cut(arg.Text, "::")
			s.maybe(text)
		}
	}
	switch {
	case name == "submodule" && hasArg(args, "foreach"):
		s.dynamic("git submodule foreach runs another program")
		s.gitText(args)
		if last := args[len(args)-1].Text; !strings.Contains(last, " ") {
			s.maybe(last)
		}
	case name == "config":
		s.gitConfig(args)
	}
}

// gitRemote are the commands that take the address of a repository.
var gitRemote = set("clone fetch pull push remote ls-remote submodule archive bundle config")

// isTransport reports whether an address names the program to reach it, such as
// ext::sh -c ….
func isTransport(address string) bool {
	name, _, ok := strings.Cut(address, "::")
	return ok && name != "" && strings.Trim(name, plainInBraces) == ""
}

// gitConfig finds settings that a later git would execute.
func (s *scanner) gitConfig(args []Arg) {
	words := 0
	for _, arg := range args {
		if strings.HasPrefix(arg.Text, "-") {
			if !hasWord("--get --get-all --get-regexp --list -l --local --global --show-origin --name-only -z --null --type", strings.SplitN(arg.Text, "=", 2)[0]) {
				s.dynamic("git config " + quote(arg.Text) + " may set what git runs later")
			}
			continue
		}
		words++
	}
	first := firstWord(args)
	reads := first == "get" || first == "list" || hasArg(args, "--get") || hasArg(args, "--get-all") || hasArg(args, "--get-regexp")
	if words > 1 && !reads && !safeSettings[strings.ToLower(first)] {
		s.dynamic("git config may set what git runs later")
		s.gitText(args)
	}
}

func firstWord(args []Arg) string {
	for _, arg := range args {
		if !strings.HasPrefix(arg.Text, "-") {
			return arg.Text
		}
	}
	return ""
}

func hasArg(args []Arg, word string) bool {
	for _, arg := range args {
		if arg.Kind == Literal && arg.Text == word {
			return true
		}
	}
	return false
}

// gitText lists the programs in words that git would hand to a shell.
func (s *scanner) gitText(args []Arg) {
	s.via = append(s.via, "git")
	s.texts(args)
	s.via = s.via[:len(s.via)-1]
}
