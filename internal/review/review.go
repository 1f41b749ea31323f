package review

import (
	"encoding/json"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/tool"
)

// Options say how a request is shown.
type Options struct {
	Width int    // columns, at least 24; 0: lines are not folded
	Color bool   // for a terminal
	Lines int    // rows, and one that says what was left out; 0: all
	More  string // how to see what was left out; "" names the command that shows it
}

// A request is what is shown of an entry.
type request struct {
	approval.Entry
	call tool.ApprovalRequest
	raw  bool // call is not known: the details can't be read
}

func read(e approval.Entry) request {
	r := request{Entry: e}
	if err := json.Unmarshal(e.Details, &r.call); err != nil {
		r.call, r.raw = tool.ApprovalRequest{}, true
	}
	return r
}

// Write shows a request. complete is false if o.Lines left something out; the last
// row then says how much, and how to see it.
func Write(w io.Writer, e approval.Entry, o Options) (complete bool, err error) {
	p := newPage(w, o)
	r := read(e)
	r.writeHead(p)
	r.writeCommand(p)
	r.writeChange(p)
	r.writeObjects(p)
	r.writeArgs(p)
	more := o.More
	if more == "" {
		more = "bailey approvals show " + oneLine(e.ID)
	}
	return p.end(more)
}

// writeHead tells who wants what, where, and why that needs an approval.
func (r request) writeHead(p *page) {
	p.heading(bold, fmt.Sprintf("Request %s: %s (%s), %s", r.ID, r.Tool, r.Op, r.State))
	for i, path := range r.Paths {
		p.field(name(i, "on"), path)
	}
	for i, rule := range r.rules() {
		p.styled(name(i, "because"), yellow, "rule "+rule.Rule)
		for line := range strings.Lines(rule.Message) {
			p.field("", strings.TrimSuffix(line, "\n"))
		}
	}
	if r.call.Fails != "" {
		p.styled("but", red, "as things are the call would fail: "+r.call.Fails)
	}
	p.field("asked by", r.who())
	p.field("workspace", fmt.Sprintf("%s (task %s)", r.Workspace, r.Task))
	p.prose("since", plain, r.when())
	if r.Joined > 0 {
		p.prose("joined by", plain, count(r.Joined, "equal call")+"; an approval is good for one of them")
	}
	if r.State != approval.Pending {
		p.styled("outcome", bold, r.outcome())
	} else {
		p.prose("once", plain, "covers exactly this call, as long as nothing that it names changes")
		p.prose("session", plain, Covers(r.Entry))
	}
	if r.raw {
		p.prose("note", red, "the details can't be read by this version of Bailey; they are shown as they are")
	}
}

// name is a label for the first of several values.
func name(i int, s string) string {
	if i > 0 {
		return ""
	}
	return s
}

func (r request) rules() []tool.RuleView {
	if len(r.call.Rules) > 0 {
		return r.call.Rules
	}
	return []tool.RuleView{{Rule: r.Rule, Message: r.Message}}
}

func (r request) who() string {
	who := r.Principal + ", session " + r.Session
	if r.Group != "" {
		who += ", group " + r.Group
	}
	return who
}

const clock = "2006-01-02 15:04:05 MST"

func (r request) when() string {
	s := r.Created.Local().Format(clock)
	switch {
	case r.Expires.IsZero():
		return s + ", until it is decided"
	case r.State == approval.Pending:
		return s + ", until " + r.Expires.Local().Format(clock)
	default:
		return s
	}
}

// Outcome says on one line what became of a request, by whom and when.
func Outcome(e approval.Entry) string {
	return oneLine(fmt.Sprintf("request %s %s", e.ID, request{Entry: e}.outcome()))
}

// outcome continues "request ID".
func (r request) outcome() string {
	var s string
	switch {
	case r.State == approval.Pending:
		return "is pending"
	case r.State == approval.Expired:
		s = "expired: nobody answered in time"
	case r.State == approval.Executed:
		s = "was approved and carried out"
	default:
		s = "was " + string(r.State)
	}
	if r.Scope == approval.Session {
		s += " for the session"
	}
	if r.By != "" {
		s += " by " + r.By
	}
	if !r.Decided.IsZero() {
		s += ", " + r.Decided.Local().Format(clock)
	}
	if r.Reason != "" {
		s += ": " + r.Reason
	}
	return s
}

// writeChange shows the diff.
func (r request) writeChange(p *page) {
	if r.call.Diff == "" {
		return
	}
	p.section("Change")
	header := 2 // lines that name the file
	p.block(bareContext(r.call.Diff), func(line string) string {
		if header > 0 {
			header--
			return bold
		}
		return diffStyle(line)
	})
	if r.call.Bytes != "" {
		p.prose("beware", red, "the bytes hold another text for a program that does not know the encoding, such as a shell:")
		p.block(bareContext(r.call.Bytes), diffStyle)
	}
	if r.call.DiffCut {
		p.prose("note", yellow, "this is not the whole change; the arguments below hold all that would be written")
	}
}

// bareContext takes the blank from lines of context that are empty otherwise.
func bareContext(diff string) string {
	lines := strings.Split(diff, "\n")
	for i, line := range lines {
		if line == " " {
			lines[i] = ""
		}
	}
	return strings.Join(lines, "\n")
}

func diffStyle(line string) string {
	switch {
	case strings.HasPrefix(line, "+"):
		return green
	case strings.HasPrefix(line, "-"):
		return red
	case strings.HasPrefix(line, "@"):
		return cyan
	case strings.HasPrefix(line, `\`):
		return yellow
	default:
		return plain
	}
}

// writeObjects tells what the named objects hold now, and which ones beneath them
// are the reason for asking.
func (r request) writeObjects(p *page) {
	if len(r.call.Contents) > 0 {
		p.section("What is there now")
		for _, c := range r.call.Contents {
			p.put(margin, folded, plain, c.Path+": "+describe(c))
		}
	}
	if beneath := r.beneath(); len(beneath) > 0 {
		p.section("The rules ask for %s", count(len(beneath), "further object"))
		for _, path := range beneath {
			p.put(margin, folded, plain, path)
		}
	}
}

// beneath are the objects that the policy asks for and that the call does not name.
func (r request) beneath() []string {
	named := map[string]bool{}
	for _, path := range r.Paths {
		named[path] = true
	}
	for _, path := range r.call.Paths {
		named[path] = true
	}
	return slices.DeleteFunc(slices.Clone(r.call.Objects), func(path string) bool { return named[path] })
}

func describe(c tool.ContentView) string {
	parts := []string{c.Type}
	if c.Type == "file" || c.Size > 0 {
		parts = append(parts, count(int(c.Size), "byte"))
	}
	if c.Target != "" {
		parts = append(parts, "leads to "+c.Target)
	}
	if c.Mode != "" {
		parts = append(parts, "mode "+c.Mode)
	}
	if c.Entries > 0 {
		parts = append(parts, fmt.Sprintf("entries beneath: %d", c.Entries))
	}
	if c.SHA256 != "" {
		parts = append(parts, "sha256 "+c.SHA256)
	}
	if t, err := time.Parse(time.RFC3339, c.MTime); err == nil {
		parts = append(parts, "changed "+t.Local().Format(clock))
	}
	return strings.Join(parts, ", ")
}
