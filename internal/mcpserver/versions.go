package mcpserver

import "strings"

// protocolVersions are those that the SDK speaks, oldest first. A test asks a
// real server for each.
var protocolVersions = []string{"2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25", "2026-07-28"}

// ProtocolVersions lists the protocol versions that are spoken.
func ProtocolVersions() string { return strings.Join(protocolVersions, ", ") }
