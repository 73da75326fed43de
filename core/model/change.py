"""What the program writes into HEARTBEAT.md: small changes, each to one value or one line."""

from datetime import datetime

from core.model.light_dataclass import light_dataclass


@light_dataclass(frozen=True, slots=True)
class SetField:
    """`- **key**: value` of an action; a new line where the action has none yet."""

    action: str
    key: str
    value: str


@light_dataclass(frozen=True, slots=True)
class RemoveField:
    action: str
    key: str


@light_dataclass(frozen=True, slots=True)
class SetHeader:
    """A key of the frontmatter. A file without frontmatter gets none."""

    key: str
    value: str | int | None


@light_dataclass(frozen=True, slots=True)
class SetCompleted:
    """The line of this id under `## Completed Today`; the section is made where it is absent."""

    id: str
    result: str
    clock: str  # HH:MM:SS, local
    # What tells the lines that the program wrote before for this id: one of them is replaced.
    own: frozenset[str] = frozenset()


@light_dataclass(frozen=True, slots=True)
class RemoveCompleted:
    """Remove the program's line of this id: its effect was undone."""

    id: str
    own: frozenset[str] = frozenset()


@light_dataclass(frozen=True, slots=True)
class SetVerdict:
    """The program's line under this task; a new line where there is none yet."""

    task: str
    word: str  # `verified`, for example
    points: int
    local: datetime  # when it was found, where the person is


@light_dataclass(frozen=True, slots=True)
class RemoveVerdict:
    """Remove the program's line under this task, if it says exactly this: that run was undone."""

    task: str
    words: str


@light_dataclass(frozen=True, slots=True)
class ClearCompleted:
    """Remove the program's own lines of an old day; the history has them."""

    own: frozenset[str] = frozenset()


Change = (
    SetField
    | RemoveField
    | SetHeader
    | SetCompleted
    | RemoveCompleted
    | SetVerdict
    | RemoveVerdict
    | ClearCompleted
)
