package mcpserver

import (
	"os"

	_ "github.com/baileyhq/bailey"
)

var _ = os.ReadFile // want forbidigo
