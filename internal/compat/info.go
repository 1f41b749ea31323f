package compat

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

type fileInfo struct {
	Path   string    `json:"path"`
	Type   string    `json:"type"`
	Size   int64     `json:"size"`
	Mode   string    `json:"mode"`
	MTime  time.Time `json:"mtime"`
	ATime  time.Time `json:"atime"`
	BTime  time.Time `json:"btime"`
	Target string    `json:"target"`
}

// stat tells of the object that a path leads to, through a link at its end.
func (t *translator) stat(ctx context.Context, path string) (*fileInfo, *tool.Result) {
	info := &fileInfo{}
	if _, fail := t.call(ctx, infoTool, map[string]any{"path": path}, info); fail != nil {
		return nil, fail
	}
	if info.Type != "symlink" {
		return info, nil
	}
	if info.Target == "" {
		// Bailey does not tell whether the target is missing, denied or outside.
		return nil, failed(tool.NotFound, fmt.Sprintf("%s is a symbolic link to nothing that can be reached", text.VisibleControl(path)))
	}
	target := &fileInfo{}
	_, fail := t.call(ctx, infoTool, map[string]any{"path": info.Target}, target)
	return target, fail
}

func (t *translator) info(ctx context.Context, a *pathArgs) (*Answer, *tool.Result) {
	if fail := t.paths(ctx, infoTool, &a.Path); fail != nil {
		return nil, fail
	}
	info, fail := t.stat(ctx, a.Path)
	if fail != nil {
		return nil, fail
	}
	lines := []string{
		fmt.Sprintf("size: %d", info.Size),
		"created: " + date(info.BTime),
		"modified: " + date(info.MTime),
		"accessed: " + date(info.ATime),
		fmt.Sprintf("isDirectory: %t", info.Type == "directory"),
		fmt.Sprintf("isFile: %t", info.Type == "file"),
		"permissions: " + info.Mode[max(0, len(info.Mode)-3):],
	}
	return success(strings.Join(lines, "\n")), nil
}

// date spells a time in the zone of the server, as JavaScript does.
func date(t time.Time) string {
	if t.IsZero() {
		return "unknown"
	}
	t = t.Local()
	zone, offset := t.Zone()
	if offset == 0 && zone == "UTC" {
		zone = "Coordinated Universal Time"
	}
	return fmt.Sprintf("%s (%s)", t.Format("Mon Jan 02 2006 15:04:05 GMT-0700"), zone)
}

// folders lists the allowed folders. A look at the workspace puts the call before
// the policy and into the audit log, like any other.
func (t *translator) folders(ctx context.Context, _ *struct{}) (*Answer, *tool.Result) {
	if _, fail := t.call(ctx, infoTool, map[string]any{"path": "."}, nil); fail != nil {
		return nil, fail
	}
	lines := []string{"Allowed directories:"}
	for _, f := range t.Folders {
		if f.Given != "" && f.Given != f.Real {
			lines = append(lines, text.DisplayName(f.Given))
		}
		lines = append(lines, text.DisplayName(f.Real))
	}
	return success(strings.Join(lines, "\n")), nil
}
