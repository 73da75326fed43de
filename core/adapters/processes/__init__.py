"""Commands, children and what they leave behind."""
