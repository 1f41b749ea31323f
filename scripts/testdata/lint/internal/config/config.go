package config

import "os"

var _ = os.ReadFile // want forbidigo
