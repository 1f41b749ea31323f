package bailey

import "github.com/baileyhq/bailey/tool"

// KnownTools are the names that a configuration may mention: the tools that this
// version offers, and those whose names are already fixed. A policy that speaks
// of the shell must load, and hold from the first day that there is one.
func KnownTools() []string {
	return append(
		tool.Names(),
		"shell_output", "shell_kill", "shell_list", "package_install",
		"memory_store", "memory_get", "memory_search", "memory_recall", "memory_forget",
	)
}
