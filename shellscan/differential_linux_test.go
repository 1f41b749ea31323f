package shellscan

import (
	"bytes"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

var (
	differentialCommands = flag.Int("differential.commands", 60, "how many generated commands of each sort are run")
	differentialSeed     = flag.Uint64("differential.seed", 1, "where the generator of commands starts")
)

// stubs are the only programs that a generated command finds. Those with a path
// hand over to the real one after they have left a trace.
var stubs = map[string]string{
	"p1": "", "p2": "", "p3": "", "rm": "", "evil": "", "[[": "", "select": "", "function": "", "source": "", "let": "", "a=b": "",
	"cat": "/usr/bin/cat", "env": "/usr/bin/env", "xargs": "/usr/bin/xargs", "nohup": "/usr/bin/nohup", "nice": "/usr/bin/nice",
	"timeout": "/usr/bin/timeout", "stdbuf": "/usr/bin/stdbuf", "setsid": "/usr/bin/setsid", "find": "/usr/bin/find",
	"flock": "/usr/bin/flock", "sh": "/usr/bin/sh", "dash": "/usr/bin/dash", "bash": "/usr/bin/bash", "sed": "/usr/bin/sed",
	"awk": "/usr/bin/awk", "sort": "/usr/bin/sort", "echo": "/usr/bin/echo", "ls": "/usr/bin/ls", "tar": "/usr/bin/tar",
}

const traceDriver = `
PATH=/usr/bin:/bin
for file in /in/*; do
  name=${file##*/}
  for shell in bash dash; do
    rm -rf /tmp/w; mkdir /tmp/w; cd /tmp/w; : >f1; : >f2; : >p3; : >/tmp/log
    text=$(cat "$file")
    PATH=/stub /usr/bin/timeout -s KILL 3 /usr/bin/$shell -c "$text" </dev/null >/dev/null 2>&1
    tries=0
    while set -- /proc/[0-9]*; [ $# -gt 2 ] && [ $tries -lt 20 ]; do
      tries=$((tries+1)); /usr/bin/sleep 0.02
    done
    [ $# -le 2 ] || { kill -9 -1; /usr/bin/sleep 0.01; }
    cp /tmp/log "/out/$name.$shell"
  done
done
`

// trace runs each text by bash and by dash where only the stubs are found, and
// returns what was run: a list of argument lists for each.
func trace(t *testing.T, texts []string) map[Dialect][][][]string {
	t.Helper()
	bwrap, err := exec.LookPath("bwrap")
	if err != nil {
		t.Fatal("this test runs generated commands, and needs bwrap (package bubblewrap) to keep them in; `make test` installs it")
	}
	dir := t.TempDir()
	for _, sub := range []string{"in", "out", "stub"} {
		if err := os.Mkdir(filepath.Join(dir, sub), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for name, real := range stubs {
		script := "#!/usr/bin/dash\nprintf '%s\\0' \"$#\" \"$0\" \"$@\" >>/tmp/log\n"
		if real != "" {
			script += "exec " + real + " \"$@\"\n"
		}
		writeFile(t, filepath.Join(dir, "stub", name), script, 0o755)
	}
	for i, text := range texts {
		writeFile(t, filepath.Join(dir, "in", fmt.Sprintf("%06d", i)), text, 0o644)
	}
	args := []string{"--unshare-all", "--die-with-parent", "--new-session", "--clearenv"}
	for _, p := range []string{"/usr", "/bin", "/lib", "/lib64", "/etc/alternatives"} {
		args = append(args, "--ro-bind-try", p, p)
	}
	args = append(
		args, "--proc", "/proc", "--dev", "/dev", "--tmpfs", "/tmp",
		"--ro-bind", filepath.Join(dir, "stub"), "/stub", "--ro-bind", filepath.Join(dir, "in"), "/in",
		"--bind", filepath.Join(dir, "out"), "/out", "/usr/bin/dash", "-c", traceDriver,
	)
	if out, err := exec.Command(bwrap, args...).CombinedOutput(); err != nil {
		t.Fatalf("bwrap: %v\n%s", err, out)
	}
	ran := map[Dialect][][][]string{}
	for i := range texts {
		for d, shell := range map[Dialect]string{Bash: "bash", POSIX: "dash"} {
			data, err := os.ReadFile(filepath.Join(dir, "out", fmt.Sprintf("%06d.%s", i, shell)))
			if err != nil {
				t.Fatal(err)
			}
			ran[d] = append(ran[d], parseTrace(t, data))
		}
	}
	return ran
}

func writeFile(t *testing.T, name, text string, perm os.FileMode) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), perm); err != nil {
		t.Fatal(err)
	}
}

