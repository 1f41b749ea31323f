package cli

import "github.com/spf13/cobra"

func (a *app) tourCommand() *cobra.Command { return &cobra.Command{Use: "tour"} }
