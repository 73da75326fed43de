"""How the words of a command reach the system, and why it could not be started, as a sentence for who wrote it."""

import errno

from core.model.process import Command


def as_bytes(word: str) -> bytes:
    """A word as the system gets it: UTF-8, as the file is, also where the locale knows only ASCII."""
    return word.encode("utf-8", "surrogateescape")


def why_not_started(command: Command, error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return "The command or one of its variables contains a character that no command can have (NUL)."
    if error.filename is not None and str(error.filename) == str(command.folder):
        return f"The folder {command.folder} cannot be entered: {error.strerror}."
    if error.errno == errno.E2BIG:
        return f"The command is too long for this system ({len(command.line)} characters): put it into a script."
    return f"The system could not start the command: {error.strerror}."
