package cli

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/spf13/cobra"

	"github.com/baileyhq/bailey/internal/text"
	"github.com/baileyhq/bailey/tool"
)

// maxArguments bounds the arguments read from standard input, in bytes.
const maxArguments = 16 << 20

func (a *app) callCommand() *cobra.Command {
	var session string
	cmd := &cobra.Command{
		Use:   "call TOOL [key=value... | JSON | -]",
		Short: "Make one call, as an agent would",
		Long: `Make one call, as an agent would make it: the same checks, the same policy,
the same audit log.

The arguments are key=value pairs, or one JSON object, or - for a JSON object on
standard input. A key that is given several times is a list; a value for a list,
a number or a truth value is written as JSON.

A call that the policy supervises waits for the operator: on the terminal it asks
right here, else it says what it waits for, and bailey approvals decides it.
Ctrl-C takes the request back.`,
		Example: `  bailey call file_read path=README.md head=20
  bailey call file_read_many paths=go.mod paths=go.sum
  bailey call --task refactor file_edit path=a.txt edits='[{"old_text":"x","new_text":"y"}]'
  bailey call file_read '{"path":"../secret"}'      # exit code 79`,
		Args: func(_ *cobra.Command, args []string) error {
			if len(args) == 0 {
				return usage("call needs the name of a tool; see bailey tools")
			}
			return checkSession(session)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			raw, err := a.arguments(args[1:])
			if err != nil {
				return err
			}
			return a.printResult(a.call(cmd.Context(), session, args[0], raw))
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			if len(args) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			return tool.Names(), cobra.ShellCompDirectiveNoFileComp
		},
	}
	cmd.Flags().StringVar(&session, "session", "", "the session that the call belongs to (default: one of its own)")
	return cmd
}

// sessionName keeps what is typed as a session apart from anything else in a log.
var sessionName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

func checkSession(name string) error {
	if name == "" || sessionName.MatchString(name) {
		return nil
	}
	return usage("--session: want up to 64 letters, digits, dots, dashes and underscores, got %q", name)
}

// call carries out one call, also where nothing could be opened: the answer then
// says why.
func (a *app) call(ctx context.Context, session, name string, args json.RawMessage) *tool.Result {
	o := a.options()
	o.Session = session
	a.attend(&o)
	b, err := a.openWith(ctx, o)
	if err != nil {
		return tool.Broken(err).Call(ctx, tool.Request{Tool: name, Args: args})
	}
	r := b.Call(ctx, name, args)
	if err := b.Close(); err != nil {
		fmt.Fprintf(a.stderr, "bailey: warning: %v\n", err)
	}
	return r
}

func (a *app) arguments(words []string) (json.RawMessage, error) {
	switch {
	case len(words) == 1 && words[0] == "-":
		raw, err := io.ReadAll(io.LimitReader(a.stdin, maxArguments+1))
		switch {
		case err != nil:
			return nil, &tool.Error{Kind: tool.IO, Message: fmt.Sprintf("standard input: %v", err)}
		case len(raw) > maxArguments:
			return nil, usage("the arguments are longer than %d bytes", maxArguments)
		}
		return raw, nil
	case len(words) == 1 && strings.HasPrefix(strings.TrimSpace(words[0]), "{"):
		return json.RawMessage(words[0]), nil
	default:
		return pairs(words)
	}
}

// pathArguments may hold names that are not UTF-8.
var pathArguments = []string{"path", "paths", "source", "destination"}

// pairs makes an object of key=value words. Values stay strings: the tool's
// schema says what they are to be.
func pairs(words []string) (json.RawMessage, error) {
	object := map[string]any{}
	for _, word := range words {
		key, value, ok := strings.Cut(word, "=")
		if !ok || key == "" {
			return nil, usage("want key=value, a JSON object or -, got %q", word)
		}
		if !utf8.ValidString(value) {
			if !slices.Contains(pathArguments, key) {
				return nil, usage("%s: the value is not UTF-8; content of another kind goes as base64", key)
			}
			value = text.DisplayName(value)
		}
		switch old := object[key].(type) {
		case nil:
			object[key] = value
		case string:
			object[key] = []any{old, value}
		case []any:
			object[key] = append(old, value)
		}
	}
	return json.Marshal(object)
}

// printResult prints a result and makes its kind the exit code.
func (a *app) printResult(r *tool.Result) error {
	var err error
	switch {
	case a.flags.json:
		err = a.printJSON(r)
	case r.Success:
		err = a.printText(r.Output)
	default:
		for line := range strings.Lines(r.Error) {
			fmt.Fprintf(a.stderr, "bailey: %s\n", text.VisibleControl(strings.TrimSuffix(line, "\n")))
		}
	}
	if err != nil {
		return &tool.Error{Kind: tool.IO, Message: fmt.Sprintf("standard output: %v", err), Err: err}
	}
	if code := r.ErrorKind.ExitCode(); code != 0 {
		return &exitError{code}
	}
	return nil
}

// printText prints what a tool says. A terminal obeys control characters, so that
// there they are shown instead; a pipe gets the bytes as they are.
func (a *app) printText(s string) error {
	if isTerminal(a.stdout) {
		s = text.VisibleText(s)
		if !strings.HasSuffix(s, "\n") {
			s += "\n"
		}
	}
	_, err := io.WriteString(a.stdout, s)
	return err
}

func (a *app) printJSON(v any) error {
	var buf bytes.Buffer
	enc := json.NewEncoder(&buf)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return errors.Join(errors.New("the result can't be written as JSON"), err)
	}
	_, err := io.WriteString(a.stdout, text.VisibleJSON(buf.String()))
	return err
}