func parseTrace(t *testing.T, data []byte) (calls [][]string) {
	t.Helper()
	fields := strings.Split(string(bytes.TrimSuffix(data, []byte{0})), "\x00")
	for len(fields) > 1 {
		n, err := strconv.Atoi(fields[0])
		if err != nil || len(fields) < n+2 {
			t.Fatalf("the trace is damaged: %q", data)
		}
		calls = append(calls, fields[1:n+2])
		fields = fields[n+2:]
	}
	return calls
}

// unlisted returns the first program that was run and that a reading which
// calls itself complete does not list.
func unlisted(r *Reading, ran [][]string) []string {
	if !r.Complete() {
		return nil
	}
	for _, argv := range ran {
		if !lists(r, argv) {
			return argv
		}
	}
	return nil
}

func lists(r *Reading, argv []string) bool {
	for i := range r.Programs {
		p := &r.Programs[i]
		if !p.Builtin && path.Base(p.Name) == path.Base(argv[0]) && fits(p.Args, argv[1:]) {
			return true
		}
	}
	return false
}

// fits reports whether a list of arguments may become these words.
func fits(args []Arg, words []string) bool {
	if len(args) == 0 {
		return len(words) == 0
	}
	switch args[0].Kind {
	case Literal:
		return len(words) > 0 && words[0] == args[0].Text && fits(args[1:], words[1:])
	case One:
		return len(words) > 0 && fits(args[1:], words[1:])
	default:
		for n := range len(words) + 1 {
			if fits(args[1:], words[n:]) {
				return true
			}
		}
		return false
	}
}

// TestReadingListsWhatRuns runs generated commands, and looks whether a reading
// that calls itself complete lists all that was run.
func TestReadingListsWhatRuns(t *testing.T) {
	g := &generator{rand.New(rand.NewPCG(*differentialSeed, 7))}
	var texts []string
	for range *differentialCommands {
		texts = append(texts, g.text(4), g.text(2), g.soup(), g.mutate(g.text(2)))
	}
	texts = append(texts, controls...)
	ran := trace(t, texts)
	for _, d := range []Dialect{Bash, POSIX} {
		complete, programs := 0, 0
		for i, text := range texts {
			r := Scan(Input{Command: text, Dialect: d})
			if argv := unlisted(r, ran[d][i]); argv != nil {
				t.Errorf("dialect %d: %q ran %q, listed:\n%s", d, text, argv, show(r))
			}
			if r.Complete() && len(ran[d][i]) > 0 {
				complete, programs = complete+1, programs+len(ran[d][i])
			}
		}
		t.Logf("dialect %d: of %d commands %d were read completely and ran %d programs", d, len(texts), complete, programs)
		if complete < len(texts)/10 {
			t.Errorf("dialect %d: too few commands were read completely for the comparison to mean something", d)
		}
	}
	for i, text := range controls {
		if at := len(texts) - len(controls) + i; len(ran[Bash][at]) == 0 {
			t.Errorf("%q left no trace: the comparison sees nothing", text)
		}
	}
}

// controls run programs for certain.
var controls = []string{"p1", "env p1 | xargs p2", "find . -name f1 -exec p3 {} ';'", "sh -c 'p1 x'"}

func show(r *Reading) string {
	var b strings.Builder
	for i := range r.Programs {
		p := &r.Programs[i]
		fmt.Fprintf(&b, "  %s %+v builtin=%v\n", p.Name, p.Args, p.Builtin)
	}
	return b.String()
}

// generator makes shell texts.
type generator struct{ *rand.Rand }

func (g *generator) pick(list ...string) string { return list[g.IntN(len(list))] }

func (g *generator) name() string { return g.pick("p1", "p2", "p3", "rm", "evil", "ls", "cat") }

