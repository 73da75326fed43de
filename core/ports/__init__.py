"""Every way the engine touches the world, by theme. A port's docstring is its contract: one suite
in tests/contract holds the adapter and its fake to it.

Instants are aware datetimes. `now` is the current time in the person's zone: its calendar date is
the local day that a row belongs to. What comes back is in UTC; it is converted where a person sees
it.

To add a port: write its protocol in the file of its theme, with a docstring that promises what
callers may rely on (how each call ends, what it never does, how long it may take). Give it a line
in `World` or `ResidentWorld` (world.py) and a property in core/services.py, which joins it to its
adapter in core/adapters. Write its fake in tests/fakes, in the file of the same theme, and one
suite in tests/contract that runs over both.

A port is imported from the file of its theme: this file lists none of them.
"""
