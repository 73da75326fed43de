"""The settings: their one declaration, how the two files are read by it, and the checked copy."""
