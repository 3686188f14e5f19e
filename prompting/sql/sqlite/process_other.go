//go:build !unix

package sqlite

// A worker gets its limits, and its end, from calls that only Unix systems have. Nothing here runs a statement without
// them: on other systems assay runs under a Unix layer, such as the Windows Subsystem for Linux.
var _ = assay_runs_statements_in_processes_that_only_unix_systems_have
