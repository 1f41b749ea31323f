package filetree

import "os"

var _ = os.WriteFile // lays out trees for tests
