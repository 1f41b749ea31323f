package tool

import (
	"context"
	"fmt"
	"reflect"

	"github.com/google/jsonschema-go/jsonschema"

	"github.com/baileyhq/bailey/jail"
	"github.com/baileyhq/bailey/policy"
	"github.com/baileyhq/bailey/workspace"
)

// Annotations are hints for a client. They decide nothing.
type Annotations struct {
	ReadOnly    bool `json:"read_only"`
	Destructive bool `json:"destructive"`
	Idempotent  bool `json:"idempotent"`
	OpenWorld   bool `json:"open_world"`
}

// Description is a tool as callers see it.
type Description struct {
	Name        string             `json:"name"`
	Title       string             `json:"title"`
	Description string             `json:"description"`
	Op          workspace.Op       `json:"op"`
	Granted     bool               `json:"granted"` // the task grants Op, the tool policy does not deny the tool, and what it needs is there
	Policy      string             `json:"policy"`  // what the tool policy says: allow, supervised, deny
	Annotations Annotations        `json:"annotations"`
	Input       *jsonschema.Schema `json:"input_schema"`
	Output      *jsonschema.Schema `json:"output_schema"`
}

// spec is a tool.
type spec struct {
	name, title, description string

	op     workspace.Op
	hints  Annotations
	input  *jsonschema.Schema
	output *jsonschema.Schema

	newArgs func() any                                                     // a pointer to its argument struct
	uses    func(args any) []use                                           // the paths that a call would use, and for what
	check   func(args any) error                                           // refuses arguments that contradict each other; nil for none
	command func(args any) *command                                        // the command of a call; nil if the tool runs none
	preview func(ctx context.Context, c *call, args any) (*rewrite, error) // what a supervised change would do; nil if there is nothing to show
	act     func(ctx context.Context, c *call, args any) (string, any, error)
}

// use is a path of a call and what the call would do to the object there.
type use struct {
	path      string
	how       jail.How
	effect    policy.Effect // judged; a denial refuses the call
	quiet     policy.Effect // judged too; a denial only takes something out of the answer
	dir       bool          // what would be made is a directory
	recursive bool          // everything beneath is affected as well
	optional  bool          // nothing needs to be there
	lenient   bool          // a refusal of this path does not refuse the others
	dryRun    bool          // judged as a change, though none will be made
}

// changes reports whether the call would change something.
func changes(uses []use) bool {
	for _, u := range uses {
		if u.effect&policy.Change != 0 && !u.dryRun {
			return true
		}
	}
	return false
}

// define completes a tool by its typed parts. The schemas come from the types;
// one that can't be made is a mistake in this package that its tests find.
func define[A, D any](s spec, uses func(*A) []use, act func(context.Context, *call, *A) (string, *D, error)) *spec {
	s.input = mustSchema(reflect.TypeFor[A]())
	s.output = mustSchema(reflect.TypeFor[D]())
	s.newArgs = func() any { return new(A) }
	s.uses = func(args any) []use { return uses(args.(*A)) }
	s.act = func(ctx context.Context, c *call, args any) (string, any, error) {
		output, data, err := act(ctx, c, args.(*A))
		if data == nil {
			return output, nil, err
		}
		return output, data, err
	}
	return &s
}

func mustSchema(t reflect.Type) *jsonschema.Schema {
	s, err := schemaOf(t)
	if err != nil {
		panic(fmt.Sprintf("tool: %v", err))
	}
	return s
}

// specs lists the tools in the order in which they are shown.
func specs() []*spec {
	return []*spec{
		fileRead(), fileReadMany(), fileWrite(), fileEdit(), fileList(), fileTree(), fileFind(), fileGrep(),
		fileInfo(), fileCopy(), fileMove(), dirCreate(), fileDelete(), shell(),
	}
}

// Names lists the names of all tools in the order in which they are shown.
func Names() []string {
	var names []string
	for _, s := range specs() {
		names = append(names, s.name)
	}
	return names
}
