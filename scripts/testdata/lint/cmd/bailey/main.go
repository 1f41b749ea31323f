package main

import (
	_ "github.com/baileyhq/bailey" // want depguard
	_ "github.com/baileyhq/bailey/internal/cli"
)

func main() {}
