"""One batch per beat: what is due for a model, and how it ended."""
