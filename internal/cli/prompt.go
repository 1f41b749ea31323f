package cli

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"golang.org/x/term"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
	"github.com/baileyhq/bailey/internal/text"
)

// What a terminal may say instead of a line.
var (
	errNoTerminal = errors.New("there is no terminal to ask on")
	errBackground = errors.New("the process is in the terminal's background")
	errNoAnswer   = errors.New("the human answers no more")
	errLater      = errors.New("the human put the request aside")
)

// maxReason bounds the reason of a denial, in bytes.
const maxReason = 2000

// A prompt asks a human on the terminal that controls the process. It does so
// whatever the standard streams are, one request at a time, and only while the
// process is in the terminal's foreground.
type prompt struct {
	by    string // who answers
	color bool
	later bool // a request may be put aside
	lock  string
}

// prompt asks in the name of the user of the process, by way of face.
func (a *app) prompt(face string) *prompt {
	p := &prompt{by: approver(face), color: a.colorful()}
	if state, err := bailey.StateDir(a.flags.state, a.env); err == nil {
		p.lock = promptLock(state)
	}
	return p
}

// colorful tells whether a terminal may be written to in colour.
func (a *app) colorful() bool { return a.env("NO_COLOR") == "" && a.env("TERM") != "dumb" }

// reviewOptions are for a request on stdout.
func (a *app) reviewOptions() review.Options {
	f, ok := a.stdout.(*os.File)
	if !ok || !isTerminal(f) {
		return review.Options{}
	}
	width, _, err := term.GetSize(int(f.Fd()))
	if err != nil {
		width = 0
	}
	return review.Options{Width: width, Color: a.colorful()}
}

// can tells whether there is a terminal.
func (p *prompt) can(context.Context) bool {
	t, err := openTerminal()
	if err != nil {
		return false
	}
	t.close()
	return true
}

// ask puts a request to the human until there is an answer. It is a
// [bailey.Approver]'s Ask.
func (p *prompt) ask(ctx context.Context, e approval.Entry) (approval.Decision, error) {
	t, err := openTerminal()
	if err != nil {
		return approval.Decision{}, err
	}
	defer t.close()
	unshield := t.shield()
	defer unshield()
	// Two processes that ask on one terminal would take each other's answers.
	release, err := t.turn(ctx, p.lock)
	if err != nil {
		return approval.Decision{}, err
	}
	defer release()
	stop := context.AfterFunc(ctx, t.interrupt)
	defer stop()
	d, err := p.inForeground(ctx, t, e)
	if ctx.Err() != nil {
		t.printf("\n%s\n", overtaken(ctx, e))
		return d, context.Cause(ctx)
	}
	if errors.Is(err, errNoAnswer) {
		t.printf("\n")
	}
	return d, err
}

// inForeground has the dialogue whenever the process is in the foreground.
func (p *prompt) inForeground(ctx context.Context, t *terminal, e approval.Entry) (approval.Decision, error) {
	for {
		if err := t.awaitForeground(ctx); err != nil {
			return approval.Decision{}, err
		}
		d, err := p.dialogue(t, e)
		if !errors.Is(err, errBackground) || ctx.Err() != nil {
			return d, err
		}
	}
}

// overtaken says why there is nothing to decide any more.
func overtaken(ctx context.Context, e approval.Entry) string {
	var settled *bailey.SettledError
	switch {
	case errors.As(context.Cause(ctx), &settled):
		return "No answer is needed: " + review.Outcome(settled.Entry)
	case errors.Is(ctx.Err(), context.Canceled):
		return "No answer is needed: the call was cancelled"
	default:
		return fmt.Sprintf("The call waits no longer; request %s is still open", e.ID)
	}
}

// dialogue shows the request and asks until the answer is one.
func (p *prompt) dialogue(t *terminal, e approval.Entry) (approval.Decision, error) {
	restore := t.cook()
	defer restore()
	complete, err := p.show(t, e, true)
	if err != nil {
		return approval.Decision{}, err
	}
	for {
		answer, err := t.question(p.question(e, complete))
		if err != nil {
			return approval.Decision{}, err
		}
		switch word := strings.ToLower(strings.TrimSpace(answer)); {
		case word == "y" || word == "yes":
			return approval.Decision{Approve: true, Scope: approval.Once, By: p.by}, nil
		case (word == "s" || word == "session") && e.Grant != "":
			return approval.Decision{Approve: true, Scope: approval.Session, By: p.by}, nil
		case word == "n" || word == "no":
			return p.denial(t)
		case (word == "l" || word == "later") && p.later:
			return approval.Decision{}, errLater
		case word == "d" || word == "details":
			if complete, err = p.show(t, e, false); err != nil {
				return approval.Decision{}, err
			}
		}
	}
}

// denial asks for the reason. The human has denied already: no answer is no reason.
func (p *prompt) denial(t *terminal) (approval.Decision, error) {
	reason, err := t.question("Reason, which the agent is told (Enter for none): ")
	if err != nil && !errors.Is(err, errNoAnswer) {
		return approval.Decision{}, err
	}
	return approval.Decision{By: p.by, Reason: tidyReason(reason)}, nil
}

// tidyReason makes one line of valid text of what was typed.
func tidyReason(s string) string {
	s = strings.TrimSpace(text.VisibleControl(strings.TrimSpace(s)))
	if len(s) > maxReason {
		s = strings.ToValidUTF8(s[:maxReason], "")
	}
	return s
}

func (p *prompt) question(e approval.Entry, complete bool) string {
	choices := []string{"y = once"}
	if e.Grant != "" {
		choices = append(choices, "s = this session")
	}
	choices = append(choices, "n = deny")
	if p.later {
		choices = append(choices, "l = later")
	}
	if complete {
		choices = append(choices, "d = show again")
	} else {
		choices = append(choices, "d = show everything")
	}
	return fmt.Sprintf("Approve %s? %s: ", e.ID, strings.Join(choices, ", "))
}

// show shows as much of a request as fits on the screen, or all of it.
func (p *prompt) show(t *terminal, e approval.Entry, brief bool) (complete bool, err error) {
	width, height := t.size()
	o := review.Options{Width: width, Color: p.color, More: "type d"}
	if brief {
		o.Lines = max(height-4, 12) // room for the hint, the question and the answer
	}
	if _, err := io.WriteString(t, "\n"); err != nil {
		return false, err
	}
	return review.Write(t, e, o)
}

// foregroundPoll is how often a process in the background looks whether it is in
// the foreground.
const foregroundPoll = 200 * time.Millisecond
