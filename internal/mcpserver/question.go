package mcpserver

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/internal/review"
	"github.com/baileyhq/bailey/internal/text"
)

// The human in front of the client may be asked by an elicitation, if the operator
// wants that and the client can show a form. The answer is the decision of whoever
// sits there; other approvers may be faster.

var (
	// ErrLater is what Ask returns where the protocol has no requests of servers: the
	// question leaves with the answer to the call, and the human's answer comes with
	// a second call. The first one should not wait for it.
	ErrLater = errors.New("mcpserver: the answer comes with another call")

	errUndecided = errors.New("mcpserver: the human in front of the client has not decided")
)

// asker puts a request to the human in front of the client.
type asker interface {
	ask(ctx context.Context, e approval.Entry) (approval.Decision, error)
}

type askerKey struct{}

func withAsker(ctx context.Context, a asker) context.Context {
	return context.WithValue(ctx, askerKey{}, a)
}

// CanAsk tells whether the human of the call under ctx can be asked through the
// client.
func CanAsk(ctx context.Context) bool {
	_, can := ctx.Value(askerKey{}).(asker)
	return can
}

// Ask puts a request to the human of the call under ctx. An error is no decision;
// it may be ErrLater.
func Ask(ctx context.Context, e approval.Entry) (approval.Decision, error) {
	a, can := ctx.Value(askerKey{}).(asker)
	if !can {
		return approval.Decision{}, errUndecided
	}
	return a.ask(ctx, e)
}

// hasForms reports whether a client can show a form. One that says nothing of its
// modes can.
func hasForms(c *mcp.ClientCapabilities) bool {
	return c != nil && c.Elicitation != nil && (c.Elicitation.Form != nil || c.Elicitation.URL == nil)
}

// direct asks by a request to the client, as protocol versions before 2026-07-28
// have it. If ctx ends, the client is told that no answer is wanted any more.
type direct struct {
	session *mcp.ServerSession
	by      string
}

func (d direct) ask(ctx context.Context, e approval.Entry) (approval.Decision, error) {
	r, err := d.session.Elicit(ctx, question(e))
	if err != nil {
		return approval.Decision{}, err
	}
	return decision(r, e.Grant != "", d.by)
}

// What a human can choose.
const (
	approveOnce    = "approve once"
	approveSession = "approve for this session"
	deny           = "deny"
)

// Bounds of a form: nobody reads more in one, and clients may have bounds too.
const (
	formWidth = 100
	formLines = 200
	maxReason = 1000 // characters
)

// question is the form for a request.
func question(e approval.Entry) *mcp.ElicitParams {
	choices := []any{approveOnce}
	if e.Grant != "" {
		choices = append(choices, approveSession)
	}
	choices = append(choices, deny)
	limit := maxReason
	return &mcp.ElicitParams{
		Mode:    "form",
		Message: formText(e),
		RequestedSchema: &jsonschema.Schema{
			Type: "object",
			Properties: map[string]*jsonschema.Schema{
				"decision": {Type: "string", Title: "Decision", Description: "May the agent do this?", Enum: choices},
				"reason":   {Type: "string", Title: "Reason", Description: "Told to the agent with a denial. May be left empty.", MaxLength: &limit},
			},
			PropertyOrder: []string{"decision", "reason"},
			Required:      []string{"decision"},
		},
	}
}

// formText shows a request, whole unless it is too long for a form. Many clients
// read Markdown in messages: the fence keeps what the agent has written from being
// a link, a picture or a heading there.
func formText(e approval.Entry) string {
	var shown bytes.Buffer
	complete, err := review.Write(&shown, e, review.Options{Width: formWidth, Lines: formLines})
	head := fmt.Sprintf("The agent needs your approval (request %s).", e.ID)
	if !complete || err != nil {
		head += fmt.Sprintf(" This is not all of it: run \"bailey approvals show %s\" in a terminal to see the whole request.", e.ID)
	}
	fence := fenceFor(shown.String())
	return head + "\n\n" + fence + "\n" + shown.String() + fence
}

// fenceFor is a fence that nothing in s closes.
func fenceFor(s string) string {
	longest, run := 0, 0
	for _, c := range []byte(s) {
		if c != '`' {
			run = 0
			continue
		}
		run++
		longest = max(longest, run)
	}
	return strings.Repeat("`", max(3, longest+1))
}

// decision reads the answer to a question, in which the session was a choice or
// not. Whatever is not a clear answer is none.
func decision(r *mcp.ElicitResult, session bool, by string) (approval.Decision, error) {
	d := approval.Decision{By: by}
	switch r.Action {
	case "decline":
		return d, nil
	case "accept":
	default:
		return approval.Decision{}, errUndecided
	}
	reason, ok := optionalText(r.Content, "reason")
	if !ok {
		return approval.Decision{}, errUndecided
	}
	switch choice := r.Content["decision"]; {
	case choice == deny:
		d.Reason = reason
	case choice == approveOnce:
		d.Approve, d.Scope = true, approval.Once
	case choice == approveSession && session:
		d.Approve, d.Scope = true, approval.Session
	default:
		return approval.Decision{}, errUndecided
	}
	return d, nil
}

// optionalText reads a field of a form that may be missing.
func optionalText(content map[string]any, name string) (string, bool) {
	v, there := content[name]
	if !there || v == nil {
		return "", true
	}
	s, ok := v.(string)
	return strings.TrimSpace(s), ok && utf8.RuneCountInString(s) <= maxReason
}

// maxClientName bounds what is kept of a client's name, in characters.
const maxClientName = 60

// answerer names who answers: the user whose client it is. The client says itself
// what it is called.
func answerer(principal string, client *mcp.Implementation) string {
	name := "a client without a name"
	if client != nil && client.Name != "" {
		name = client.Name
		if r := []rune(name); len(r) > maxClientName {
			name = string(r[:maxClientName]) + "…"
		}
		name = fmt.Sprintf("%q", text.VisibleText(name))
	}
	return fmt.Sprintf("%s (elicitation by %s)", principal, name)
}
