"""Which lines under `## Completed Today` the program wrote: those that the ledger has a run for.

Every other line is the person's, whatever it looks like, and stays where it is.
"""

from collections.abc import Iterable
from datetime import tzinfo

from core.model.item import LONGEST_ID
from core.model.occurrence import Occurrence
from core.rules.printable import one_line

CLOCK = len("(00:00:00)")
QUARTER = 15  # minutes: all zones differ by whole quarters of an hour


def completed_words(identifier: str, result: str, clock: str) -> str:
    """Return the line of a success, after its box."""
    return f"{one_line(identifier, LONGEST_ID)}: {one_line(result)} ({clock})"


def clock_of(run: Occurrence, zone: tzinfo) -> str:
    return f"{run.finished.astimezone(zone):%H:%M:%S}" if run.finished else ""


def written_lines(identifier: str, runs: Iterable[Occurrence], zone: tzinfo) -> frozenset[str]:
    """Return what tells the lines of these runs from others."""
    return frozenset(
        sameness(completed_words(identifier, run.result or "OK", clock_of(run, zone)))
        for run in runs
    )


def sameness(words: str) -> str:
    """Return the line without its hour: it was perhaps written when another zone was set."""
    clock = words[-CLOCK:]
    digits = clock[1:3] + clock[4:6] + clock[7:9]
    marks = clock[:1] + clock[3:4] + clock[6:7] + clock[9:]
    if marks != "(::)" or not (digits.isascii() and digits.isdigit()):
        return words

    return f"{words[:-CLOCK]}({int(clock[4:6]) % QUARTER:02d}:{clock[7:9]})"
