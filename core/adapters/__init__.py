"""Everything outside of the program, one thing per file: files, processes, the clock, the
network."""
