package shellscan

import (
	"flag"
	"os"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// TestMain fixes what rapid draws, so that a run is like the one before. Search
// further with -rapid.seed=N -rapid.checks=10000.
func TestMain(m *testing.M) {
	flag.Parse()
	seed, quiet := flag.Lookup("rapid.seed"), flag.Lookup("rapid.nofailfile")
	if seed.Value.String() == "0" {
		_ = seed.Value.Set("1")
	}
	_ = quiet.Value.Set("true")
	os.Exit(m.Run())
}

// TestIncomplete: each of these, alone, may run what its text does not say.
func TestIncomplete(t *testing.T) {
	for _, text := range strings.Split(`$x
${x} a
"$x"
$(a)
/bin/r?m
/bin/[r]m
~/a
r*
{a,b}$x
$'\u0061'
$"a"
eval "$x"
eval $(a)
. a
source a
trap "$x" EXIT
alias a=b
unalias a
hash -p a b
enable -n a
shopt -s extglob
set -o posix
set -k
set "$x"
coproc a
exec -a b a
bind -x '"a": b'
complete -C a b
compgen -C a
mapfile -C a -c 1 x
readarray x
history -s a
fc -s
let x
declare -i x
declare -n x=y
declare "$x"
typeset -f a
export "$x"
export PATH
readonly LD_PRELOAD=x
unset PATH
unset 'a[1]'
read PATH
read -a x
read -u 3 x
getopts a PATH
printf -v x y
printf "$x"
[ -v "$x" ]
[ "$x" y ]
test $x
(( x ))
$(( x ))
echo $((x))
echo $((${x}))
echo ${a[x]}
echo ${x:y}
echo ${x:$y:1}
echo ${!x}
echo ${!x*}
echo ${x@P}
echo ${x@Q}
: ${PATH:=x}
x[$y]=1
x[y]=1
SECONDS=x
PATH=a
PATH=a ls
IFS=x
IFS=x ls
LD_PRELOAD=x ls
LD_LIBRARY_PATH=x ls
BASH_ENV=x ls
ENV=x sh x
GIT_SSH_COMMAND=x git fetch
GIT_DIR=x git log
NODE_OPTIONS=x node x.js
PYTHONPATH=x python3 x.py
PERL5OPT=x perl x.pl
RUBYOPT=x ruby x.rb
PAGER=x git log
EDITOR=x git commit
HOME=x git log
TAR_OPTIONS=x tar xf a
MAKEFLAGS=x make
GOFLAGS=x go test
npm_config_script_shell=x npm test
RIPGREP_CONFIG_PATH=x rg a
for PATH in a; do ls; done
a > $x
a > *
a > "$x/y"
a >& $x
a {v}> b
a <<< b 3>& "$x"
ls @(a|b)
ls +(a)
select x in a; do $x; done
((a); (b))
$((a); (b))
echo ${ a;}
echo "a
a; }
a )
if a
a && 
env -S a
env -i a
env -u PATH a
env - a
env --split-string=a
env PATH=x a
env LD_PRELOAD=x a
sudo -E a
sudo -s
sudo -i
sudo --login
timeout "$x" a
timeout -s $x 5 a
timeout --sig=KILL 5 a
nice -n $x a
stdbuf $x a
xargs sh -c
xargs env
xargs -I% % a
xargs -I "$x" a
xargs $x
xargs find
xargs git
find . -exec {} ';'
find . -exec sh {} ';'
find . -exec bash -c {} ';'
find $x
find "$x" -print
watch "$x"
watch -x "$x"
flock a -c "$x"
flock "$x" a
parallel a
entr a
strace a
gdb a
script -c a
su -c a
chroot a b
unshare a
nsenter a
scp -S a b c
tmux new a
at now
busybox --install
sh
sh -s
sh -i
sh -l x
sh -c
sh -c "$x"
bash --rcfile x
bash --init-file x -i
bash -O extglob -c a
bash /dev/stdin
bash -
sh "$x"
zsh -c a
fish -c a
ksh x
python3
python3 -
python3 -c a
python3 -mtimeit a
python3 -i x
python3 /dev/stdin
python3 "$x"
python3 -X importtime -c a
pypy3 -c a
python3.12 -c a
perl -e a
perl -pe a x
perl -i.bak -pe a x
perl -Mx=a y
perl -x a
ruby -e a
ruby -rx a
node -e a
node -p a
node -r x a
node --eval a
node --import x a
php -r a
lua -e a
tclsh
Rscript -e a
deno eval a
bun -e a
make -f -
make --eval=a
make --ev a
make SHELL=a
make CC=a
make .SHELLFLAGS=a
make "$x"
make MAKEFLAGS=1
npm exec a
npm x a
npx -c a
npm config set script-shell a
npm --script-shell=a test
npm --script-sh=a test
yarn exec a
go test -exec a
go run -exec=a b
go build -toolexec a
go vet -vettool=a
go generate
go tool a
go env -w A=b
go build -ldflags=-extld=a
go build -overlay=a
go test $x
cargo --config a build
pip install --config-settings=a b
cmake -P a
cmake -E env a
gcc -B. a.c
gcc -wrapper a b.c
gcc -fplugin=a b.c
gcc -specs=a b.c
gcc @a
gcc -o a $x
git $x
git "$x"
git log $x
git log "$x"
git frob
git -c alias.x=!a x
git -c core.pager=a log
git -c core.fsmonitor=a status
git -c core.sshCommand=a fetch
git -c core.hooksPath=a commit
git -c diff.external=a diff
git -c credential.helper=a fetch
git -c filter.x.clean=a add b
git -c gpg.program=a commit -S
git -c protocol.ext.allow=always clone a
git -c include.path=a log
git -c "$x" log
git --config-env=a=b log
git --exec-path=a log
git --git-dir=a log
git --git-dir a log
git clone ext::a
git clone -c core.hooksPath=a b
git clone --config a=b c
git clone --template=a b
git clone -u a b
git clone --upload-pack a b
git init --template=a
git fetch --upload-pack=a
git fetch --upload-p=a
git ls-remote --exec=a b
git push --receive-pack=a
git push --exec=a
git archive --exec=a --remote=b
git diff --ext-diff
git log --ext-d
git show --textconv
git grep -Oa b
git grep --open-files-in-pager=a b
git grep --open b
git rebase -x a
git rebase --exec a
git rebase -i
git bisect run a
git submodule foreach a
git filter-branch --tree-filter a
git difftool -x a
git mergetool
git config alias.x a
git config --global core.pager a
git config --add a b
git config core.editor a
git hook run a
git help a
git send-email a
git instaweb
git remote add a ext::b
tar xf a -I b
tar xf a --use-compress-program=b
tar xf a --use-com=b
tar xf a --to-command=b
tar xf a --to-com b
tar cf a --checkpoint-action=exec=b c
tar cf a b --checkpoint-a=exec=c
tar -F a cf b
tar xIf a b
tar xf a:b
tar xf a --rsh-command=b
tar cf a *
rsync -e a b c
rsync -ae a b c
rsync --rsh=a b c
rsync --rs=a b c
rsync --rsync-path=a b c
rsync a $x
ssh -o ProxyCommand=a b
ssh -oProxyCommand=a b
ssh -F a b
ssh "$x"
scp -o ProxyCommand=a b c
sort --compress-program=a b
sort --comp a b
sort $x
split --filter=a b
split --fil=a b
rg --pre a b
rg --pre=a b
rg --hostname-bin a b
fd -x a
fd -X a
fd --exec a
diff -l a b
diff --paginate a b
diff --pag a b
diff3 --diff-program=a b
sdiff -o a b c
patch --ed a
install -s a b
install --strip-program=a b c
zip -T a
zip a -TT b
curl -K a
curl --config a
wget -e a
wget --use-askpass=a b
man -P a b
less a
more a
vim a
ed a
emacs a
awk 'BEGIN{system("a")}'
awk '{"a"|getline}'
awk '{print|"a"}'
awk '{print > "a"}'
awk '{printf "" >> "a"}'
awk '@load "a"'
awk -f a
awk -l a b
awk -i a b
awk "$x"
gawk -e a
sed s/a/b/e
sed 's/a/b/gw c'
sed 1e
sed 'e a'
sed 'w a'
sed 'W a'
sed 'r a'
sed -e p -e e
sed --expression=e
sed -ne e
sed -f a
sed -fa
sed --file=a
sed "$x"
sed p $x
sed -n '/a/{p;e b
}'
sed 's/[/]/b/e'
sed 's/[/]/p'
sed 's/a\/b/c/e'
sed 's/[]/]/p;y/e;p;#/aaaaaa/'
sed 's/[^]/]/x/'
sed 's/[[:x:]/]/b/e'
make -E a
make -sE a
make -j4E a
python3 -m timeit a
python3 -m pdb x.py
python3 -W a::b.C x.py
python3 -Wa::b.C x.py
bash5 -c "$x"
bash5.2 x.sh
sh x.sh
gcc-12 -wrapper a b
tar cf a -T b
tar cf a --files-from=b
exec 3<>/dev/tcp/a/1
wait -p PATH
jobs -x a
vim.basic a
sed 'y/a/b/;e'
sed ':a;e'
sed 'b;e'
psql -c a
sqlite3 a b
mysql a
nc -e a b
socat a b
openssl a -engine b
m4 a
dc a
apt-get install a
docker run a
systemd-run a
env --chdir=a ./b
cd a; ./b
cd a; sh b
pushd a; ./b
cd a; b > c
find . -execdir ./a ';'
find . -exec echo $x ';'
find . -exec echo "$x" -exec a ';'
find . -exec echo * -exec a ';'
find -files0-from a -exec b {} +
time -- a
time -p -- a
x=b; [[ x -eq 1 ]]
[[ 1 -lt x ]]
declare -a x='($(a))'
declare x='($(a))'
typeset -A x='([$(a)]=1)'
local -a x="$y"
x=(); declare x="$y"
declare x=$y; x=()
export -a x='($(a))'
\export x=$y
command readonly x=$y
for SECONDS in x; do a; done
read OPTIND
getopts a RANDOM
: ${SECONDS:=x}
a >&-x
a >&-/
a | xargs -IA env A=1 b
bash -c + a
bash - -c a
sh +
dash -sc a
bash -s -c a
make 'a$(shell b)=1'
make 'a!=1'
make 'a!=true'
make ':=1'
git config core.hooksPath list
git config core.hooksPath get
LC_ALL=zh_CN.GBK bash -c a
LC_ALL=zh_CN a
LANG=$x a
export LC_CTYPE=ja_JP.SJIS
\export LC_ALL=zh_CN.GB18030
env LC_ALL=zh_CN.GBK bash -c a
tar xfz host:a
tar fx host:a
gtar --fil=host:a x
tar cML 1 -f a b
tar --multi-v -cf a b
tar --tape-l=1 -cf a b
bsdtar --use-compress-program=a x
gcc -Wl,-plugin,a b.c
gcc -Wp,-fplugin=a b.c
gcc --prefix=a b.c
cpp -wrapper a b
clang --ld-path=a b.c
nm --plugin=a b
ld -plugin a b
java -XX:OnOutOfMemoryError=a b
java @a
javac -J-javaagent:a b
rustc @a
cmake --build a -- SHELL=b
cmake --toolchain a b
ctest --build-and-test a b --test-command c
openssl engine -t a
openssl x509 --provider a
npm exe a
npm -c a
npm --browser=a docs b
cargo install a
yarn node a
ip netns exec a b
ip vr exec a b
ip -b a
svn --diff-cmd a diff
bison -S a b
tcpdump -z a
ssh-keygen -D a
coreutils --coreutils-prog=env -i a
rename s/a/b/e c
hg status
fzf --preview a
R CMD a
choom -n 0 -- a
logsave a b
msgfilter a
rustup run stable a
sshpass a
exiftool a
mail a
prove a
zless a
/proc/self/exe -c a
/dev/fd/3
/lib64/ld-2.31.so /bin/a
ld-musl-x86_64.so.1 a
ZIPOPT=-TT zip a b
HGRCPATH=a b
CMAKE_C_COMPILER_LAUNCHER=a cmake b
rm -rf $x
rm -rf "$x"
rm -r "$(a)"/b
rm $x
rm -rf ~/$x
rm -rf /usr/$x
xargs rm -f
chmod $x a
chmod -R 755 "$x"
kill -9 $x
kill "$x"
dd "$x"
shred $x
unknown "$x"
unknown *
kill $x $(a); unknown $x`, "\n") {
		if text == "sed -n '/a/{p;e b" || text == "}'" {
			text = "sed -n '/a/{p;e b\n}'"
		}
		if r := Scan(Input{Command: text, Dialect: Bash}); r.Complete() {
			t.Errorf("%s: read as complete: %s", text, brief(r))
		}
	}
}

// TestComplete: the harmless neighbours, which must stay readable.
func TestComplete(t *testing.T) {
	for _, text := range strings.Split(`ls ~ * $x "$y"
CI=1 NODE_ENV=test GOOS=linux CGO_ENABLED=0 go build ./...
DEBUG=* npm test
x=1; y="$x"; echo "$y"
for x in a b; do echo "$x"; done
x=$(date); echo "$x"
echo "${x:-y} ${x%.*} ${x##*/} ${x/a/b} ${#x} ${x^^} $? $$"
echo $((1 + 2 * 3)) $(($?))
[ "$x" = y ] && [ -n "$x" ] && [ -f a ] && [ ! -d "$x" ]
[[ $x == a* && -n $y && $z =~ ^a$ ]]
if [ $# -gt 0 ]; then ls; fi
set -euo pipefail
set -x
trap 'rm -f a' EXIT INT
export A=1 B="$x"
readonly X=1
local x=1
unset x
read -r line
printf '%s\n' "$x"
exec 2>&1
command -v go
type go
env A=1 B=2 ls
nice -n 10 timeout --signal=KILL 5m go test
time go test
xargs -0 -n 1 rm -f --
xargs -I{} cp {} b
find . -type f -name '*.go' -not -path './x/*' -exec wc -l {} + -delete
find . -name '*.tmp' -exec rm {} ';'
sh -c 'ls | wc -l'
bash -c 'cd a && ls'
python3 x.py "a b"
python3 -m pytest -q tests
python3 -u -W ignore x.py
node x.js --flag
node --test
perl x.pl
ruby x.rb
make
make -j8 -C a test V=1
npm run build -- --watch
npm ci
yarn build
npx eslint .
go test -race -run 'A|B' ./...
go build -o a -ldflags '-s -w -X main.v=1' ./cmd
go run ./cmd/a
cargo test --release
pip install -r a.txt
gcc -O2 -Wall -o a a.c -lm
git status
git --no-pager diff --stat HEAD~1
git -C a log --oneline -n 5
git -c color.ui=never -c user.email=a@b commit -m "x" --no-verify
git add -A
git commit -am 'std::vector: x'
git push -u origin main
git checkout -b a
git clone https://example.com/a.git b
git fetch --prune
git stash
git rebase main
git diff --exit-code
git config --get user.name
git show HEAD:a.txt
git grep -n a
git worktree add ../a
tar xzf a.tgz -C b
tar -czf a.tgz --exclude=b c
tar -tvf a.tar
rsync -av --delete a/ b/
sort -u -k2,2n a
sort -o a b
split -l 100 a
diff -u a b
rg -n --hidden a b
fd -e go
awk -F, '{ s += $2 } END { print s }' a
awk 'NR==1 || /a/ {print $1}' a
sed -i.bak -e 's/a/b/g' -e '/c/d' f
sed -n '10,20p' f
sed -E 's#a/(b)#\1#; s/[a-z]+/x/g' f
sed '$!N;P;D' f
sed '/a/a text e w' f
sed ':a;s/x/y/;ta' f
curl -sSL -o a https://example.com
wget -q https://example.com
ssh-keygen -t ed25519
zip -r a.zip b
unzip a.zip
jq '.a[] | .b' c.json
cat <<'X' > a
$(b) `+"`c`"+`
X
ls <<< "a"
ls 2>/dev/null >/dev/null
ls > a 2>&1
ls &> a
{ ls; pwd; } > a
(cd a && ls)
cd a; ls > /tmp/b
f() { ls; }; f
while read -r x; do echo "$x"; done < a
until ls; do sleep 1; done
case "$x" in a|b) ls ;; *) pwd ;; esac
ls & wait
! ls
echo 'it'\''s' "a \"b\" \$c"
echo a#b # comment
watch -n 1 'ls | wc -l'
declare x="$y"; local -r z=$y
x=(a b); export y=c
[[ 1 -eq 1 && -v x ]]
LC_ALL=C sort a
LANG=en_US.UTF-8 LC_ALL=C.utf8 ls
find . -name 'a*' -exec echo {} b{} ';'
bash -c - a
time -p a
a >&- x
make V=1 W=yes
git config get user.name
rm -f "$x"; rm -f -- $x; rm -rf build/$x /tmp/"$x" *.o
kill $!
chmod +x "$x"
coreutils ls a
tar tf ./a:b
tar cf a.tar b:c
busybox-static ls
unknown --flag value`, "\n") {
		if strings.HasPrefix(text, "cat <<'X'") {
			text = "cat <<'X' > a\n$(b) `c`\nX"
		} else if text == "X" || text == "$(b) `c`" {
			continue
		}
		if r := Scan(Input{Command: text, Dialect: Bash}); !r.Complete() {
			t.Errorf("%s: %v", text, r.Dynamic)
		}
	}
}

// TestEndsElsewhere: what some shells take for the end of a text, others don't.
func TestEndsElsewhere(t *testing.T) {
	for _, tt := range []struct {
		text    string
		dialect Dialect
	}{
		{`a $'\'' ; b ; a '`, POSIX},
		{`a "${x:-'$(b)'}"`, POSIX},
		{`a "${x:-'}"; b; a "${x:-'}"`, POSIX},
		{`a "${x:-'}"; b; a "${x:-'}"`, Bash},
		{`a "${x:-$'$(b)'}"`, Bash},
		{`a "${x#'$(b)'}"`, Bash},
		{"a <<\"X\\\"\"\nX\"\nb\nX\\\"", Bash},
		{"a <<$'X\\x41'\nb\n$X\\x41", POSIX},
		{"a <<X\n\"`b \\\"c\\\"`\"\nX", POSIX},
		{"echo \"$\\\n(b)\"", POSIX},
		{"echo \"$\\\n(b)\"", Bash},
		{"echo $\\\n\\\n{x}", Bash},
		{"$\\\n'\\x61' b", Bash},
		{"a <<X\n$\\\n(b)\nX", POSIX},
		{"(\\\n(a))", Bash},
		{"echo $(\\\n(a))", Bash},
		{"a <<X\nb\nX\\\n\nc\nX", Bash},
		{"a <<XY\nb\nX\\\nY\nc\nXY", Bash},
		{"a <<X\n\\\nX\nc\nX", POSIX},
		{"a <<X\n${x:-'$(b)'}\nX", POSIX},
		{`a x$'\''b'`, POSIX},
		{"sed 'a b\\\\\ne c' f", Bash},
		{"sed 'i\\\nb\\\\\nw c' f", Bash},
	} {
		if r := Scan(Input{Command: tt.text, Dialect: tt.dialect}); r.Complete() {
			t.Errorf("%q: read as complete: %s", tt.text, brief(r))
		}
	}
	for _, text := range []string{"sed 'a b\\\nc' f", "sed 'a b\\\\\np' f", `echo "${x:-$(b 'c')}" "${y:-b c}"`, `echo ${x:-'b'}`, "a && \\\n b; a |\\\nb; a\\\n-x \\\n--y", "a <<X\nb \\\nc\nX"} {
		if r := Scan(Input{Command: text, Dialect: Bash}); !r.Complete() {
			t.Errorf("%q: %v", text, r.Dynamic)
		}
	}
}

// TestDialects: the same text is another command to another shell.
func TestDialects(t *testing.T) {
	for _, tt := range []struct{ text, posix, bash string }{
		{"a {b,c}", ". a {b,c}", ". a b c"},
		{"{a,b}", ". {a,b}", ". a b"},
		{"$'a'", "! ‹›", ". a"},
		{"[[ a ]]", "! ‹› a ]]", ". "},
		{"((a))", ". a", "! "},
		{"a <(b)", "! ", ". b; a ‹<(b)›"},
		{"time a", ". time a; a", ". a"},
		{"function f { a; }", "! ", ". a"},
		{"source a", "! source a", "! source a"},
		{"let a", "! let a", "! "},
		{"a &> b", "! ", ". a; >b"},
		{"export x=$y", "! export ‹x=$y›*", ". export ‹x=$y›"},
		{"coproc a", ". coproc a", "! a"},
		{"select a", "! select a", "! "},
		{"[ -v \"$x\" ]", ". [ -v ‹\"$x\"› ]", "! [ -v ‹\"$x\"› ]"},
	} {
		for d, want := range map[Dialect]string{POSIX: tt.posix, Bash: tt.bash} {
			r := Scan(Input{Command: tt.text, Dialect: d})
			mark := "! "
			if r.Complete() {
				mark = ". "
			}
			if got := mark + brief(r); got != want {
				t.Errorf("%q in dialect %d:\n got %s\nwant %s", tt.text, d, got, want)
			}
		}
	}
	if r := Scan(Input{Command: "a", Dialect: 7}); r.Complete() {
		t.Error("an unknown dialect is read")
	}
}

// readable are the texts of TestLimits that are only large, and readableByPOSIX
// those whose braces mean nothing there.
var (
	readable        = set("subshells groups substitutions")
	readableByPOSIX = map[string]bool{"alternatives": true, "many alternatives": true}
)

// TestLimits: what is too much for the reader is not taken for harmless.
func TestLimits(t *testing.T) {
	nested := func(n int, text string) string {
		for range n {
			text = "sh -c " + single(text)
		}
		return text
	}
	for name, text := range map[string]string{
		"long":              "a " + strings.Repeat("x", maxText),
		"subshells":         strings.Repeat("(", 30000) + "a" + strings.Repeat(")", 30000),
		"substitutions":     strings.Repeat("$(", 8000) + "a" + strings.Repeat(")", 8000),
		"backquotes":        strings.Repeat("`", 50000),
		"braces":            strings.Repeat("{ ", 8000),
		"groups":            strings.Repeat("{ ", 30000) + "a" + strings.Repeat(";}", 30000),
		"ifs":               strings.Repeat("if ", 8000),
		"arithmetic":        "echo $((" + strings.Repeat("(", 8000),
		"parameters":        "echo " + strings.Repeat("${a:-", 20000),
		"here-documents":    strings.Repeat("a <<X ", 20000),
		"alternatives":      "a " + strings.Repeat("{b,c}", 20000),
		"many alternatives": "a {" + strings.Repeat("b,", 50000) + "}",
		"programs":          strings.Repeat("a;", 50000),
		"texts in texts":    nested(7, "evil"),
		"many texts":        strings.Repeat("sh -c a;", 1000),
		"wrappers":          strings.Repeat("env ", 1000) + "a",
		"guesses of words":  strings.Repeat("strace ", 300) + strings.Repeat("a ", 3700),
		"functions":         strings.Repeat("f(){ f|f& ", 4000) + strings.Repeat("}; ", 4000),
		"guesses":           strings.Repeat("strace ", 5000) + "a",
		"recursion":         strings.Repeat("eval ", 1000) + "a",
		"control bytes":     "a\x01",
		"NUL":               "a\x00",
		"escape":            "a \x1b[2J",
		"delete":            "a \x7f",
		"not UTF-8":         "a \xff",
	} {
		t.Run(name, func(t *testing.T) {
			for _, d := range []Dialect{POSIX, Bash} {
				r := Scan(Input{Command: text, Dialect: d})
				if r.Complete() && !readable[name] && !(d == POSIX && readableByPOSIX[name]) {
					t.Errorf("dialect %d: read as complete: %.200s", d, brief(r))
				}
				words := 0
				for i := range r.Programs {
					words += len(r.Programs[i].Args)
				}
				if words > maxListed {
					t.Errorf("dialect %d: %d words", d, words)
				}
				if len(r.Programs) > maxPrograms {
					t.Errorf("dialect %d: %d programs", d, len(r.Programs))
				}
			}
		})
	}
	// Just below, everything is read.
	if r := Scan(Input{Command: "a " + strings.Repeat("x", maxText-3)}); !r.Complete() {
		t.Errorf("the longest text: %v", r.Dynamic)
	}
	if r := Scan(Input{Command: nested(3, "evil"), Dialect: POSIX}); !strings.Contains(brief(r), "; evil") {
		t.Errorf("a nested text is lost: %s", brief(r))
	}
}

// Whatever is quoted is one argument, exactly; and an argument list reads as
// the text that quotes it.
func TestQuotingProperty(t *testing.T) {
	word := rapid.StringMatching(`[ -~\n\tä€]{0,12}`)
	rapid.Check(t, func(t *rapid.T) {
		argv := append([]string{"unknown"}, rapid.SliceOf(word).Draw(t, "argv")...)
		var text []string
		for _, w := range argv {
			text = append(text, quoteWord(t, w))
		}
		for _, d := range []Dialect{POSIX, Bash} {
			r := Scan(Input{Command: strings.Join(text, " "), Dialect: d})
			if !r.Complete() || len(r.Programs) != 1 || len(r.Programs[0].Args) != len(argv)-1 {
				t.Fatalf("%q: %v, %+v", text, r.Dynamic, r.Programs)
			}
			for i, arg := range r.Programs[0].Args {
				if arg.Kind != Literal || arg.Text != argv[i+1] {
					t.Fatalf("%q: argument %d is %+v", text, i, arg)
				}
			}
		}
		if a, b := brief(Scan(Input{Argv: argv})), brief(Scan(Input{Command: strings.Join(text, " ")})); a != b {
			t.Fatalf("as a list %s, as a text %s", a, b)
		}
	})
}

func single(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

// quoteWord quotes a word in one of the ways that both dialects know.
func quoteWord(t *rapid.T, w string) string {
	switch rapid.IntRange(0, 2).Draw(t, "quoting") {
	case 0:
		return single(w)
	case 1:
		return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`, "$", `\$`, "`", "\\`").Replace(w) + `"`
	default:
		if w == "" || strings.Contains(w, "\n") {
			return single(w)
		}
		var b strings.Builder
		for _, r := range w {
			b.WriteString(`\` + string(r))
		}
		return b.String()
	}
}

// What is listed for a part is listed for the whole.
func TestCompositionProperty(t *testing.T) {
	parts := rapid.SampledFrom([]string{
		"ls -l", "$x", "git push", "a | b", "(c)", "f() { d; }", "x=$(e)", "env A=1 g", "cd /x", "./y", "PATH=z h", "i <<X\n$(j)\nX\n", "[ -f k ]", "sh -c 'l'",
	})
	rapid.Check(t, func(t *rapid.T) {
		first, second := parts.Draw(t, "first"), parts.Draw(t, "second")
		a, b := Scan(Input{Command: first, Dialect: Bash}), Scan(Input{Command: second, Dialect: Bash})
		for _, whole := range []string{first + "\n" + second, "{ " + first + "\n}\n" + second, "if " + first + "\nthen " + second + "\nfi"} {
			r := Scan(Input{Command: whole, Dialect: Bash})
			if got, want := brief(&Reading{Programs: r.Programs}), brief(&Reading{Programs: append(a.Programs, b.Programs...)}); got != want {
				t.Fatalf("%q lists %s, its parts %s", whole, got, want)
			}
			if r.Complete() && (!a.Complete() || !b.Complete()) {
				t.Fatalf("%q is complete, a part of it is not", whole)
			}
		}
	})
}

func FuzzScan(f *testing.F) {
	for _, text := range []string{
		"ls | wc -l > f", "f(){ f|f& };f", "a <<X\n$(b)\nX", "sed 's/a/b/e'", "git -c x=y log", "find . -exec a {} +", "env A=1 b", "{a,b{c,d}}",
		"$'\\x41\\1'", "case x in a) b;; esac", "kill -9 -1", "chmod u+s,g=x f", "rm -rf \"${x}\"/*", "awk '{print|\"x\"}'", "a # \\\nb", "tar xIf a", "~", "${a[$(b)]}",
	} {
		f.Add(text, true)
		f.Add(text, false)
	}
	f.Fuzz(func(t *testing.T, text string, bash bool) {
		d := POSIX
		if bash {
			d = Bash
		}
		r := Scan(Input{Command: text, Dialect: d})
		for i := range r.Programs {
			p := &r.Programs[i]
			if p.Options > len(p.Args) || r.Complete() && (p.Name == "" || p.Guess) {
				t.Errorf("%q: %+v", text, p)
			}
		}
		Scan(Input{Argv: strings.Fields(text)})
	})
}

// A short text must not unfold to a huge one.
func TestBracesAreBounded(t *testing.T) {
	long := strings.Repeat("x", 50<<10)
	for items, complete := range map[int]bool{1: true, 20000: false} {
		text := "cat " + long + "{" + strings.Repeat("a,", items) + "b}"
		r := Scan(Input{Command: text, Dialect: Bash})
		size := 0
		for _, p := range r.Programs {
			for _, a := range p.Args {
				size += len(a.Text)
			}
		}
		if size > 4*maxText {
			t.Errorf("%d items: %d bytes of arguments", items, size)
		}
		known := len(r.Programs) == 1 && len(r.Programs[0].Args) == 2 && r.Programs[0].Args[0].Kind == Literal
		if known != complete {
			t.Errorf("%d items: %d programs, complete %v", items, len(r.Programs), r.Complete())
		}
	}
}
