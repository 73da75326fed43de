"""Why a command could not be started, as a sentence for the person who wrote it."""

import errno

from core.model.process import Command


def why_not_started(command: Command, error: OSError | ValueError) -> str:
    if isinstance(error, ValueError):
        return "The command or one of its variables contains a character that no command can have (NUL)."
    if error.filename is not None and str(error.filename) == str(command.folder):
        return f"The folder {command.folder} cannot be entered: {error.strerror}."
    if error.errno == errno.E2BIG:
        return f"The command is too long for this system ({len(command.line)} characters): put it into a script."
    return f"The system could not start the command: {error.strerror}."
