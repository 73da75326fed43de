"""What is worth telling, when, and how often. Pure."""
