package tool

import "os"

var _ = os.ReadFile // tests lay out trees
