package tour

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"slices"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/baileyhq/bailey/tool"
)

// server is the real one, in a process of its own.
type server struct {
	session *mcp.ClientSession
	tools   int
}

// taskType grants reading, listing, writing and making directories: what is
// beyond it is shown to be refused.
const taskType = "refactor"

func connect(ctx context.Context, o Options, s *stage) (*server, error) {
	cmd := exec.CommandContext(ctx, o.Executable, "mcp", "--workspace", s.workspace, "--state", s.state, "--task", taskType, "--log-level", "error")
	cmd.Env = append(slices.Clone(o.Env), "BAILEY_CONFIG=", "BAILEY_STATE=", "BAILEY_TASK=", "XDG_CONFIG_HOME="+s.state)
	client := mcp.NewClient(&mcp.Implementation{Name: "bailey-tour", Version: "1"}, nil)
	session, err := client.Connect(ctx, &mcp.CommandTransport{Command: cmd}, nil)
	if err != nil {
		return nil, fmt.Errorf("start the server: %w", err)
	}
	list, err := session.ListTools(ctx, nil)
	if err != nil {
		return nil, fmt.Errorf("list the tools: %w", err)
	}
	return &server{session: session, tools: len(list.Tools)}, nil
}

func (s *server) close() error { return s.session.Close() }

// call makes one call and reads the result from the structured content.
func (s *server) call(ctx context.Context, name string, args map[string]any) (*tool.Result, error) {
	res, err := s.session.CallTool(ctx, &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	raw, err := json.Marshal(res.StructuredContent)
	if err != nil {
		return nil, err
	}
	var r tool.Result
	if err := json.Unmarshal(raw, &r); err != nil {
		return nil, fmt.Errorf("%s: the result has an unknown form: %w", name, err)
	}
	return &r, nil
}
