"""The protocols that language models are asked with: one file per protocol, and what a failed
request means in all of them."""
