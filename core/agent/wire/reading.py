"""What the readers of all protocols share. Pure."""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from core.agent.wire.values import Failure, Trouble
from core.rules.checking.values import DEEPEST, depth_of

MOST_FLAWS = 3  # that are named of one answer


def arguments_of(written: object) -> Mapping[str, Any] | None:
    """The arguments of a tool call, which servers send as an object or as its text. No arguments
    are an empty object; None is everything else that is not one, or is nested without end."""
    if written is None:
        return {}

    if isinstance(written, str):
        try:
            written = json.loads(written or "{}")
        except (ValueError, RecursionError):
            return None

    return written if isinstance(written, dict) and depth_of(written) <= DEEPEST else None


def unreadable(reason: "ValidationError | str") -> Failure:
    """An answer that does not have the protocol's form."""
    said = reason if isinstance(reason, str) else flaws_of(reason)
    return Failure(Trouble.UNREADABLE, said, 200)


def flaws_of(error: ValidationError) -> str:
    """What is wrong with it, and where; the first few flaws only."""
    return "; ".join(
        f"{'.'.join(map(str, flaw['loc']))} {flaw['msg']}".strip()
        for flaw in error.errors(include_input=False, include_url=False)[:MOST_FLAWS]
    )
