"""What is known about the web without asking it. Pure."""


def is_status(text: str) -> bool:
    """Whether a server can answer with this status."""
    return text.isascii() and text.isdigit() and len(text) == 3 and "100" <= text <= "599"