// program is a spelling of a program's name.
func (g *generator) program() string {
	n := g.name()
	switch g.IntN(20) {
	case 0:
		return `"` + n + `"`
	case 1:
		return "'" + n + "'"
	case 2:
		return n[:1] + `\` + n[1:]
	case 3:
		return "/stub/" + n
	case 4:
		return n[:1] + "''" + n[1:]
	case 5:
		return "$'" + n + "'"
	case 6:
		return "{" + n + "," + g.word(0) + "}"
	case 7:
		return n[:1] + "\\\n" + n[1:]
	case 8:
		return g.pick("$x", `"$x"`, "$(echo "+n+")", "`echo "+n+"`", "${x:-"+n+"}", "$'\\x70\\061'", `$"`+n+`"`)
	default:
		return n
	}
}

func (g *generator) word(depth int) string {
	if depth > 0 && g.IntN(4) == 0 {
		inner := g.text(depth - 1)
		switch g.IntN(8) {
		case 0:
			return "$(" + inner + ")"
		case 1:
			return `"$(` + inner + `)"`
		case 2:
			return "`" + strings.NewReplacer("`", "\\`", `\`, `\\`).Replace(inner) + "`"
		case 3:
			return "<(" + inner + ")"
		case 4:
			return "${y:-$(" + inner + ")}"
		case 5:
			return "$((1+$(" + inner + ")))"
		case 6:
			return `"${y:=` + "`p1`" + `}"`
		default:
			return "\"$(cat <<'X'\n" + inner + "\nX\n)\""
		}
	}
	if g.IntN(2) == 0 {
		return g.pick("a", "x y", "-n", "'x y'", `"a b"`, "f1", `\;`, "{a,b}", "a=b", "--", "$'a\\tb'")
	}
	return g.pick(
		"a", "b c", "'x y'", `"x $x"`, "$x", `"$x"`, "*", "f?", "[a-z]1", "~", "~/a", "{a,b}", "{1..3}", "a{b,c}d", `\;`, "';'", `"\$x"`,
		`'$x'`, "$'a\\nb'", "a#b", "x=1", "-n", "--", "-c", `\\`, `"\\"`, `''`, `""`, "$((1+2))", "${#x}", "$#", "$?", `"$@"`, "{}", "!", "}",
		"a=~", `"a"'b'c`, "in", "do", "if", "1>x", "=", "@(a|b)", "$", "a$", "{a", "a}", "[", "]", "p1", "x,y", "{,}", "{a,b}{c,d}", "\"{a,b}\"",
	)
}

func (g *generator) words(depth int) string {
	var list []string
	for range g.IntN(4) {
		list = append(list, g.word(depth))
	}
	return strings.Join(list, " ")
}

// simple is a call of a program, often through another.
func (g *generator) simple(depth int) string {
	call := g.program() + " " + g.words(depth)
	if depth == 0 {
		return call
	}
	switch g.IntN(26) {
	case 0:
		return g.pick("env ", "env A=1 ", "env -u B ", "env -- ", "env -i ") + call
	case 1:
		return g.pick("command ", "command -p ", "command -v ", "builtin ", "command -- ") + call
	case 2:
		return "(exec " + call + ")"
	case 3:
		return "eval " + single(g.text(depth-1))
	case 4:
		return "eval " + call
	case 5:
		return g.pick("sh", "bash", "dash", "sh -e", "bash -eu", "sh -ec", "bash --norc") + " -c " + single(g.text(depth-1)) + " " + g.words(0)
	case 6:
		return "echo a b | xargs " + g.pick("", "-n 1 ", "-I {} ", "-I@ ", "-0 ", "-r ") + call
	case 7:
		return "find . " + g.pick("-name 'f*' ", "-type f ", "") + g.pick("-exec ", "-execdir ", "-ok ") + call + g.pick(" {} ';'", ` \;`, " {} +")
	case 8:
		return g.pick("timeout 5 ", "timeout -k 1 5 ", "nice ", "nice -n 5 ", "nice -5 ", "nohup ", "stdbuf -oL ", "setsid ", "setsid -w ", "timeout -s KILL 2 ") + call
	case 9:
		return "flock f1 " + g.pick(call, "-c "+single(g.text(depth-1)))
	case 10:
		return "trap " + single(g.text(depth-1)) + " " + g.pick("EXIT", "0", "EXIT INT")
	case 11:
		return g.pick("A=1 ", "A=$(p2) ", "PATH=/stub ", "A=a[1] ", "IFS=x ") + call
	case 12:
		return call + " " + g.pick(">f3", ">>f3", "<f1", "2>&1", ">&2", "&>f3", "<<<x", "3<f1", ">|f3", "<>f3", "2>/dev/null", "{v}>f4")
	case 13:
		return call + " <<" + g.pick("X", "'X'", "\"X\"", `\X`, "-X") + "\n$(p1)\n`p2` $x\n\tX\nX\n"
	case 14:
		return g.pick("sh", "bash") + " <<'X'\n" + g.text(depth-1) + "\nX\n"
	case 15:
		return "awk " + single(g.pick(`{print $1}`, `BEGIN{system("p1")}`, `BEGIN{"p2"|getline}`, `{print > "p1"}`, `BEGIN{print "x" | "p3"}`)) + " f1"
	case 16:
		return "printf 'p1\\n' | sed " + single(g.pick("s/a/b/", "s/.*/p2/e", "e", "1e p1", "p", "s|p1|evil|ge", "/x/!s/p/q/;p", "y/e/f/;e")) + g.pick("", " -n", " -e e")
	case 17:
		return g.pick("alias ls=evil\nls x", "alias q='p1 '\nq", "unset x; "+call, "set -- a b; "+call, "set -e; "+call, "set -f; "+call)
	case 18:
		return g.pick(`x='a[$(p1)]'; echo $((x))`, `x='a[$(p1)]'; [ -v "$x" ]`, `[[ 'a[$(p1)]' -eq 1 ]]`, `y='a[$(p2)]'; let y`, `x='$(p1)'; echo "${x@P}"`,
			`declare -i z; z='a[$(p1)]'`, `printf -v 'a[$(p2)]' x`, `read 'a[$(p1)]' <<<x`, `unset 'a[$(p2)]'`, `SECONDS='a[$(p1)]'`, `test -v 'a[$(p1)]'`,
			`hash -p /stub/evil p1; p1`, `coproc p1`, `x=p1; ${!x}`, `PS4='$(p1)'; set -x; :`, `mapfile -C p1 -c 1 <f1`, `enable -n echo; echo x`,
			`. ./f1`, `source f1`, `BASH_ENV=f1 bash -c p1`, `declare -n r='a[$(p1)]'; r=1`, `case $(p1) in a) p2;; *) p3;; esac`, `: ${x:=$(p1)}`,
			`export A=$(p1)`, `local y=1`, `readonly z=$(p2)`, `for i in $(p1); do p2 $i; done`, `wait; jobs -x p1`, `exec 3>f3; p1 >&3`, `cd /; p1`,
			`shopt -s expand_aliases`, `p1 & wait`, `! p1`, `echo p1 >f9; sh f9`, `echo p2 >f9; . ./f9`, `echo p1 | sh`, `bash <(echo p1)`, `sh <<<p1`, `f9() { rm; }; f9`,
			`echo 'system("p1")' >f9; awk 'BEGIN{'"$(cat f9)"'}'`, `sed "s/x/y/$e" f1`, `set -- p1; "$@"`, `while read -r l; do $l; done <<<p1`, `x=(p1 a); "${x[@]}"`,
			`printf -v c p1; $c`, `find . -name f1 -exec sh -c 'p1 $0' {} ';'`, `echo p1 | xargs sh -c`, `echo p1 | xargs -I{} sh -c {}`, `env -S 'p1 a'`,
			`command eval p1`, `command . ./f1`, `PATH= p1`, `type p1; hash p1`, `: >f8; p1 <f8 >f7`, `p1 <<<$(p2)`, `{ p1; } 2>&1 | p2`, `time p1`, `time -p p1 | p2`, "time -- p1", "time -p -- p1", "time ! p1", "x='; -exec p1'; find . -maxdepth 0 -exec echo $x ';'",
			`x=';'; find . -maxdepth 0 -exec echo "$x" -exec p1 ';'`, `x='a[$(p1)]'; [[ x -eq 1 ]]`, `declare -a x='($(p1))'`, `x=(); declare x='($(p1))'`,
			"sed 'a x\\\\\\\\\\ne p1' f1", `bash -c - p1`, `dash -c + p1`, `echo p1 | dash -sc ':'`, `for SECONDS in 'a[$(p1)]'; do :; done`, `read OPTIND <<<'a[$(p1)]'`,
			`p1 >&-x`, `p1 3>&-x`, `y='1 PATH=/tmp/w'; \export x=$y; p3`, `echo PATH=/tmp/w: | xargs -IA env A=1 p3`, `y='[$(p1)]'; declare x$y=1`, `p1 {a}>&-x`,
			`echo "${x:-'$(p1)'}"`, `echo "${x#'$(p1)'}"`, `echo ${x:-"a}$(p1)"}`, "echo \"`p1 \\\"; p2 \\\"`\"", "echo \"`p1 \\\\\"; p2 \\\\\"`\"", `echo $[ $(p1) ]`,
			"cat <<X\na\\\nX\n$(p1)\nX\n", "$(cat <<X\np1\nX)", "echo \"$\\\n(p1)\"", "$\\\n'p1' a", "cat <<X\n$\\\n(p1)\nX\n", "cat <<\"X\\\"\"\nX\"\np1\nX\\\"", "cat <<X\n`\\\"p1\\\" a`\nX", "cat <<X\na\nX\\\n\np1\nX\n", "x='a[$(p1)]'; (\\\n(x))", `for x in a; { p1; }`, `for ((;;)) { p1; break; }`, `!(p1)`, `{ p1; } <<<"$(p2)"`, `p1&&#x
p2`, `p1 $'\'' ; p2 '`, `if p1; then :; fi >"f$(p2)"`, `f9() { p1; } <<<$(p2); f9`, `x=$'a\'b' p1`, `p1 "$"a"$(p2)"`, `p1 ${x/"'"/$(p2)}`, `p1 ${x:="'"} '$(p2)'`, `function q { p1; }; q`, `q() (p2); q a`, `p1() { p2; }; p1`, `select i in a; do p1; done`)
	default:
		return call
	}
}

