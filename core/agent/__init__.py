"""The language model as one way to do items."""
