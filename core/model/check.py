"""What a `verify:` hint asks to be measured, and what a measurement found. Frozen values, no IO.

Each kind of check is one file in core/checks: the value that a hint is read into, and one record of
all that is known about the kind. A record has no defaults: a part that is left out does not
type-check, and is a TypeError that names it when the file is imported.
"""

from __future__ import annotations  # so that reading a file imports little

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping
from enum import StrEnum
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, TypeVar

from core.model.light_dataclass import field, light_dataclass

if TYPE_CHECKING:
    from core.model.diagnostic import Problem

# What a probe, a JSON file or a claim can say; also lists and tables of such values.
Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


class Check:
    """What one hint asks for."""

    __slots__ = ()

    def measured_probes(self) -> tuple[str, ...]:
        """Return the names of the probes that it runs."""
        return ()


class Hint(NamedTuple):
    """A hint, and what decides how it is read."""

    text: str
    rest: str  # what follows the prefix and its colon; the whole text where there is no prefix
    probes: Collection[str]  # that the file has
    is_of_command: bool  # the task is done by its own command


class Execution(NamedTuple):
    """What a person is asked to approve of a check that runs something or asks a server."""

    command: Callable[[str], str]  # what a shell runs, from what follows the prefix; may be empty
    reach: tuple[str, ...]  # what it can touch, one sentence each


Kind = TypeVar("Kind", bound=Check)


@light_dataclass(frozen=True, slots=True)
class CheckKind(Generic[Kind]):
    """All that is known about a kind of check except how it is measured."""

    value: type[Kind]  # what its hints are read into
    prefixes: tuple[str, ...]  # `cmd` of `cmd:test -e report.md`
    claims: Callable[[Hint], bool]  # whether a hint without any known prefix is of this kind
    read: Callable[[Hint], Kind | Problem]
    title: Callable[[str], str]  # the hint in words for a person
    needs_judge: bool  # nothing measures it: a judge decides
    execution: Execution | None  # None: it runs nothing and asks no server


Kinds_co = TypeVar("Kinds_co", bound=CheckKind[Any], covariant=True)


class CheckTable(Generic[Kinds_co]):
    """All kinds; of those without a prefix, the first that claims a hint reads it."""

    def __init__(self, kinds: Iterable[Kinds_co]) -> None:
        self._kinds = tuple(kinds)
        self.by_prefix = {prefix: one for one in self for prefix in one.prefixes}
        self._by_value = {one.value: one for one in self}
        self._without_prefix = [one for one in self if not one.prefixes]

    def __iter__(self) -> Iterator[Kinds_co]:
        return iter(self._kinds)

    def of(self, check: Check) -> Kinds_co:
        return self._by_value[type(check)]

    def claiming(self, hint: Hint) -> Kinds_co:
        """Return the kind of a hint without a prefix; the last kind claims every hint."""
        for one in self._without_prefix:
            if one.claims(hint):
                return one

        raise AssertionError("the last kind claims every hint")


def claims_nothing(_: Hint) -> bool:
    """Claim no hint; for a kind that is recognized by its prefix alone."""
    return False


def as_written(hint: str) -> str:
    return hint


MOST_OF_A_VALUE = 60  # characters


class Comparison(NamedTuple):
    """The expression that decides whether a check passes."""

    text: str
    names: Mapping[str, str]  # of each measured value: its name in the text


class Finding(StrEnum):
    """The ledger and JSON keep these words, so they stay; what a person reads is made elsewhere."""

    PASSES = "passes"
    FAILS = "fails"
    UNMEASURED = "cannot be measured"


@light_dataclass(frozen=True, slots=True)
class Measurement:
    finding: Finding
    words: str  # the check with what was measured in its place
    values: Mapping[str, Value] = field(default_factory=dict)  # name -> what was measured
    found: tuple[str, ...] = ()  # what else was found, as data: the words may be reworded
    # Where it fails: "the check asks for …; it found …".
    asked: str = ""
    got: str = ""
    reason: str = ""  # in place of both: why it fails
    compared: Comparison | None = None  # None: no expression decides it

    @property
    def data(self) -> tuple[str, ...]:
        """Return what tells it from another measurement: not the words, and of a long value only
        as much as a person is shown."""
        values = (f"{name}={repr(value)[:MOST_OF_A_VALUE]}" for name, value in self.values.items())
        return (self.finding.name, *values, *self.found)
