package cli

import (
	"context"
	"errors"
	"os"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/tour"
	"github.com/baileyhq/bailey/tool"
)

func (a *app) tourCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "tour [DIR]",
		Short: "Show the main job on a real folder",
		Long: `Show the main job on a real folder: a scripted MCP client works in a copy of
DIR (the current directory where none is given), then tries to get out. The
folder itself is only read.`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) > 1 {
				return usage("tour takes one folder, got %d", len(args))
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			dir := a.flags.workspace
			if len(args) == 1 {
				dir = args[0]
			}
			if dir == "" {
				dir = "."
			}
			return a.tour(cmd.Context(), dir)
		},
	}
}

func (a *app) tour(ctx context.Context, dir string) error {
	err := tour.Run(ctx, tour.Options{Source: dir, Executable: executable(), Env: os.Environ(), Out: a.stdout})
	switch {
	case err == nil:
		return nil
	case ctx.Err() != nil:
		return &tool.Error{Kind: tool.Cancelled, Message: "the tour was broken off", Err: err}
	case errors.Is(err, os.ErrNotExist):
		return usage("%v", err)
	default:
		return err
	}
}
