package policy_test

import (
	"strings"
	"testing"

	"github.com/baileyhq/bailey/policy"
)

// TestBypasses: each way in which rules about commands have been got around
// elsewhere, by name. What is denied must stay denied, what hides must at least be
// asked about, and each class has a control that is allowed.
func TestBypasses(t *testing.T) {
	p := commandPolicy(t, policy.Config{Rules: append(developer[:len(developer):len(developer)],
		rule("xa", allow, "xargs **", "tar **", "rsync **", "parallel **", "watch **", "ssh **", "git **", "command **", "printf **", "echo **"))})
	many := strings.Repeat("true; ", 2000)
	type want struct {
		command string
		action  policy.Action
	}
	for _, class := range []struct {
		name  string
		cases []want
	}{
		{"chains and pipes", []want{
			{"ls && git status", allow},
			{"ls && git push", deny},
			{"ls; git push", deny},
			{"ls || git push", deny},
			{"ls | git push", deny},
			{"ls |& git push", deny},
			{"ls & git push", deny},
			{"ls\n\n git push", deny},
			{"! git push", deny},
			{"ls;git push;ls", deny},
		}},
		{"wrappers", []want{
			{"env ls", allow},
			{"env git status", allow},
			{"env git push", deny},
			{"env -i A=1 git push", deny},
			{"env -S 'git push'", deny},
			{"echo x | xargs git push", deny},
			{"echo x | xargs -I{} sh -c 'git push {}'", ask},
			{"sh -c 'git push'", deny},
			{"bash -c \"git push\"", deny},
			{"eval git push", deny},
			{"eval \"git\" 'push'", deny},
			{"nohup git push", deny},
			{"timeout 5 git push", deny},
			{"nice git push", deny},
			{"stdbuf -o0 git push", deny},
			{"setsid git push", deny},
			{"command git push", deny},
			{"exec git push", deny},
			{"time -p git push", deny},
			{"ionice -c3 git push", deny},
			{"watch -n1 git push", deny},
			{"parallel git push ::: a", deny},
			{"busybox env git push", deny},
		}},
		{"brace groups and process substitution", []want{
			{"{ ls; }", allow},
			{"cat <(ls)", allow},
			{"{ git push; }", deny},
			{"(git push)", deny},
			{"cat <(git push)", deny},
			{"tee >(git push)", deny},
			{"((x)) || { git push; }", deny},
		}},
		{"an analysis cap", []want{
			{strings.Repeat("true; ", 20) + "ls", allow},
			{many + "git push", deny},
			{strings.Repeat("( ", 60) + "git push" + strings.Repeat(" )", 60), deny},
			{strings.Repeat("( ", 6000) + "git push" + strings.Repeat(" )", 6000), deny},
			{"ls " + strings.Repeat("a", 1<<16) + "; git push", deny},
			{strings.Repeat("sh -c 'ls' && ", 200) + "git push", deny},
		}},
		{"redirects", []want{
			{"ls > out", allow},
			{"ls > $(git push)", deny},
			{"cat < <(git push)", deny},
			{"git push > out", deny},
			{"> out git push", deny},
			{"2>/dev/null git push", deny},
			{"git >out push", deny},
			{"cat <<< $(git push)", deny},
			{"exec 3> >(git push)", deny},
		}},
		{"a double dash", []want{
			{"ls -- a", allow},
			{"env -- git push", deny},
			{"xargs -- git push", deny},
			{"timeout -- 5 git push", deny},
			{"nice -- git push", deny},
			{"command -- git push", deny},
			{"git --no-pager push", deny},
			{"git push -- origin", deny},
		}},
		{"look-alike absolute paths", []want{
			{"/usr/bin/git status", allow},
			{"/opt/evil/git push", deny},
			{"./git push", deny},
			{"../usr/bin/git push", deny},
			{"/usr/bin/../bin/git push", deny},
			{"//usr//bin//git push", deny},
			{"/ws/git status", ask},
			{"./ls", ask},
			{"sub/ls x", ask},
			{"/ws/harmless x", deny},
		}},
		{"options of git that run programs", []want{
			{"git log -n 1", allow},
			{"git -c core.pager='git push' log", deny},
			{"git -c core.pager=evil log", ask},
			{"git -c core.hooksPath=x commit -m y", ask},
			{"git -c alias.s='!git push' s", deny},
			{"git --paginate log", allow},
			{"GIT_PAGER='git push' git log", ask},
			{"git diff --ext-diff", ask},
			{"git grep -O'git push' x", ask},
			{"git grep --open-files-in-pager=evil x", ask},
			{"git -c diff.external=evil diff", ask},
			{"git --config-env=core.pager=X log", ask},
			{"git --exec-path=x status", ask},
			{"git bisect run git push", deny},
			{"git rebase --exec 'git push' m", deny},
			{"git submodule foreach git push", ask},
			{"git filter-branch --tree-filter 'git push' x", deny},
			{"git clone --upload-pack evil x", ask},
			{"git difftool -x evil", ask},
		}},
		{"find -exec and -delete", []want{
			{"find . -name x", allow},
			{"find . -exec grep x {} +", allow},
			{"find . -exec git push ;", deny},
			{"find . -exec git push \\;", deny},
			{"find . -execdir git push {} +", deny},
			{"find . -ok git push ';'", deny},
			{"find . -okdir git push ';'", deny},
			{"find / -delete", deny},
			{"find . -exec sh -c 'git push' ';'", deny},
		}},
		{"tar, rsync and ssh", []want{
			{"tar tf x", allow},
			{"tar cf x y --checkpoint=1 --checkpoint-action=exec='git push'", deny},
			{"tar xf x --to-command='git push'", deny},
			{"tar xf x -I 'git push'", deny},
			{"tar xf x --use-compress-program='git push'", deny},
			{"rsync -e 'git push' a b:c", deny},
			{"ssh -o ProxyCommand='git push' h", ask},
		}},
		{"awk, sort, sed and grep", []want{
			{"awk '{print}' f", allow},
			{"sort f", allow},
			{"sed -n 1p f", allow},
			{"awk 'BEGIN{system(\"git push\")}'", deny},
			{"awk 'BEGIN{\"git push\"|getline}'", deny},
			{"awk '{print|\"git push\"}' f", deny},
			{"sort --compress-program=evil f", ask},
			{"sed '1e git push' f", deny},
			{"sed 's/a/git push/e' f", ask},
			{"sed 'w /ws/x' f", ask},
			{"sed -n '/x/w f' g", ask},
		}},
		{"IFS and other expansions", []want{
			{"ls $x", allow},
			{"git${IFS}push", ask},
			{"$'git' push", deny},
			{"g''it push", deny},
			{"{git,push}", deny},
			{"gi? push", ask},
			{"/usr/bin/gi[t] push", ask},
			{"~/git push", ask},
			{"${x:-git} push", ask},
			{"$(echo git) push", ask},
			{"`echo git` push", ask},
			{"x=git; $x push", ask},
			{"set -- git push; \"$@\"", ask},
			{"IFS=-; x=git-push; $x", ask},
			{"g\\it p\\ush", deny},
			{"\"git\" \"push\"", deny},
			{"git \\\n push", deny},
			{"${x@P}", ask},
		}},
		{"builtins that poison the environment", []want{
			{"export CI=1; ls", allow},
			{"export PATH=/ws:$PATH; ls", ask},
			{"declare -x PATH=/ws; ls", ask},
			{"typeset PATH=/ws; ls", ask},
			{"readonly PATH=/ws; ls", ask},
			{"printf -v PATH /ws; ls", ask},
			{"read PATH < f; ls", ask},
			{"hash -p /ws/x ls; ls", ask},
			{"alias ls=x; ls", ask},
			{"enable -n ls; ls", ask},
			{"LD_PRELOAD=/ws/x ls", ask},
			{"export LD_LIBRARY_PATH=/ws; ls", ask},
			{"BASH_ENV=x bash -c ls", ask},
			{"PROMPT_COMMAND=x; ls", ask},
			{"env PYTHONPATH=x ls", ask},
			{"ls() { git push; }; ls", deny},
			{"source x; ls", ask},
			{". x; ls", ask},
			{"trap 'git push' DEBUG; ls", deny},
			{"mapfile PATH < f; ls", ask},
			{"unset PATH; ls", ask},
			{"local PATH=x; ls", ask},
			{"let PATH=1; ls", ask},
			{"shopt -s expand_aliases; ls", ask},
		}},
		{"a link beside a rule", []want{
			{"vi x", ask},
			{"./harmless x", deny},
			{"/ws/harmless -u x", deny},
			{"ls x", allow},
		}},
		{"bytes and texts that shells and parsers read apart", []want{
			{"ls a", allow},
			{"ls\rgit push", ask},
			{"git\x00push", ask},
			{"git push\r", ask},
			{"$((a); (git push))", ask},
			{"ls # \\\ngit push", ask},
			{"if git push", ask},
			{"case x in", ask},
			{"git push <<'", ask},
			{"echo \"", ask},
		}},
		{"quotes are read as a shell reads them", []want{
			{"echo 'git push'; ls", allow},
			{"git commit -m 'git push; sudo ls'", allow},
			{"grep -r 'git push' .", allow},
			{"echo \"$(git push)\"; ls", deny},
			{"git commit -m \"`git push`\"", deny},
		}},
	} {
		t.Run(class.name, func(t *testing.T) {
			controls := 0
			for _, w := range class.cases {
				v := p.JudgeCommand(bash(w.command))
				if v.Action != w.action {
					t.Errorf("%.80q: %v by %s (%s), want %v", w.command, v.Action, v.Rule, v.Message, w.action)
				}
				if w.action == allow {
					controls++
				}
			}
			if controls == 0 {
				t.Error("no command of this class is allowed: it lacks a control")
			}
		})
	}
}
