"""Our tools for the model, one group per file."""
