"""A prompt file as a person writes it."""


def prompt(gate: str = "", more: str = "") -> str:
    lines = f"gate:\n  command: {gate}\n" if gate else ""
    return f"---\ntitle: Look\n{more}{lines}---\nLook at it.\n"
