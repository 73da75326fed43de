"""What a `verify:` hint asks to be measured, and what a measurement found. Frozen values, no IO."""

from collections.abc import Mapping
from dataclasses import field
from datetime import timedelta
from enum import StrEnum

from core.model.value import dataclass

# What a probe, a JSON file or a claim can say; a list or a table holds such values.
Value = None | bool | int | float | str | list["Value"] | dict[str, "Value"]


@dataclass(frozen=True, slots=True)
class CommandCheck:
    """`cmd:COMMAND`: exit code 0."""

    line: str


@dataclass(frozen=True, slots=True)
class ExitCodeCheck:
    """A `run:` task without a hint: the exit code of its own command."""


@dataclass(frozen=True, slots=True)
class FileCheck:
    """`file:PATH`: it is there, and all that is asked of it holds."""

    path: str
    fresh: timedelta | None = None  # changed less than this long ago
    larger_than: int | None = None  # bytes
    contains: tuple[str, ...] = ()
    changed: bool = False  # since before the task


@dataclass(frozen=True, slots=True)
class HttpCheck:
    """`http:URL`: it answers with the status, else with one of 200 to 299, and the texts are in it."""

    url: str
    status: int | None = None
    contains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class JsonCheck:
    """`json:PATH#/pointer OP value`."""

    path: str
    pointer: tuple[str, ...]
    comparison: str  # the operator and the value, an expression after its first operand


@dataclass(frozen=True, slots=True)
class ExpressionCheck:
    """An expression over probes."""

    text: str
    probes: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Label:
    """Words that only a judge can decide about."""

    text: str


Check = CommandCheck | ExitCodeCheck | FileCheck | HttpCheck | JsonCheck | ExpressionCheck | Label


class Finding(StrEnum):
    PASSES = "passes"
    FAILS = "fails"
    UNMEASURED = "cannot be measured"


@dataclass(frozen=True, slots=True)
class Measurement:
    finding: Finding
    words: str  # the check with what was measured in its place
    values: Mapping[str, Value] = field(default_factory=dict)  # name -> what was measured
