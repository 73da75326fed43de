"""Which files' changes count, and when a change has settled. Pure: the time is an argument, in
seconds.

An editor saves in many steps: renamed away, created empty, written in pieces, closed. One save
is one change.
"""

from core.model.light_dataclass import light_dataclass, replace

QUIET = 0.3  # a file that has not changed for so long is settled
LONGEST = 2.0  # but a file that keeps changing is read after so long
SECOND_READ = 1.0  # a file that vanished or shrank is believed after so long


def is_noise(name: str) -> bool:
    """Whether editors, sync clients or this program itself leave such a file next to the real
    one."""
    return (
        name.endswith("~")
        or name.startswith((".", "#"))
        or name == "4913"
        or ".sync-conflict-" in name
        or "conflicted copy" in name.lower()
    )


@light_dataclass(frozen=True, slots=True)
class Files:
    """The names in one folder whose changes count."""

    names: frozenset[str] = frozenset()  # in lower case; any case counts
    suffix: str = ""

    def count(self, name: str) -> bool:
        return name.lower() in self.names or (
            bool(self.suffix) and name.endswith(self.suffix) and not is_noise(name)
        )

    def __or__(self, other: "Files") -> "Files":
        return Files(self.names | other.names, self.suffix or other.suffix)


@light_dataclass(frozen=True, slots=True)
class UnreadChanges:
    """Changes that have not been read yet."""

    first: float
    last: float
    # Files that a program has written to and not closed.
    being_written: frozenset[str] = frozenset()


def with_event(
    changes: UnreadChanges | None, now: float, name: str, written: bool
) -> UnreadChanges:
    """The changes after one more event; `written`: its writer has not closed the file yet."""
    changes = changes or UnreadChanges(now, now)
    names = changes.being_written - {name}
    if written:
        names |= {name}

    return replace(changes, last=now, being_written=names)


def read_due(changes: UnreadChanges | None, doubt_since: float | None) -> float | None:
    """When to look at the files; None: there is no need to."""
    if changes and changes.being_written:
        return changes.first + LONGEST
    if changes:
        return min(changes.last + QUIET, changes.first + LONGEST)

    return None if doubt_since is None else doubt_since + SECOND_READ


def doubtful(last_size: int | None, size: int | None) -> bool:
    """Whether a file may be half-saved: it had text and is now missing (None), empty or at most
    half as large."""
    return bool(last_size) and (size is None or size * 2 <= (last_size or 0))


def believed(doubt_since: float | None, now: float) -> bool:
    """Whether a doubtful file has stayed as it is for long enough."""
    return doubt_since is not None and now >= doubt_since + SECOND_READ
