"""What the resident does next, and which file changes count."""
