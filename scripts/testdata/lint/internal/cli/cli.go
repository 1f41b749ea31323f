package cli

import (
	"os"

	_ "github.com/baileyhq/bailey"
	_ "github.com/baileyhq/bailey/internal/mcpserver"
)

var _ = os.Stdout // a face holds the streams