// text is a list of commands.
func (g *generator) text(depth int) string {
	if depth <= 0 {
		return g.simple(0)
	}
	inner := func() string { return g.text(depth - 1) }
	switch g.IntN(20) {
	case 0:
		return inner() + " | " + inner()
	case 1:
		return inner() + " && " + inner()
	case 2:
		return inner() + " || " + inner()
	case 3:
		return inner() + "; " + inner()
	case 4:
		return inner() + "\n" + inner()
	case 5:
		return "{ " + inner() + "; }"
	case 6:
		return "( " + inner() + " )"
	case 7:
		return "if " + inner() + "; then " + inner() + "; else " + inner() + "; fi"
	case 8:
		return "for x in " + g.words(depth-1) + "; do " + inner() + "; done"
	case 9:
		return "while " + inner() + "; do " + inner() + "; break; done"
	case 10:
		return "case " + g.word(depth-1) + " in (a) " + inner() + ";; *) " + inner() + ";; esac"
	case 11:
		return "fn() { " + inner() + "; }; fn " + g.words(depth-1)
	case 12:
		return inner() + " & wait"
	case 13:
		return g.pick("((", "( (") + inner() + g.pick("))", ") )")
	case 14:
		return "[[ " + g.word(depth-1) + " == " + g.word(0) + " ]] && " + inner()
	case 15:
		return inner() + " # " + inner()
	default:
		return g.simple(depth)
	}
}

