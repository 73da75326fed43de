"""The workspace's files and those of the program's own state."""
