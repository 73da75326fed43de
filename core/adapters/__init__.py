"""One outside thing a file."""
