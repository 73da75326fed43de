"""How a check of some kind is measured. What cannot be measured never counts as failed.

Reading a file imports every kind of check and measures nothing. What only a measurement needs is
therefore imported by the functions that measure.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Generic, NamedTuple, Protocol

from core.model.check import CheckKind, Finding, Kind, Measurement
from core.model.light_dataclass import light_dataclass

if TYPE_CHECKING:
    from datetime import datetime, timedelta

    from core.model.check import Value
    from core.model.diagnostic import Problem
    from core.model.file_work import Seen
    from core.model.http import Answer, NoAnswer, Request
    from core.model.process import Ending


class Measuring(Protocol):
    """What a measurement can ask for."""

    @property
    def exit_code(self) -> int | None:
        """Of the task's own command; None if it did not end by itself."""

    @property
    def before(self) -> Seen | None:
        """The watched file, before anything was done for the task."""

    def now(self) -> datetime: ...

    def inspect(self, path: str) -> Seen:
        """Of a watched file, `modified` is when its content changed, as the program saw it."""

    def run(self, line: str, limit: timedelta) -> Ending: ...

    def send(self, request: Request) -> Answer | NoAnswer: ...

    def probe(self, name: str) -> Value | Problem:
        """What the probe says; it runs at most once per beat."""


@light_dataclass(frozen=True, slots=True)
class MeasurableKind(CheckKind[Kind], Generic[Kind]):
    """A kind of check with the way it is measured."""

    watched_file: Callable[[Kind], str]  # looked at before the task is done; empty: none
    names: Callable[[Kind], CheckNames]  # what belongs to a task that is checked like this
    has_values: bool  # a report can name what it measures: it is measured before the work too
    measure: Callable[[Measuring, Kind], Measurement]


class CheckNames(NamedTuple):
    """Where a check names files of the workspace."""

    paths: tuple[str, ...] = ()
    sources: tuple[str, ...] = ()  # of the paths, those whose content is the measured value
    command: str = ""  # some of its words may be files


def names_nothing(_: object) -> CheckNames:
    """For a check that names no file of the workspace: whatever the agent reads belongs to it."""
    return CheckNames()


def watches_nothing(_: object) -> str:
    return ""


def finding_of(holds: bool) -> Finding:
    return Finding.PASSES if holds else Finding.FAILS


def unmeasured(reason: str) -> Measurement:
    return Measurement(Finding.UNMEASURED, reason)
