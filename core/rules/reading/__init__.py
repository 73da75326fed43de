"""Text to document: every byte belongs to a line, every line to a node; any input gives a document."""
