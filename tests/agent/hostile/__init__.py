"""Hostile models as scripts of calls, by what they are after."""
