package workspace

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// Op is one kind of operation that a task type grants or withholds.
type Op string

// The operations. Their names are those of the configuration file.
const (
	OpRead    Op = "read"
	OpList    Op = "list"
	OpWrite   Op = "write"
	OpMkdir   Op = "mkdir"
	OpDelete  Op = "delete"
	OpExec    Op = "exec"
	OpInstall Op = "install"
)

// Ops lists every operation in the order in which they are shown.
func Ops() []Op {
	return []Op{OpRead, OpList, OpWrite, OpMkdir, OpDelete, OpExec, OpInstall}
}

// ParseOp reads the name of an operation.
func ParseOp(name string) (Op, error) {
	if op := Op(name); slices.Contains(Ops(), op) {
		return op, nil
	}
	return "", fmt.Errorf("unknown operation %q; known are %s", name, joinOps(Ops()))
}

// DefaultTask is the task type that holds when none is named: least privilege.
const DefaultTask = "code_review"

// TaskType is a named set of operations.
type TaskType struct {
	Name string
	Ops  []Op
}

// Has reports whether the task type grants op.
func (t TaskType) Has(op Op) bool { return slices.Contains(t.Ops, op) }

// TaskTypes returns the built-in task types with the custom ones added; a
// custom one replaces a built-in of the same name. The operations of custom
// task types are taken as they are: validate them with [ParseOp] first.
func TaskTypes(custom map[string][]Op) map[string]TaskType {
	types := map[string]TaskType{}
	for _, t := range []TaskType{
		{"code_review", []Op{OpRead, OpList}},
		{"refactor", []Op{OpRead, OpList, OpWrite, OpMkdir}},
		{"cleanup", []Op{OpRead, OpList, OpDelete}},
		{"agent", Ops()},
	} {
		types[t.Name] = t
	}
	for name, ops := range custom {
		types[name] = TaskType{Name: name, Ops: slices.Clone(ops)}
	}
	return types
}

// UnknownTaskError says that no task type has the name that was asked for.
type UnknownTaskError struct {
	Name  string
	Known []string // sorted
}

func (e *UnknownTaskError) Error() string {
	return fmt.Sprintf("unknown task type %q; known are %s", e.Name, strings.Join(e.Known, ", "))
}

// FindTask looks up a task type by name; the empty name is [DefaultTask].
// An unknown name is an *[UnknownTaskError].
func FindTask(types map[string]TaskType, name string) (TaskType, error) {
	if name == "" {
		name = DefaultTask
	}
	if t, ok := types[name]; ok {
		return t, nil
	}
	return TaskType{}, &UnknownTaskError{Name: name, Known: slices.Sorted(maps.Keys(types))}
}

// Granting returns the sorted names of the task types that grant op.
func Granting(types map[string]TaskType, op Op) []string {
	var names []string
	for name, t := range types {
		if t.Has(op) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

func joinOps(ops []Op) string {
	names := make([]string, len(ops))
	for i, op := range ops {
		names[i] = string(op)
	}
	return strings.Join(names, ", ")
}
