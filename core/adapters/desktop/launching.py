"""Starts a program of the person's desktop that outlives this one."""

import subprocess
from collections.abc import Sequence

from core.model.diagnostic import Problem

# Seconds within which a program that cannot do its work has ended; one that can may run for as long
# as its window is open.
TIMEOUT = 3.0


def launch(words: Sequence[str]) -> Problem | None:
    """Start the program and return why it does not work, or None. The caller knows what to do."""
    nothing = subprocess.DEVNULL
    try:
        process = subprocess.Popen(
            words, stdin=nothing, stdout=nothing, stderr=nothing, start_new_session=True
        )
    except OSError as error:
        return Problem(f"{words[0]} cannot be started: {error.strerror}", "")

    try:
        exit_status = process.wait(TIMEOUT)
    except subprocess.TimeoutExpired:
        process.returncode = 0  # its window is open, and Python must not warn that we leave it
        return None

    return Problem(f"{words[0]} ended with {exit_status}", "") if exit_status else None
