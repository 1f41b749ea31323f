package tool

import (
	"os"

	_ "github.com/baileyhq/bailey/tool/internal/filetree"
)

var _ = os.ReadFile // tests lay out trees
