"""A request to a web server and what came of it."""

from collections.abc import Mapping
from dataclasses import field
from datetime import timedelta

from core.model.value import dataclass

LARGEST_BODY = 10 * 1024 * 1024


@dataclass(frozen=True, slots=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    timeout: timedelta = timedelta(minutes=5)


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: str  # at most 10 MiB of it


@dataclass(frozen=True, slots=True)
class NoAnswer:
    reason: str  # a sentence without a full stop
