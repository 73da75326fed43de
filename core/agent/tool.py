"""A tool of the model: one record with everything that the program has to know about it.

Law: no field has a default that makes a tool look harmless. Each record says whether the tool
brings in text that others wrote, whether a call can have done a task, and what a call touches;
nothing else decides that. What goes wrong is a sentence that the model can act on.
"""

import json
from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, Protocol

from core.model.agent import BatchResult
from core.model.evidence import TOUCHED_NOTHING, Act, Claim, Touched

LONGEST_NAME = 60  # characters that are repeated of the name of an unknown tool


class ToolRefusedError(Exception):
    """Why nothing was done, as a sentence that the model can act on."""


class NothingThereError(ToolRefusedError):
    """What was looked for is not there. That is an answer too: the call counts as a reading."""


class PartlyDoneError(ToolRefusedError):
    """It failed, and nobody knows what was done before that."""


class Effect(StrEnum):
    NONE = "none"  # it only reads
    REPORT = "report"  # it only records what the model says about its work
    OTHER = "other"  # it changes something, but nothing that a task's check measures
    WORK = "work"  # it can have done a task

    @property
    def counts_as_work(self) -> bool:
        """Whether such a call can support the claim that a task was done."""
        return self is Effect.WORK

    @property
    def is_more_than_words(self) -> bool:
        """Whether such a call does anything at all, if only reading."""
        return self is not Effect.REPORT


@dataclass(frozen=True, slots=True, kw_only=True)
class Tool:
    name: str
    description: str
    parameters: Mapping[str, Any]  # a JSON schema of an object
    permission: str  # the tag that it needs; empty if it is always offered
    reads_outside: bool  # it brings in text that others may have written: see taint.py
    effect: Effect
    # What a call with these arguments reads and writes: it decides what belongs to a task.
    touches: Callable[[Mapping[str, Any]], Touched]
    # Gets what the model wrote, unchecked; own_tool.py checks it. May raise ToolRefusedError.
    run: Callable[[Mapping[str, Any]], str]

    @property
    def offer(self) -> "OfferedTool":
        return OfferedTool(
            self.name,
            self.description,
            self.parameters,
            self.changes_something,
            self.effect is Effect.REPORT,
        )

    @property
    def changes_something(self) -> bool:
        return self.effect in (Effect.OTHER, Effect.WORK)


def touches_nothing(_: object) -> Touched:
    """For a tool that reads and writes no files, and brings nothing in."""
    return TOUCHED_NOTHING


def only_reads(_: object) -> Touched:
    """For a tool that brings in something other than a file of the workspace."""
    return Touched(reads=True, paths=(), writes=())


@dataclass(frozen=True, slots=True)
class OfferedTool:
    """A tool as the model sees it."""

    name: str
    description: str
    parameters: Mapping[str, Any]
    changes_something: bool
    only_reports: bool = False


class Toolbox(Protocol):
    """The tools of one batch, and the record of their calls. Law: a call never raises."""

    def tools(self) -> tuple[OfferedTool, ...]:
        """The tools that are granted; others are not offered."""
        ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Check the arguments, run the tool, shorten and redact its answer, and record the call.
        May be called from any thread."""
        ...

    @property
    def refused(self) -> int:
        """How many calls so far were refused or failed."""
        ...

    def is_all_reported(self) -> bool:
        """Whether the batch is over without another word of the model: everything in it is
        reported, and what the person should know, the model could tell them."""
        ...

    def recorded(self) -> BatchResult:
        """The reports, acts, review message and requested runs so far; the rest of the value is
        empty."""
        ...

    def close(self) -> None:
        """End the tool servers that were started."""
        ...


@dataclass(slots=True)
class Record:
    """What has happened in one batch so far."""

    tasks: frozenset[str]  # the ids that can be reported on
    has_read: bool  # whether text from outside was read: see taint.py
    addresses: set[str]  # that may be fetched after reading
    reports: dict[str, Claim] = field(default_factory=dict)
    review: str | None = None
    wants_run: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)


def tool_for(tools: Mapping[str, Tool], name: str) -> Tool:
    """The tool of that name. Raises ToolRefusedError if there is none."""
    tool = tools.get(name)
    if tool is None:
        raise ToolRefusedError(no_such_tool(name[:LONGEST_NAME], tools))

    return tool


def no_such_tool(shown_name: str, tools: Collection[str]) -> str:
    there_are = f"There are: {', '.join(tools)}." if tools else "There are none."
    return f"There is no tool {shown_name}. {there_are}"


class Repeating(StrEnum):
    """Which calls count as repetitions: the value is what a model is told about them."""

    IN_A_ROW = (
        "You have made exactly this call several times in a row. Go on with something else, or "
        "report."
    )
    WITHOUT_A_CHANGE = (
        "You made this very call before, and nothing has changed since. Do something else, or stop."
    )


class RepeatGuard:
    """Refuses a call that was made `most` times already: small models repeat a call endlessly.

    It starts to count again after any other call, or only after another call that changes
    something.

    There are two, because they see different calls. The toolbox has those of every agent, also of
    command-line agents with their own loops, and records a refusal as an act. Our own loop stops a
    small model earlier, after fewer and also after scattered repetitions, and its refusals are not
    recorded."""

    def __init__(self, most: int, repeating: Repeating) -> None:
        self._most = most
        self._repeating = repeating
        self._times: dict[str, int] = {}  # by call

    def check(self, name: str, arguments: Mapping[str, Any], changes_something: bool) -> None:
        """Count the call. Raises ToolRefusedError if it was made too often."""
        key = json.dumps([name, arguments], sort_keys=True, default=str)
        times = self._times.get(key, 0)
        starts_again = changes_something or self._repeating is Repeating.IN_A_ROW
        if starts_again and not times:
            self._times.clear()

        self._times[key] = times + 1
        if times >= self._most:
            raise ToolRefusedError(self._repeating.value)
