"""The language model: which one is asked, what it is sent, and the tools that it may use."""
