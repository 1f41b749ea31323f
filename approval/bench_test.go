package approval_test

import (
	"context"
	"fmt"
	"testing"

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

func BenchmarkAttended(b *testing.B) {
	s := open(b, b.TempDir(), approval.Options{})
	for b.Loop() {
		if _, err := s.Attended(); err != nil {
			b.Fatal(err)
		}
	}
}
