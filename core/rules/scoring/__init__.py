"""Kept and broken promises as a number. Pure: the ledger's days come in."""
