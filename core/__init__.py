"""The engine: knows nothing of a screen."""

VERSION = "0.1.0"  # as in pyproject.toml: asking the installed package takes too long
