package text_test

import (
	"context"
	"fmt"
	"strings"

	"github.com/baileyhq/bailey/internal/text"
)

func ExampleRead() {
	file := strings.NewReader("one\r\ntwo\r\nthree\r\n")
	tail := int64(1)
	res, err := text.Read(context.Background(), text.Source{Reader: file, Size: file.Size()}, text.Range{Tail: &tail})
	fmt.Printf("%q line %d of %d, %s, %v\n", res.Text, res.StartLine, res.TotalLines, res.LineEndings, err)
	// Output: "three\r\n" line 3 of 3, crlf, <nil>
}

func ExampleApply() {
	file := []byte("port = 80\r\nhost = \"a\"\r\n")
	out, _, err := text.Apply(file, text.Detect, []text.Edit{
		{OldText: "port = 80\n", NewText: "port = 8080\ntls = true\n"},
	})
	fmt.Printf("%q %v\n", out, err)

	_, _, err = text.Apply(file, text.Detect, []text.Edit{{OldText: "host=\"a\"", NewText: ""}})
	fmt.Println(err)
	// Output:
	// "port = 8080\r\ntls = true\r\nhost = \"a\"\r\n" <nil>
	// edit 1: old_text is not in the file; nearest is line 2, which differs in whitespace:
	// host = "a"
}
