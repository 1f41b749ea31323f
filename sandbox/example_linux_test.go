package sandbox_test

import (
	"context"
	"errors"
	"fmt"
	"os"

	"github.com/baileyhq/bailey/sandbox"
)

func Example() {
	dir, err := os.Open(os.TempDir()) // a workspace; better opened without following links
	if err != nil {
		fmt.Println(err)
		return
	}
	defer dir.Close()
	s, err := sandbox.New(sandbox.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	defer s.Close()
	report, err := s.Run(context.Background(), sandbox.Spec{
		Argv:    []string{"/bin/sh", "-c", "echo hello; exit 3"},
		Dir:     "/work",
		Stdout:  os.Stdout,
		Folders: []sandbox.Folder{{Path: "/work", Dir: dir}},
	})
	switch {
	case errors.Is(err, sandbox.ErrUnavailable):
		fmt.Println("nothing ran:", err)
	case err != nil:
		fmt.Println(err)
	default:
		fmt.Println("exit", report.ExitCode, report.Guarantee)
	}
	// Output:
	// hello
	// exit 3 full
}
