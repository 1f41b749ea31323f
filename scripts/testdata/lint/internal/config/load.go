package config

import "os"

var _ = os.ReadFile // the operator's file