// mutate changes a text in a few places.
func (g *generator) mutate(text string) string {
	for range 1 + g.IntN(3) {
		at := g.IntN(len(text) + 1)
		switch g.IntN(4) {
		case 0:
			end := min(at+1+g.IntN(2), len(text))
			text = text[:at] + text[end:]
		case 1:
			end := min(at+g.IntN(12), len(text))
			to := g.IntN(len(text) + 1)
			text = text[:to] + text[at:end] + text[to:]
		default:
			text = text[:at] + g.pick("\\\n", "'", `"`, "`", "\\", "$", "(", ")", "{", "}", "#", " ", "\n", ";", "|", "&", "<", ">", "-", "!", "$'", "[", "]", "=", "~", "*", "\t") + text[at:]
		}
	}
	return strings.TrimRight(strings.ToValidUTF8(text, ""), "\n") // as $(cat) takes it
}

// soup is a row of tokens, most often no command at all.
func (g *generator) soup() string {
	var b strings.Builder
	for range 2 + g.IntN(12) {
		b.WriteString(g.pick(
			"p1", "p2", "evil", "rm", " ", " ", " ", "\n", ";", ";", "|", "&", "(", ")", "{ ", "; }", "'", `"`, "`", "\\", "$", "$(", "${x", "}", "$((", "))",
			"<", ">", "<<X\n", "\nX\n", "<<'X'\n", "<<-X\n", "<<<", "<(", "&>", ">&", "|&", "#", "!", "[[ ", " ]]", "[ ", " ]", "x=", "x+=", "a[1]=",
			"if ", "then ", "fi", "for i in ", "do ", "done", "case x in ", "x)", ";;", "esac", "f()", "function f ", "~", "*", "?", "{a,", "b}", "$'", `$"`,
			"\\n", "\\'", "\t", "$x", "$@", "eval ", "exec ", "env ", "time ", "coproc ", "%", "^", "=", ":", "1", "2", "-", "@(", "é", "\u00a0", "\u2028", "%%",
		))
	}
	return strings.TrimRight(b.String(), "\n")
}
