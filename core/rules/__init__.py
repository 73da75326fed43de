"""Decisions: pure functions. The current time is an argument; no disk, clock or network."""
