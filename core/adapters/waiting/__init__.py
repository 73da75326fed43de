"""What the resident waits for: the clock, signals, changed files."""
