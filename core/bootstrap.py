"""Joins ports to adapters: the only file that knows both."""
