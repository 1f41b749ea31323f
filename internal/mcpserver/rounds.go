package mcpserver

import (
	"context"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/tool"
)

// From version 2026-07-28 on a server sends no requests. A call that needs an answer
// of the human ends with the question, and the client makes the call again with the
// answer. Between the two, what the question was about travels through the client as
// a sealed state. The first call is recorded as one that is pending, the second one
// with what became of it.

// firstStateless is the first version of the protocol without requests of servers.
const firstStateless = "2026-07-28"

const (
	maxRounds   = 3          // questions of one call, if its object changes meanwhile
	questionKey = "approval" // names our question in the client's answers
)

// rounds is the asker of one call over such a protocol.
type rounds struct {
	round     int
	undecided string // the request that the human of this call has left open

	mu  sync.Mutex
	put *approval.Entry // what this call asks
}

func (r *rounds) ask(_ context.Context, e approval.Entry) (approval.Decision, error) {
	if e.ID == r.undecided {
		return approval.Decision{}, errUndecided
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if r.put == nil {
		r.put = &e
	}
	return approval.Decision{}, ErrLater
}

// question is what the call has asked, if it ended with that.
func (r *rounds) question(kind tool.Kind) *approval.Entry {
	if r == nil || kind != tool.ApprovalPending {
		return nil
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.put
}

// stateless reports whether the session's protocol has no requests of servers. It
// is the session's and not the call's, as the SDK decides by that.
func stateless(session *mcp.ServerSession) bool {
	p := session.InitializeParams()
	return p == nil || p.ProtocolVersion >= firstStateless
}

// withQuestions lets the human in front of the client be asked about a call. The
// rounds are nil where the client is asked directly, or not at all.
func (s *server) withQuestions(ctx context.Context, req *mcp.CallToolRequest, call tool.Request) (context.Context, *rounds) {
	r := &rounds{}
	if req.Params.RequestState != "" || req.Params.InputResponses != nil {
		r = s.takeAnswer(ctx, req, call)
	}
	switch {
	case !s.Elicit || !hasForms(req.ClientCapabilities()) || r.round >= maxRounds:
		return ctx, nil
	case stateless(req.Session):
		return withAsker(ctx, r), r
	default:
		return withAsker(ctx, s.direct(req.Session, call, req.ClientInfo())), nil
	}
}

func (s *server) direct(session *mcp.ServerSession, call tool.Request, client *mcp.Implementation) direct {
	return direct{session, answerer(call.Principal, client)}
}

// takeAnswer makes the answer that comes with a call the decision. An answer to
// a question that this server has not put to this call is recorded and not used;
// the call goes on as if there were none.
func (s *server) takeAnswer(ctx context.Context, req *mcp.CallToolRequest, call tool.Request) *rounds {
	st, err := s.openState(req.Params.RequestState, call)
	if err != nil {
		s.Tools.Refuse(ctx, call, &tool.Error{
			Kind: tool.InvalidArgument, Rule: "approval:state", Err: err,
			Message: "the state that came with the answer of the client's user is not good here: " + err.Error() + "; the answer was not used",
		})
		return &rounds{}
	}
	r := &rounds{round: st.Round}
	d, err := answerIn(req.Params.InputResponses, st.Session, answerer(call.Principal, req.ClientInfo()))
	if err != nil {
		r.undecided = st.ID
		return r
	}
	// A human has answered: that counts even if the call is given up now. If it was
	// decided elsewhere meanwhile or is over, the call meets that by itself.
	if err := s.Decide(context.WithoutCancel(ctx), st.ID, d); err != nil {
		s.Logger.Warn("the decision of the client's user was not taken", "approval", st.ID, "error", err)
	}
	return r
}

func (s *server) openState(sealed string, call tool.Request) (state, error) {
	digest, err := callDigest(call)
	if err != nil {
		return state{}, errStateOther
	}
	return s.states.take(sealed, digest, time.Now())
}

// answerIn reads the answer to our question.
func answerIn(answers mcp.InputResponseMap, session bool, by string) (approval.Decision, error) {
	answer, ok := answers[questionKey].(*mcp.ElicitResult)
	if !ok || len(answers) != 1 {
		return approval.Decision{}, errUndecided
	}
	return decision(answer, session, by)
}

// ask ends a call with a question.
func (s *server) ask(e *approval.Entry, round int, call tool.Request) (*mcp.CallToolResult, error) {
	digest, err := callDigest(call)
	if err != nil {
		return nil, err
	}
	sealed, err := s.states.seal(state{ID: e.ID, Session: e.Grant != "", Call: digest, Until: e.Expires, Round: round + 1}, time.Now())
	if err != nil {
		return nil, err
	}
	return &mcp.CallToolResult{
		InputRequests: mcp.InputRequestMap{questionKey: question(*e)},
		RequestState:  sealed,
	}, nil
}
