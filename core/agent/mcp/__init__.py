"""Tool servers: those of others, and our own."""
