"""The protocols that language models are asked with: one file per protocol, and the client that
they share."""
