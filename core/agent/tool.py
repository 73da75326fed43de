"""A tool as the model meets it. Law: a call never raises; what goes wrong is a sentence that the model can act on."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, Protocol

from core.model.agent import BatchResult


@dataclass(frozen=True, slots=True)
class Tool:
    name: str
    description: str
    parameters: Mapping[str, Any]  # a JSON schema of an object
    tag: str  # the permission that it needs; empty: always offered (report_task, report_review)
    could_do_it: bool  # False for what only looks or reports
    call: Callable[[Mapping[str, Any]], str]  # arguments that fit the schema -> what the model reads


class Toolbox(Protocol):
    """The tools of one batch, and the record of what was done with them."""

    def tools(self) -> tuple[Tool, ...]:
        """Those that are granted; what is not granted is not offered."""
        ...

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        """Check the arguments, do it, cap and redact what comes back, and record it. May be called from a thread."""
        ...

    def recorded(self) -> BatchResult:
        """Reports, acts, the review's message and the wished runs so far; the rest of the value is empty."""
        ...

    def close(self) -> None:
        """End the tool servers that were started."""
        ...
