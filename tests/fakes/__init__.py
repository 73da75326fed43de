"""One harmless twin per port, by theme, as core/ports is. tests/contract holds each to the same
suite as the real thing, and whole-beat tests use these and no others.

Two ports need no twin: the ledger is the real one in memory (`SqliteLedger()`), and a cancellation
is the real `CancelSwitch`.
"""
