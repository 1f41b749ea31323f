package tool

import (
	"io"

	"github.com/baileyhq/bailey/sandbox"
)

// Streams connect a command to whoever types it, while it runs. They come from a
// face, never from arguments: what an agent sends has no part in them. A field
// that is nil changes nothing.
type Streams struct {
	// Stdin is read as the command runs, in place of the text that the arguments
	// may hold. A Read that goes on when the command has ended is not waited for.
	Stdin io.Reader
	// Stdout and Stderr get all of the output as it comes, uncut, beside what the
	// result keeps of it. Where one can't be written, the command's own stream ends.
	Stdout, Stderr io.Writer
	// Terminal makes the command's streams a terminal of its own: then all output
	// goes to Stdout.
	Terminal *sandbox.Terminal
}
