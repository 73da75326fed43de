"""What runs now, in which order, and what the coming hours bring."""
