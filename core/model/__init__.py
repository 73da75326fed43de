"""The values that every other package shares: frozen, and without IO."""
