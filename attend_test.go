package bailey_test

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/baileyhq/bailey"
	"github.com/baileyhq/bailey/approval"
	"github.com/baileyhq/bailey/tool"
)

const unattended = supervised + "[approval]\nunattended = \"deny\"\n"

// onlyEntry is the house's one request.
func (h house) onlyEntry(t *testing.T) approval.Entry {
	t.Helper()
	entries, err := h.desk(t).Store().List(context.Background(), approval.Filter{})
	if err != nil || len(entries) != 1 {
		t.Fatalf("%v, %v", entries, err)
	}
	return entries[0]
}

// TestUnattended: a call that nobody is there to approve takes its own request back,
// and lets that of others be; who watches from another process is there.
func TestUnattended(t *testing.T) {
	brief := func(o *bailey.Options) { o.ApprovalWait = time.Millisecond }
	for _, c := range []struct {
		name            string
		watched, joined bool
		kind            tool.Kind
		then            approval.State
	}{
		{"alone", false, false, tool.ApprovalDenied, approval.Cancelled},
		{"watched", true, false, tool.ApprovalPending, approval.Pending},
		{"of another call", false, true, tool.ApprovalDenied, approval.Pending},
	} {
		t.Run(c.name, func(t *testing.T) {
			h := newHouse(t, unattended)
			leave, err := h.desk(t).Store().Attend()
			if err != nil {
				t.Fatal(err)
			}
			if c.joined {
				if r := write(context.Background(), h.open(t, brief), "new"); r.ErrorKind != tool.ApprovalPending {
					t.Fatalf("%+v", r)
				}
			}
			if !c.watched {
				err = leave()
			} else {
				defer func() { _ = leave() }()
			}
			if r := write(context.Background(), h.open(t, brief), "new"); err != nil || r.ErrorKind != c.kind {
				t.Errorf("%+v, %v", r, err)
			}
			if got := h.onlyEntry(t).State; got != c.then {
				t.Errorf("the request is %s, want %s", got, c.then)
			}
		})
	}
}

// TestApproverThatCant: who can't ask is not had to.
func TestApproverThatCant(t *testing.T) {
	for _, can := range []bool{false, true} {
		asked := make(chan bool, 1)
		h := newHouse(t, supervised)
		b := h.open(t, func(o *bailey.Options) {
			o.Approver = &bailey.Approver{
				Can: func(context.Context) bool { return can },
				Ask: func(context.Context, approval.Entry) (approval.Decision, error) {
					asked <- true
					return approval.Decision{}, bailey.ErrLater
				},
			}
			if !can {
				o.ApprovalWait = 50 * time.Millisecond
			}
		})
		if r := write(context.Background(), b, "new"); r.ErrorKind != tool.ApprovalPending || len(asked) == 1 != can {
			t.Errorf("can %v: asked %d times, %+v", can, len(asked), r)
		}
	}
}

// TestAnswerOfACallThatGaveUp: a human's answer counts, also where the call has
// given up at that moment.
func TestAnswerOfACallThatGaveUp(t *testing.T) {
	ctx, giveUp := context.WithCancel(context.Background())
	h := newHouse(t, supervised)
	b := h.open(t, func(o *bailey.Options) {
		o.Approver = &bailey.Approver{Ask: func(context.Context, approval.Entry) (approval.Decision, error) {
			giveUp()
			return no, nil
		}}
	})
	if r := write(ctx, b, "new"); r.Success {
		t.Errorf("%+v", r)
	}
	if e := h.onlyEntry(t); e.State != approval.Denied || e.Reason != no.Reason {
		t.Errorf("%+v", e)
	}
}

// TestUsedByAnother: a call whose approval an equal one has used asks anew.
func TestUsedByAnother(t *testing.T) {
	const tries = 50 // the call may be faster than the other one
	for range tries {
		h := newHouse(t, supervised)
		d := h.desk(t)
		var taken error
		b := h.open(t, func(o *bailey.Options) {
			o.Approver = &bailey.Approver{Ask: func(ctx context.Context, e approval.Entry) (approval.Decision, error) {
				ctx = context.WithoutCancel(ctx)
				_, err := d.Decide(ctx, e.ID, yes)
				taken = errors.Join(err, d.Store().Claim(ctx, e.ID, e.Digest))
				return approval.Decision{}, errors.New("another one has decided")
			}}
		})
		r := write(context.Background(), b, "new")
		if errors.Is(taken, approval.ErrUsed) && r.Success {
			continue
		}
		if taken != nil || r.ErrorKind != tool.Conflict || h.content("a.txt") != "" || !strings.Contains(r.Error, "retry to ask for another") {
			t.Errorf("%v, %+v", taken, r)
		}
		return
	}
	t.Error("the call was always the faster one")
}

// TestTooManyWait: what can't be asked any more is no denial.
func TestTooManyWait(t *testing.T) {
	ctx := context.Background()
	h := newHouse(t, supervised)
	store := h.desk(t).Store()
	for i := range 100 {
		if _, err := store.Submit(ctx, approval.Request{Digest: fmt.Sprint(i)}, time.Hour); err != nil {
			t.Fatal(err)
		}
	}
	b := h.open(t, func(o *bailey.Options) { o.Approver = answering(yes) })
	if r := write(ctx, b, "new"); r.ErrorKind != tool.LimitExceeded || h.content("a.txt") != "" {
		t.Errorf("%+v", r)
	}
}

// TestWaitingIsReported: a client that shows progress does not lose its patience.
func TestWaitingIsReported(t *testing.T) {
	told := make(chan tool.Progress, 1)
	b := newHouse(t, supervised).open(t, func(o *bailey.Options) {
		o.Approver = &bailey.Approver{Ask: func(ctx context.Context, _ approval.Entry) (approval.Decision, error) {
			select {
			case p := <-told:
				return approval.Decision{Approve: strings.Contains(p.Message, "approval")}, nil
			case <-ctx.Done():
				return approval.Decision{}, ctx.Err()
			}
		}}
		o.ApprovalWait = time.Minute // for a test that fails
	})
	ctx := tool.WithProgress(context.Background(), func(p tool.Progress) {
		select {
		case told <- p:
		default:
		}
	})
	if r := write(ctx, b, "new"); !r.Success {
		t.Errorf("%+v", r)
	}
}
