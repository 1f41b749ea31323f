// Command bailey keeps an AI agent inside its own folder. See internal/cli.
package main

import (
	"os"

	"github.com/baileyhq/bailey/internal/cli"
)

func main() { os.Exit(cli.Main()) }
