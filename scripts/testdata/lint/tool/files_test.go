package tool

import (
	"os"

	_ "github.com/baileyhq/bailey/internal/filetree"
)

var _ = os.ReadFile // tests lay out trees
