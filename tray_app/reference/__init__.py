"""The reference of the file's format, docs/format.md, as topics for `heartbeat help`."""
