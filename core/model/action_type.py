"""One type of action as one record: all that Heartbeat knows about it except how it runs.

Each type is one file in core/actions. A record has no defaults: a part that is left out does not
type-check, and is a TypeError that names it when the file is imported.
"""

from __future__ import annotations  # so that reading a file imports little

from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Generic, NamedTuple, TypeVar

from core.model.light_dataclass import light_dataclass

if TYPE_CHECKING:
    from core.model.approval import Candidate
    from core.model.report import Notice, Urgency

# The value of a key of an action's type: a text, or a table (`env`, `headers`).
Value = str | Mapping[str, str]
Params = Mapping[str, Value]
LookUp = Callable[[str], str]  # the value of a variable such as `date`


class Flaw(NamedTuple):
    """Something wrong with what is written under a key of the type."""

    code: str  # a row of core/model/codes.py
    key: str
    message: str
    hint: str = ""
    known: tuple[str, ...] = ()  # instead of a hint: what the value was perhaps meant to be
    stops_it: bool = True  # the action waits for the person instead of running as it is written


@light_dataclass(frozen=True, slots=True)
class MessageParts:
    """How an action's message is put together; a beat sends one message per channel."""

    channel: Callable[[Params], str]
    urgency: Callable[[Params], Urgency]
    notice: Callable[[str, Params, LookUp], Notice]  # from the action's name and what it says


@light_dataclass(frozen=True, slots=True)
class ActionType:
    # -- how it is written
    name: str  # as in `- **type**: shell`
    keys: tuple[str, ...]  # in the order in which a person is shown them
    table_keys: tuple[str, ...]  # those of them that take lines of names and values
    command_keys: tuple[str, ...]  # those of them whose text a shell runs
    implied_by: tuple[str, ...]  # keys that imply the type where no `type` is written
    missing: Callable[[Params], tuple[str, ...]]  # the keys that it cannot run without
    flaws: Callable[[Params], Iterable[Flaw]]  # what else is wrong with what is written

    # -- what a person is asked and shown
    needs_approval: Callable[[Params], bool]
    candidates: Callable[[Params], tuple[Candidate, ...]]  # the files that it may run
    reach: Callable[[Params, bool], tuple[str, ...]]  # what it can touch; True: in the sandbox
    summary: Callable[[Params], str]  # what it does, in a few words

    # -- what else the engine has to know
    displaces_files: bool  # so that undo keeps what it deletes or overwrites
    message: MessageParts | None  # None: it sends no message to the person


Type_co = TypeVar("Type_co", bound=ActionType, covariant=True)


class ActionTable(Generic[Type_co]):
    """All types, in the order in which a person is shown them."""

    def __init__(self, types: Iterable[Type_co]) -> None:
        self._by_name = {one.name: one for one in types}
        self.keys = dict.fromkeys(
            key for one in self for key in one.keys
        )  # a dict, for a fast `in`
        self.table_keys = frozenset(key for one in self for key in one.table_keys)
        self.command_keys = frozenset(key for one in self for key in one.command_keys)

    def __iter__(self) -> Iterator[Type_co]:
        return iter(self._by_name.values())

    def get(self, name: str) -> Type_co | None:
        return self._by_name.get(name)

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(self._by_name)


def text_in(params: Params, key: str) -> str:
    """Return what is written under a key that takes a text."""
    value = params.get(key, "")
    return value if isinstance(value, str) else ""


def table_in(params: Params, key: str) -> dict[str, str]:
    """Return what is written under a key that takes a table."""
    value = params.get(key, {})
    return {} if isinstance(value, str) else dict(value)


def missing_in(params: Params, *keys: str) -> tuple[str, ...]:
    return tuple(key for key in keys if not params.get(key))


def no_flaws(_: Params) -> tuple[Flaw, ...]:
    """Say that any values are right; for a type that only needs them to be there."""
    return ()


def always(_: Params) -> bool:
    return True


def runs_no_file(_: Params) -> tuple[Candidate, ...]:
    return ()
