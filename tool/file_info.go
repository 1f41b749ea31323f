package tool

import (
	"context"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

type infoArgs struct {
	Path string `json:"path" jsonschema:"file, directory or symbolic link, relative to the workspace or absolute"`
}

type infoData struct {
	Path       string `json:"path" jsonschema:"the real path"`
	Type       string `json:"type" enum:"file,directory,symlink,fifo,socket,device"`
	Size       int64  `json:"size" jsonschema:"bytes"`
	Mode       string `json:"mode" jsonschema:"octal permissions"`
	MTime      string `json:"mtime" jsonschema:"time of the last change, RFC 3339"`
	ATime      string `json:"atime,omitempty" jsonschema:"time of the last reading, as far as the file system keeps account"`
	BTime      string `json:"btime,omitempty" jsonschema:"time at which it was made, where the file system tells"`
	UID        int64  `json:"uid" jsonschema:"number of the owner"`
	GID        int64  `json:"gid" jsonschema:"number of the owner's group"`
	Links      int64  `json:"links" jsonschema:"hard links"`
	Target     string `json:"target,omitempty" jsonschema:"of a symbolic link: the real path that it leads to, where that is inside and may be listed"`
	TargetType string `json:"target_type,omitempty"`
}

func fileInfo() *spec {
	return define(spec{
		name: "file_info", title: "Show what a path names", op: workspace.OpList,
		description: "Tells type, size, permissions, time of change, owner and links of a file, directory or symbolic link. Content is not read.",
		hints:       Annotations{ReadOnly: true, Idempotent: true},
	}, func(a *infoArgs) []use {
		return []use{{path: a.Path, how: jail.Entry, effect: policy.List}}
	}, infoFile)
}

func infoFile(ctx context.Context, c *call, _ *infoArgs) (string, *infoData, error) {
	g := c.targets[0]
	info := g.obj.Info()
	d := &infoData{
		Path: text.DisplayName(g.Real()), Type: typeName(info.Mode()), Size: info.Size(),
		Mode: fmt.Sprintf("%04o", info.Mode().Perm()), MTime: stamp(info.ModTime()),
		UID: int64(info.UID()), GID: int64(info.GID()), Links: int64(info.Nlink()),
	}
	times := g.obj.Times()
	d.ATime, d.BTime = stampIfKnown(times.Access), stampIfKnown(times.Birth)
	if info.Mode()&fs.ModeSymlink != 0 {
		d.Target, d.TargetType = c.linkTarget(ctx, g)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "path: %s\ntype: %s\nsize: %d\nmode: %s\nmtime: %s\nowner: %d:%d\nlinks: %d\n",
		text.VisibleControl(d.Path), d.Type, d.Size, d.Mode, d.MTime, d.UID, d.GID, d.Links)
	if d.Target != "" {
		fmt.Fprintf(&b, "target: %s (%s)\n", text.VisibleControl(d.Target), d.TargetType)
	} else if d.Type == "symlink" {
		b.WriteString("target: none that can be reached\n")
	}
	return b.String(), d, nil
}

// stampIfKnown is "" for a time that is not known.
func stampIfKnown(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return stamp(t)
}

// linkTarget says where a link leads. A target that lies outside, is denied or
// does not exist is not told apart.
func (c *call) linkTarget(ctx context.Context, g *target) (real, typ string) {
	obj, err := c.box.Workspace.Jail().Resolve(ctx, g.name, jail.Existing)
	if err != nil {
		return "", ""
	}
	defer obj.Close()
	v := c.box.Policy.Judge(policy.Access{
		Tool: c.spec.name, Effect: policy.List, Requested: g.requested, Real: obj.Real(), Dir: obj.Info().IsDir(),
	})
	if v.Action != policy.Allow && !(v.Action == policy.Supervised && c.agreed(v.Rule)) {
		return "", ""
	}
	return text.DisplayName(obj.Real()), typeName(obj.Info().Mode())
}
