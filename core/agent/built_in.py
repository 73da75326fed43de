"""What a tool of our own is made of, before the toolbox wraps it: a schema, a tag, and a function that may refuse."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from core.model.evidence import Act, Claim

TEXT: Mapping[str, Any] = {"type": "string"}
FLAG: Mapping[str, Any] = {"type": "boolean"}
NUMBER: Mapping[str, Any] = {"type": "integer"}
TEXTS: Mapping[str, Any] = {"type": "array", "items": {"type": "string"}}
TABLE: Mapping[str, Any] = {"type": "object"}


class RefusedError(Exception):
    """Why nothing was done, as a sentence that the model can act on."""


@dataclass(frozen=True, slots=True)
class BuiltIn:
    name: str
    description: str
    parameters: Mapping[str, Any]  # name -> JSON schema
    tag: str
    do: Callable[[Mapping[str, Any]], str]  # may raise RefusedError
    optional: tuple[str, ...] = ()  # of the parameters
    could_do_it: bool = True  # False for what only looks or reports
    whole_schema: Mapping[str, Any] | None = None  # of a server's tool, which checks its arguments itself

    @property
    def schema(self) -> Mapping[str, Any]:
        if self.whole_schema is not None:
            return self.whole_schema
        required = [name for name in self.parameters if name not in self.optional]
        return {"type": "object", "properties": dict(self.parameters), **({"required": required} if required else {})}


@dataclass(slots=True)
class Record:
    """What has happened in one batch so far."""

    tasks: frozenset[str]  # the ids that can be reported on
    has_read: bool  # text from outside: see outside.py
    addresses: set[str]  # that may be asked for after reading
    reports: dict[str, Claim] = field(default_factory=dict)
    review: str | None = None
    wants_run: list[str] = field(default_factory=list)
    acts: list[Act] = field(default_factory=list)


def one_of(*words: str) -> Mapping[str, Any]:
    return {"type": "string", "enum": list(words)}
