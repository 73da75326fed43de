"""The sandbox for commands: bubblewrap, a system-call filter, and a network of their own."""
