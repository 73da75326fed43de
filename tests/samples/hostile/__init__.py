"""Hostile workspaces, made when they are needed: a table of names, makers and what `check` must
say."""
