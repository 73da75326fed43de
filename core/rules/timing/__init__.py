"""Schedules: expressions, slots, what is due, active hours."""
