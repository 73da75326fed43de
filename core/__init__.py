"""The engine: knows nothing of a screen."""
