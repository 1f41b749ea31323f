package approval_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/baileyhq/bailey/approval"
)

func Example() {
	ctx := context.Background()
	dir, err := os.MkdirTemp("", "approvals")
	if err != nil {
		panic(err)
	}
	defer os.RemoveAll(dir)
	store, err := approval.Open(ctx, dir, approval.Options{})
	if err != nil {
		panic(err)
	}
	defer store.Close()

	// A call asks …
	request := approval.Request{Digest: "sha256 of the whole call", Tool: "file_delete", Paths: []string{"/ws/old"}}
	asked, _ := store.Submit(ctx, request, 5*time.Minute)
	// … a human answers, from whatever process …
	_, _ = store.Approve(ctx, asked.ID, approval.Once, "alice")
	// … and the call goes on, once.
	answer, _ := store.Wait(ctx, asked.ID)
	fmt.Println(answer.State, "by", answer.By)
	fmt.Println(store.Claim(ctx, asked.ID, request.Digest))
	fmt.Println(errors.Is(store.Claim(ctx, asked.ID, request.Digest), approval.ErrUsed))
	// Output:
	// approved by alice
	// <nil>
	// true
}
