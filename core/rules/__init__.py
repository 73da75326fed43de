"""Decisions: pure functions; the moment is an argument; no disk, clock or network."""
