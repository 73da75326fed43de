"""Whole beats on fakes: the real engine and rules, a virtual clock."""
