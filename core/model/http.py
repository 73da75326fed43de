"""A request to a web server, and the answer to it."""

from collections.abc import Mapping
from datetime import timedelta

from core.model.cause import Cause
from core.model.light_dataclass import field, light_dataclass

LARGEST_BODY = 10 * 1024 * 1024
MOST_REDIRECTS = 5


@light_dataclass(frozen=True, slots=True)
class Request:
    method: str
    url: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str = ""
    timeout: timedelta = timedelta(minutes=5)


@light_dataclass(frozen=True, slots=True)
class Answer:
    status: int
    body: str  # at most 10 MiB of it


@light_dataclass(frozen=True, slots=True)
class NoAnswer:
    reason: str  # a sentence without a full stop
    cause: Cause


@light_dataclass(frozen=True, slots=True)
class ApiRequest:
    """A request to the server of a model. It has a key, so it is never shown."""

    url: str
    headers: Mapping[str, str]
    body: bytes
    timeout: timedelta


@light_dataclass(frozen=True, slots=True)
class RawAnswer:
    """An answer with any status."""

    status: int
    headers: Mapping[str, str]  # their names are in lower case
    body: bytes  # at most 8 MiB


@light_dataclass(frozen=True, slots=True)
class GivenUp:
    """It was cancelled, or its time was over."""
