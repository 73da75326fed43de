"""The `heartbeat` command line: one file per command."""
