"""Which files' changes count, and when a change has settled. Pure: the moment is an argument, in seconds.

An editor saves in many steps: renamed away, created empty, written in pieces, closed. One save is one change.
"""

from dataclasses import replace

from core.model.value import dataclass

QUIET = 0.3  # a file nobody has touched for so long is settled
LONGEST = 2.0  # but a file that never rests is looked at after so long
SECOND_LOOK = 1.0  # a file that vanished or shrank is believed after so long


def is_noise(name: str) -> bool:
    """Files that editors, sync clients and this program itself leave beside the real one."""
    return (
        name.endswith("~")
        or name.startswith((".", "#"))
        or name == "4913"
        or ".sync-conflict-" in name
        or "conflicted copy" in name.lower()
    )


@dataclass(frozen=True, slots=True)
class Files:
    """The names in one folder whose changes count."""

    names: frozenset[str] = frozenset()  # in lower case; any case counts
    suffix: str = ""

    def count(self, name: str) -> bool:
        return name.lower() in self.names or (bool(self.suffix) and name.endswith(self.suffix) and not is_noise(name))

    def __or__(self, other: "Files") -> "Files":
        return Files(self.names | other.names, self.suffix or other.suffix)


@dataclass(frozen=True, slots=True)
class Unrest:
    """Changes that nobody has looked at yet."""

    first: float
    last: float
    being_written: frozenset[str] = frozenset()  # files that a program has written to and not closed


def stirred(unrest: Unrest | None, now: float, name: str, written: bool) -> Unrest:
    """The unrest after one more event; `written`: its writer has not closed the file yet."""
    unrest = unrest or Unrest(now, now)
    names = unrest.being_written | {name} if written else unrest.being_written - {name}
    return replace(unrest, last=now, being_written=names)


def look_due(unrest: Unrest | None, doubt_since: float | None) -> float | None:
    """When to look at the files; None: there is no need to."""
    if unrest:
        return unrest.first + LONGEST if unrest.being_written else min(unrest.last + QUIET, unrest.first + LONGEST)
    return None if doubt_since is None else doubt_since + SECOND_LOOK


def doubtful(last_size: int | None, size: int | None) -> bool:
    """Whether a file may be half-saved: it had text and is now missing (None), empty or at most half as large."""
    return bool(last_size) and (size is None or size * 2 <= (last_size or 0))


def believed(doubt_since: float | None, now: float) -> bool:
    """Whether a doubtful file has stayed as it is for long enough."""
    return doubt_since is not None and now >= doubt_since + SECOND_LOOK
