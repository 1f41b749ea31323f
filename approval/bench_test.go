package approval_test

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/baileyhq/bailey/approval"
)

// BenchmarkOpen is what the first supervised call of a process pays.
func BenchmarkOpen(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		s, err := approval.Open(context.Background(), dir, approval.Options{})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

// BenchmarkOpenNew makes the file, too.
func BenchmarkOpenNew(b *testing.B) {
	dir := b.TempDir()
	for b.Loop() {
		for _, name := range []string{"approvals.db", "approvals.db-wal", "approvals.db-shm"} {
			_ = os.Remove(filepath.Join(dir, name))
		}
		s, err := approval.Open(context.Background(), dir, approval.Options{})
		if err != nil {
			b.Fatal(err)
		}
		_ = s.Close()
	}
}

// BenchmarkRound is a request, its approval and its use; the disk's fsync counts.
func BenchmarkRound(b *testing.B) {
	ctx := context.Background()
	s := open(b, b.TempDir(), approval.Options{})
	for i := 0; b.Loop(); i++ {
		digest := fmt.Sprint(i)
		e, err := s.Submit(ctx, request(digest), ttl)
		if err != nil {
			b.Fatal(err)
		}
		if _, err := s.Approve(ctx, e.ID, approval.Once, "bob"); err != nil {
			b.Fatal(err)
		}
		if err := s.Claim(ctx, e.ID, digest); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSubmitAmongFinished is a new request beside 10,000 that are over, each of
// which a diff of 20 kB came with.
func BenchmarkSubmitAmongFinished(b *testing.B) {
	ctx := context.Background()
	s := open(b, b.TempDir(), approval.Options{})
	s.Exec(b, `WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i+1 FROM n WHERE i < 10000)
		INSERT INTO requests (id, digest, cover, session, principal, grp, workspace, task, tool, op, rule, message, command, paths, state, ttl, created, expires, decided)
		SELECT 'old' || i, 'old' || i, '', '', '', '', '', '', '', '', '', '', '', '', 'denied', 1, i, i, ? FROM n`, time.Now().UnixNano())
	s.Exec(b, `INSERT INTO details SELECT seq, zeroblob(20000) FROM requests`)
	for i := 0; b.Loop(); i++ {
		e, err := s.Submit(ctx, request(fmt.Sprint(i)), ttl)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Cancel(ctx, e.ID); err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAttended(b *testing.B) {
	s := open(b, b.TempDir(), approval.Options{})
	for b.Loop() {
		if _, err := s.Attended(); err != nil {
			b.Fatal(err)
		}
	}
}
