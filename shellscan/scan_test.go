package shellscan

import (
	"strings"
	"testing"
)

// brief writes a reading in one line: programs with their arguments, then
// redirects. Arguments that the run decides are in ‹›, * for any number.
func brief(r *Reading) string {
	var parts []string
	for i := range r.Programs {
		p := &r.Programs[i]
		words := []string{p.Name}
		if p.Name == "" {
			words[0] = "‹›"
		}
		for _, arg := range p.Args {
			switch arg.Kind {
			case Literal:
				words = append(words, strings.ReplaceAll(arg.Text, "\n", "⏎"))
			case One:
				words = append(words, "‹"+arg.Text+"›")
			default:
				words = append(words, "‹"+arg.Text+"›*")
			}
		}
		if p.Guess {
			words[0] = "?" + words[0]
		}
		parts = append(parts, strings.Join(words, " "))
	}
	for _, file := range r.Redirects {
		mode := map[[2]bool]string{{true, false}: "<", {false, true}: ">", {true, true}: "<>"}[[2]bool{file.Read, file.Write}]
		parts = append(parts, mode+file.Path)
	}
	return strings.Join(parts, "; ")
}

// TestReadings: complete ones start with a dot, the others with an exclamation mark.
func TestReadings(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"ls -l a", ". ls -l a"},
		{`r\m 'x y' "a$" $'b\n\x41\101'`, ". rm x y a$ b⏎AA"},
		{`$'a\u00e9'`, "! ‹›"},
		{`ls $'a\0b'`, ". ls ‹$'a\\0b'›"},
		{`ls $"a"`, ". ls ‹$\"a\"›"},
		{"{rm,-rf,/x}", ". rm -rf /x"},
		{"ls a{b,c}d {1..3} {} {a} a,b {a,b}{c,d}", ". ls abd acd ‹{1..3}›* {} {a} a,b ‹{a,b}{c,d}›*"},
		{`ls \{a,b} \,\{ a\\{b,c}`, `. ls {a,b} ,{ ‹a\\{b,c}›*`},
		{"ls * ? [a] ~ ~/x a=~ 'x'* \\* '*'", ". ls ‹*›* ‹?›* ‹[a]›* ‹~› ‹~/x› ‹a=~› ‹'x'*›* * *"},
		{"ls $x \"$x\" \"$@\" $# ${#x} $((1+1)) `true` \"$(true)\"", ". true; true; ls ‹$x›* ‹\"$x\"› ‹\"$@\"›* ‹$#› ‹${#x}› ‹$((1+1))› ‹`true`›* ‹\"$(true)\"›"},
		{"a | b && c || d; e & f", ". a; b; c; d; e; f"},
		{"! a; { b; }; (c); time d", ". a; b; c; d"},
		{"if a; then b; elif c; then d; else e; fi", ". a; b; c; d; e"},
		{"for i in $(a); do b; done; while c; do d; done; until e; do f; done", ". a; b; c; d; e; f"},
		{"case $(a) in x|$(b)) c;; *) d;; esac", ". a; b; c; d"},
		{"f() { a \"$1\"; }; f x", "! a ‹\"$1\"›; f x"},
		{"f() { \"$@\"; }; f rm", "! ‹›; f rm"},
		{"x=1 y=$(a) b", ". a; b"},
		{"x=(a $(b)); declare -r y=$(c)", ". b; c; declare -r ‹y=$(c)›"},
		{"a > f >> g < h 2>&1 &> i <> j >| k 3> l", ". a; >f; >g; <h; >i; <>j; >k; >l"},
		{"a >&f; b 2>&-; c >&2-", ". a; b; c; >f"},
		{"a > ~/f", ". a; >~/f"},
		{"a > $f; b > *", "! a; b"},
		{"a {x}> f", "! a; >f"},
		{"a <<X\n$(b) $c\nX", ". b; a"},
		{"a <<'X'\n$(b)\nX", ". a"},
		{"a <<< \"$(b)\"", ". b; a"},
		{"a <(b) >(c)", ". b; c; a ‹<(b)› ‹>(c)›"},
		{"a < <(b)", ". b; a"},
		{"[[ -n $(a) && $(b) == c ]]", ". a; b"},
		{"[[ 1 -eq 1 ]]; [[ 2 -lt 3 ]]", ". "},
		{"[[ $x -eq 1 ]]", "! "},
		{"((1 + 2)); echo $[3]", ". echo ‹$[3]›"},
		{"((x = 1))", "! "},
		{"for ((i = 0; i < 3; i++)); do a; done", "! a"},
		{"a $((1 + $(b)))", "! b; a ‹$((1 + $(b)))›"},
		{"echo ${x[1]} ${x[@]} ${x[y]}", "! echo ‹${x[1]}›* ‹${x[@]}›* ‹${x[y]}›*"},
		{"echo ${!x}", "! echo ‹${!x}›*"},
		{"ls @(a|b)", "! ls ‹@(a|b)›*"},
		// Builtins.
		{"echo a; printf %s b; true; :", ". echo a; printf %s b; true; :"},
		{"printf -v x y", "! printf -v x y"},
		{"read -r x", ". read -r x"},
		{"read 'x[$(a)]'", "! read x[$(a)]"},
		{"[ \"$x\" = y ]; [ -n \"$x\" ]; test -f x", ". [ ‹\"$x\"› = y ]; [ -n ‹\"$x\"› ]; test -f x"},
		{"[ $x = y ]", "! [ ‹$x›* = y ]"},
		{"[ -v 'x[$(a)]' ]", "! [ -v x[$(a)] ]"},
		{"set -eu; set -o pipefail; set -- a", ". set -eu; set -o pipefail; set -- a"},
		{"set -k", "! set -k"},
		{"exit $?", ". exit ‹$?›"},
		{"trap 'a b' EXIT; trap - EXIT; trap", ". trap a b EXIT; a b; trap - EXIT; trap"},
		{"eval 'a;' b", ". eval a; b; a; b"},
		{"eval $x", "! eval ‹$x›*"},
		{"exec a b; exec 3>f; exec", ". exec a b; a b; exec; exec; >f"},
		{"exec -a x b", "! exec -a x b; x b"},
		{"command -v a; command -p b; command c", ". command -v a; command -p b; b; command c; c"},
		{". f; source g", "! . f; source g"},
		{"alias a=b", "! alias a=b; ?b"},
		{"let x=1; unset x; unset 'x[1]'", "! unset x; unset x[1]"},
		// Programs that run others.
		{"env -u X A=1 a b", "! env -u X A=1 a b; a b"},
		{"env A=1 a b", ". env A=1 a b; a b"},
		{"env -S 'a b' c", "! env -S a b c; ?a b; c"},
		{"env -i a", "! env -i a; a"},
		{"env", ". env"},
		{"env -C d ./a", "! env -C d ./a; ./a"},
		{"nohup nice -n 5 ionice -c 3 setsid stdbuf -oL timeout -k 1 5 a", ". nohup nice -n 5 ionice -c 3 setsid stdbuf -oL timeout -k 1 5 a; nice -n 5 ionice -c 3 setsid stdbuf -oL timeout -k 1 5 a; " +
			"ionice -c 3 setsid stdbuf -oL timeout -k 1 5 a; setsid stdbuf -oL timeout -k 1 5 a; stdbuf -oL timeout -k 1 5 a; timeout -k 1 5 a; a"},
		{"timeout --unheard 5 a", "! timeout --unheard 5 a; a"},
		{"nice -10 a", ". nice -10 a; a"},
		{"command time -o f a", ". command time -o f a; time -o f a; a; >f"},
		{"sudo -u root -- A=1 a b", ". sudo -u root -- A=1 a b; a b"},
		{"sudo -s", "! sudo -s"},
		{"xargs -n 1 -I{} rm {} x", ". xargs -n 1 -I{} rm {} x; rm ‹{}› x"},
		{"xargs rm -f", "! xargs rm -f; rm -f ‹<input of xargs>›*"},
		{"xargs", ". xargs; echo ‹<input of xargs>›*"},
		{"xargs sh -c", "! xargs sh -c; sh -c ‹<input of xargs>›*"},
		{"xargs -I% %", "! xargs -I% %; ‹›"},
		{"find . -name '*.x' -exec a {} {} ';' -ok c + d ';'", ". find . -name *.x -exec a {} {} ; -ok c + d ;; a ‹{}› ‹{}›; c + d"},
		{"find . -exec a {} +", ". find . -exec a {} +; a ‹{}›*"},
		{"find . -fprint out", ". find . -fprint out; >out"},
		{"find . -exec sh -c 'rm \"$1\"' _ {} ';'", ". find . -exec sh -c rm \"$1\" _ {} ;; sh -c rm \"$1\" _ ‹{}›; rm ‹\"$1\"›; rm ‹\"$1\"›"},
		{"flock l a b; flock l -c 'c d'", ". flock l a b; a b; flock l -c c d; c d; c d; <>l; <>l"},
		{"watch -n 1 a b", ". watch -n 1 a b; a b; a b"},
		{"watch -x a b", ". watch -x a b; a b"},
		{"busybox ls a", ". busybox ls a; ls a"},
		{"sh -c 'a; b' c", ". sh -c a; b c; a; b; a; b"},
		{"dash -c a; bash -c b", ". dash -c a; a; bash -c b; b"},
		{"dash -c 'a <(b)'", "! dash -c a <(b)"},
		{"sh -c 'a {b,c}'", ". sh -c a {b,c}; a {b,c}; a b c"}, // in either dialect
		{"bash -lc a", "! bash -lc a; a"},
		{"bash -O extglob -c a", "! bash -O extglob -c a"},
		{"sh x.sh", "! sh x.sh"},
		{"sh -x -- x.sh", "! sh -x -- x.sh"},
		{"a | sh", "! a; sh"},
		{"sh -s a", "! sh -s a"},
		{"zsh -c a", "! zsh -c a; a"},
		{"su -c 'a b'", "! su -c a b; ?a b; ?a b"},
		{"strace -f -o x a b", "! strace -f -o x a b; ?x a b; ?a b; ?b"},
		{"ssh -o ProxyCommand='a b' h", "! ssh -o ProxyCommand=a b h; ?b"},
		{"rsync -e 'a b' c d", "! rsync -e a b c d; ?a b"},
		{"rsync -avz c d", ". rsync -avz c d"},
		{"tar czf a.tgz b", ". tar czf a.tgz b"},
		{"tar -xf a.tar --use-compress='a b'", "! tar -xf a.tar --use-compress=a b; ?a.tar; ?a b"},
		{"tar xIf 'a b' c", "! tar xIf a b c; ?a b"},
		{"tar cf a --checkpoint=1 --checkpoint-action=exec=b", "! tar cf a --checkpoint=1 --checkpoint-action=exec=b; ?1; ?b"},
		{"tar xf host:a", "! tar xf host:a"},
		{"sort -o out in; sort --output=b a; sort -ro c; sort -k1o a", ". sort -o out in; sort --output=b a; sort -ro c; sort -k1o a; >out; >b; >c"},
		{"sort --comp=a b", "! sort --comp=a b; a"},
		{"git log --output=f", ". git log --output=f; >f"},
		{"git -C d -c user.name=x commit -m y", ". git -C d -c user.name=x commit -m y"},
		{"git -c core.pager=a log", "! git -c core.pager=a log; a"},
		{"git -c core.sshCommand='a b' fetch", "! git -c core.sshCommand=a b fetch; a b"},
		{"git -c core.hooksPath=x commit", "! git -c core.hooksPath=x commit; x"},
		{"git --config-env=a=B log; git --exec-path=x log", "! git --config-env=a=B log; git --exec-path=x log"},
		{"git clone --upload-pack=a x; git clone -u a x", "! git clone --upload-pack=a x; ?a; git clone -u a x; ?a"},
		{"git clone 'ext::a b' c", "! git clone ext::a b c; ?a b"},
		{"git fetch --upload-p a x", "! git fetch --upload-p a x; ?a"},
		{"git diff --ext-diff", "! git diff --ext-diff"},
		{"git diff --exit-code", ". git diff --exit-code"},
		{"git grep -Oa b", "! git grep -Oa b; ?b"},
		{"git submodule foreach 'a b'", "! git submodule foreach a b; ?a b"},
		{"git config core.pager a", "! git config core.pager a"},
		{"git config --get user.name; git config user.name x", ". git config --get user.name; git config user.name x"},
		{"git bisect run a", "! git bisect run a; ?a"},
		{"awk '$1 > 2 || $3 {print}' f", "! awk $1 > 2 || $3 {print} f"},
		{"awk -F: -v x=1 '{print $1}' f", ". awk -F: -v x=1 {print $1} f"},
		{"awk 'BEGIN{\"a b\"|getline}'", "! awk BEGIN{\"a b\"|getline}; a b"},
		{"awk '{print > \"f\"}'", "! awk {print > \"f\"}; f"},
		{"sed -n -e '1,5p' -e 's/a/b/gI;$!d' -i f", ". sed -n -e 1,5p -e s/a/b/gI;$!d -i f"},
		{"sed 's/[[:space:]]*$//' f; sed 's/[^a-z]/x/' f", ". sed s/[[:space:]]*$// f; sed s/[^a-z]/x/ f"},
		{"sed '/x/,/y/{s,a,b,;p}' f", ". sed /x/,/y/{s,a,b,;p} f"},
		{"sed 'e a' f; sed s/x/y/we f; sed 's/x/a/e'; sed '1w f'; sed -f x", "! sed e a f; ?a; sed s/x/y/we f; sed s/x/a/e; sed 1w f; sed -f x"},
		{"python3 x.py; python3 -u -m pytest -q; python3 --version", ". python3 x.py; python3 -u -m pytest -q; python3 --version"},
		{"python3 -c x", "! python3 -c x"},
		{"python3.12 -Ic x", "! python3.12 -Ic x"},
		{"python3", "! python3"},
		{"python3 - < x", "! python3 -; <x"},
		{"perl -ne x; perl x.pl; ruby -e x; node -p x; node --require x y; php -r x", "! perl -ne x; perl x.pl; ruby -e x; node -p x; node --require x y; php -r x"},
		{"node x.js; node --test", ". node x.js; node --test"},
		{"make -j4 test V=1; make -C d", ". make -j4 test V=1; make -C d"},
		{"make CC=a", "! make CC=a"},
		{"make --ev='$(shell a)'", "! make --ev=$(shell a)"},
		{"make -f -", "! make -f -"},
		{"go test -run X ./...; go build -ldflags '-s -w' ./...", ". go test -run X ./...; go build -ldflags -s -w ./..."},
		{"go test -exec a; go build -toolexec=b; go vet -vettool=c; go build -ldflags=-extld=d", "! go test -exec a; ?a; go build -toolexec=b; ?b; go vet -vettool=c; ?c; go build -ldflags=-extld=d"},
		{"npm run build; npm test", ". npm run build; npm test"},
		{"npm --script-shell=a run b; npm exec -c a", "! npm --script-shell=a run b; ?a; npm exec -c a; ?a"},
		{"gcc -o a a.c; gcc -B. a.c; gcc -fplugin=x a.c; gcc @x", "! gcc -o a a.c; gcc -B. a.c; ?a.c; gcc -fplugin=x a.c; ?x; gcc @x"},
		{"vim x; ed x; less x; man x; sqlite3 x .shell", "! vim x; ed x; less x; man x; sqlite3 x .shell"},
		{"rg --pre a b; fd -x a; split --filter=a b; diff -l a b", "! rg --pre a b; ?a; fd -x a; ?a; split --filter=a b; ?a; diff -l a b; ?a"},
		{"unknown --anything x", ". unknown --anything x"},
		{"unknown $x", "! unknown ‹$x›*"},
		{"$x a", "! ‹› a; a"},
		{"\"$x\" a", "! ‹› a"},
		{"'' a", "! "},
		{"a; (", "! a"},
		{"a\r", "! "},
		{"a # x\\\nb", "! a b"},
	} {
		r := Scan(Input{Command: tt.text, Dialect: Bash})
		mark := "! "
		if r.Complete() {
			mark = ". "
		}
		if got := mark + brief(r); got != tt.want {
			t.Errorf("%q\n got %s\nwant %s\n%v", tt.text, got, tt.want, r.Dynamic)
		}
	}
}
