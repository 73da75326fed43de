"""What the program writes into HEARTBEAT.md: small changes, each to one value or one line."""

from core.model.value import dataclass


@dataclass(frozen=True, slots=True)
class SetField:
    """`- **key**: value` of an action; a new line where the action has none yet."""

    action: str
    key: str
    value: str


@dataclass(frozen=True, slots=True)
class RemoveField:
    action: str
    key: str


@dataclass(frozen=True, slots=True)
class SetHeader:
    """A key of the frontmatter. A file without frontmatter gets none."""

    key: str
    value: str | int | None


@dataclass(frozen=True, slots=True)
class SetCompleted:
    """The line of this id under `## Completed Today`; the section is made where it is absent."""

    id: str
    result: str
    clock: str  # HH:MM:SS, local


@dataclass(frozen=True, slots=True)
class RemoveCompleted:
    """Remove the line of this id: what it tells was undone."""

    id: str


@dataclass(frozen=True, slots=True)
class ClearCompleted:
    """Remove the lines of an old day; they stand in the history by then."""


Change = SetField | RemoveField | SetHeader | SetCompleted | RemoveCompleted | ClearCompleted
