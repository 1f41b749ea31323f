// Package sandbox runs commands isolated from the host.
package sandbox
