package gitguard

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/baileyhq/bailey/internal/covers"
	"github.com/baileyhq/bailey/policy"
)

// A journal is a file that is there while a run goes on, and is locked by it. Where
// Bailey is killed, the next run finds it without its lock, and cleans up after
// the one that was cut off.
type journal struct{ file *os.File }

// journals is the prefix of the names of this workspace's journals.
func (g *Guard) journals() string {
	h := sha256.New()
	for _, f := range g.ws.Jail().Folders() {
		_, _ = h.Write([]byte(f.Real + "\x00"))
	}
	return hex.EncodeToString(h.Sum(nil)[:8]) + "-"
}

// begin writes down what a run starts from.
func (r *Run) begin() (err error) {
	text := encodeJournal(r.before, r.start, r.dir)
	r.journal.file, err = r.guard.store.journal(r.guard.journals(), text)
	return err
}

// end removes the journal, unless something is left to be done.
func (r *Run) end(done bool) error {
	if r.journal.file == nil {
		return nil
	}
	var err error
	if done {
		err = removeFile(r.journal.file.Name())
	}
	err = errors.Join(err, r.journal.file.Close())
	r.journal.file = nil
	return err
}

// recover cleans up after runs that were cut off.
func (g *Guard) recover(ctx context.Context, p *policy.Policy) (Report, error) {
	var report Report
	left, err := g.store.leftJournals(g.journals())
	errs := []error{err}
	for _, file := range left {
		old := &Run{guard: g, policy: p, journal: journal{file}, settled: map[string]bool{}, into: quarantine{store: g.store}}
		errs = append(errs, old.finishLater(ctx))
		report.Quarantined = append(report.Quarantined, old.report.Quarantined...)
		report.LeftLocks = append(report.LeftLocks, old.report.LeftLocks...)
	}
	return report, errors.Join(errs...)
}

// finishLater is Finish for a run of another process. Its copies are worth nothing:
// the command may not have come to its end.
func (r *Run) finishLater(ctx context.Context) error {
	defer r.into.close()
	text, err := readAll(r.journal.file)
	if err != nil {
		return errors.Join(err, r.end(false))
	}
	var ok bool
	if r.before, r.start, r.dir, ok = decodeJournal(text); !ok {
		return r.end(true) // it was cut off before it began
	}
	err = r.clean(ctx)
	for i := range r.report.Quarantined {
		r.report.Quarantined[i].Reason += " (left by a run that was cut off)"
	}
	if r.dir != "" && filepath.Dir(r.dir) != filepath.Join(r.guard.store.dir, copiesKind) {
		r.dir = ""
	}
	return errors.Join(err, r.removeCopies(), r.end(err == nil))
}

// The text of a journal: fields that end with NUL bytes, as names can hold all else.

const journalEnd = "end"

func encodeJournal(s *covers.Scan, start time.Time, copies string) []byte {
	var b strings.Builder
	put := func(fields ...string) {
		for _, f := range fields {
			b.WriteString(f)
			b.WriteByte(0)
		}
	}
	put("bailey run 1", copies, strconv.FormatInt(start.UnixNano(), 10))
	place := func(kind string, p covers.Place, more ...string) {
		put(append([]string{kind, strconv.Itoa(p.Folder), p.Rel, p.Real}, more...)...)
	}
	for _, g := range s.Guarded {
		place("guarded", g.Place, strconv.Itoa(int(g.Reason)), strconv.FormatBool(g.Dir))
	}
	for _, p := range s.Locks {
		place("lock", p)
	}
	for _, p := range s.Sealed {
		place("sealed", p)
	}
	put(journalEnd)
	return []byte(b.String())
}

func decodeJournal(text []byte) (s *covers.Scan, start time.Time, copies string, ok bool) {
	fields := strings.Split(string(text), "\x00")
	if len(fields) < 5 || fields[0] != "bailey run 1" || fields[len(fields)-1] != "" || fields[len(fields)-2] != journalEnd {
		return nil, start, "", false
	}
	nanos, err := strconv.ParseInt(fields[2], 10, 64)
	if err != nil {
		return nil, start, "", false
	}
	s, copies, start = &covers.Scan{}, fields[1], time.Unix(0, nanos)
	for fields = fields[3 : len(fields)-2]; len(fields) >= 4; {
		folder, err := strconv.Atoi(fields[1])
		if err != nil {
			return nil, start, "", false
		}
		p := covers.Place{Folder: folder, Rel: fields[2], Real: fields[3]}
		switch kind := fields[0]; {
		case kind == "lock":
			s.Locks = append(s.Locks, p)
		case kind == "sealed":
			s.Sealed = append(s.Sealed, p)
		case kind == "guarded" && len(fields) >= 6:
			reason, err := strconv.ParseUint(fields[4], 10, 8)
			if err != nil {
				return nil, start, "", false
			}
			s.Guarded = append(s.Guarded, covers.Guarded{Place: p, Reason: covers.Reason(reason), Dir: fields[5] == "true"})
			fields = fields[2:]
		default:
			return nil, start, "", false
		}
		fields = fields[4:]
	}
	return s, start, copies, len(fields) == 0
}
