"""Ledger rows as text and JSON that a person or a script reads."""
