package jail_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/baileyhq/bailey/jail"
)

// sample makes a workspace with a link that leads out, and a secret outside.
func sample() (ws string, clean func()) {
	base, err := os.MkdirTemp("", "jail-example-")
	if err != nil {
		panic(err)
	}
	ws = filepath.Join(base, "ws")
	for _, err := range []error{
		os.MkdirAll(filepath.Join(ws, "src", "lib"), 0o755),
		os.WriteFile(filepath.Join(ws, "src", "main.go"), []byte("package main\n"), 0o644),
		os.WriteFile(filepath.Join(ws, "src", "lib", "lib.go"), []byte("package lib\n"), 0o644),
		os.WriteFile(filepath.Join(base, "secret"), []byte("s3cr3t"), 0o600),
		os.Symlink("../secret", filepath.Join(ws, "innocent.txt")),
		os.Symlink("src", filepath.Join(ws, "code")),
	} {
		if err != nil {
			panic(err)
		}
	}
	return ws, func() { _ = os.RemoveAll(base) }
}

// A path is a request: what is read is an object inside, or nothing.
func Example() {
	ws, clean := sample()
	defer clean()
	j, err := jail.New(ws)
	if err != nil {
		panic(err)
	}
	defer func() { _ = j.Close() }()

	content, err := j.ReadFile("code/main.go")
	fmt.Printf("%q %v\n", content, err)
	for _, name := range []string{"innocent.txt", "../secret", "/etc/passwd"} {
		_, err := j.ReadFile(name)
		fmt.Println(err, errors.Is(err, jail.ErrEscape), errors.Is(err, fs.ErrPermission))
	}
	// Output:
	// "package main\n" <nil>
	// open innocent.txt: lies outside the allowed folders true true
	// open ../secret: lies outside the allowed folders true true
	// open /etc/passwd: lies outside the allowed folders true true
}

// The way of a judged call: resolve, look at the real path, act on the object.
func ExampleJail_Resolve() {
	ws, clean := sample()
	defer clean()
	j, err := jail.New(ws)
	if err != nil {
		panic(err)
	}
	defer func() { _ = j.Close() }()

	ctx := context.Background()
	o, err := j.Resolve(ctx, "code/new/notes.md", jail.Target)
	if err != nil {
		panic(err)
	}
	defer func() { _ = o.Close() }()
	fmt.Println(strings.TrimPrefix(o.Real(), j.Root()), o.Exists(), len(o.Absent()))
	if strings.HasSuffix(o.Real(), ".env") { // a policy
		return
	}
	info, err := o.Replace(ctx, jail.ReplaceOptions{Parents: true}, func(w io.Writer) error {
		_, err := io.WriteString(w, "a note\n")
		return err
	})
	fmt.Println(info.Name(), info.Size(), err)
	// Output:
	// /src/new/notes.md false 1
	// notes.md 7 <nil>
}

// A change that was built on a content is only made if that is still the content.
func ExampleObject_Replace() {
	ws, clean := sample()
	defer clean()
	j, err := jail.New(ws)
	if err != nil {
		panic(err)
	}
	defer func() { _ = j.Close() }()

	ctx := context.Background()
	edit := func(built string) error {
		o, err := j.Resolve(ctx, "src/main.go", jail.Target)
		if err != nil {
			return err
		}
		defer func() { _ = o.Close() }()
		_, err = o.Replace(ctx, jail.ReplaceOptions{Verify: func(old *jail.File) error {
			if content, err := old.ReadAll(); err != nil || string(content) != built {
				return errors.New("somebody else has edited it")
			}
			return nil
		}}, func(w io.Writer) error {
			_, err := io.WriteString(w, "package other\n")
			return err
		})
		return err
	}
	fmt.Println(edit("package main\n"))
	fmt.Println(edit("package main\n"))
	// Output:
	// <nil>
	// somebody else has edited it
}

// A walk goes through a tree without following links.
func ExampleObject_Walk() {
	ws, clean := sample()
	defer clean()
	j, err := jail.New(ws)
	if err != nil {
		panic(err)
	}
	defer func() { _ = j.Close() }()

	o, err := j.Resolve(context.Background(), ".", jail.Existing)
	if err != nil {
		panic(err)
	}
	defer func() { _ = o.Close() }()
	err = o.Walk(context.Background(), jail.WalkOptions{Sorted: true}, func(e *jail.WalkEntry) error {
		fmt.Println(e.Path(), e.Type())
		return e.Err()
	})
	fmt.Println(err)
	// Output:
	// code L---------
	// innocent.txt L---------
	// src d---------
	// src/lib d---------
	// src/lib/lib.go ----------
	// src/main.go ----------
	// <nil>
}

// Any code that takes an fs.FS can be confined.
func ExampleJail_FS() {
	ws, clean := sample()
	defer clean()
	j, err := jail.New(ws)
	if err != nil {
		panic(err)
	}
	defer func() { _ = j.Close() }()

	found, err := fs.Glob(j.FS(), "*/*.go")
	fmt.Println(found, err)
	_, err = fs.ReadFile(j.FS(), "innocent.txt")
	fmt.Println(err)
	// Output:
	// [code/main.go src/main.go] <nil>
	// open innocent.txt: lies outside the allowed folders
}
