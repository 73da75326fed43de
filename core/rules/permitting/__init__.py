"""What may run, and what it may reach: pure decisions."""
