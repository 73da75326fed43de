"""Whether what executes is what the person approved. Pure: what was approved and the scripts' bytes come in."""

import json
from collections.abc import Collection, Iterable, Mapping
from datetime import datetime
from typing import TYPE_CHECKING

from core.model.approval import (
    UNREADABLE,
    Approval,
    ApprovedBy,
    Candidate,
    Executable,
    ExecutableKind,
    Judged,
    Script,
    Standing,
)
from core.model.memory import Look
from core.model.occurrence import Beat

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:  # hashlib would load OpenSSL for the same function: 5 ms in every beat
        from _sha2 import sha256
    except ImportError:  # before Python 3.12
        from _sha256 import sha256

REASONS = {
    Standing.NEW: "{} waits for your approval",
    Standing.CHANGED: "{} changed since you approved it",
    Standing.SCRIPT_CHANGED: "a script that {} names changed since you approved it",
    Standing.UNREADABLE: "a script that {} names cannot be read",
}


def digest_of(executable: Executable, scripts: Collection[Script], place: str) -> str:
    """One value for all that was approved: where, what, every executing field, the bytes of the scripts.

    JSON keeps the borders: no two different lists of texts are written alike.
    """
    parts = [place, executable.key, executable.kind, executable.fields, [*scripts]]
    return sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def judge(
    executable: Executable, found: Mapping[Candidate, Script], place: str, given: Mapping[str, Approval]
) -> Judged:
    """How an executable stands; `found` are the candidates that are scripts."""
    named = {found[one] for one in executable.candidates if one in found}
    scripts = tuple(sorted(named))
    digest = digest_of(executable, scripts, place)
    before = given.get(executable.key)
    if any(script.digest == UNREADABLE for script in scripts):
        standing = Standing.UNREADABLE
    elif before is None:
        standing = Standing.NEW
    elif before.digest == digest:
        standing = Standing.APPROVED
    elif before.fields == executable.fields and before.scripts != scripts:
        standing = Standing.SCRIPT_CHANGED
    else:
        standing = Standing.CHANGED
    return Judged(executable, scripts, digest, standing, before)


def approval_of(judged: Judged, at: datetime, by: ApprovedBy) -> Approval:
    """The approval of exactly what was judged, so of what the person saw."""
    assert judged.standing is not Standing.UNREADABLE
    return Approval(judged.key, judged.digest, judged.executable.fields, judged.scripts, at, by)


def reasons_to_wait(judged: Iterable[Judged]) -> dict[str, str]:
    """The key of every item that may not run, with the first reason."""
    reasons: dict[str, str] = {}
    for one in judged:
        if one.waits:
            kind = one.executable.kind
            words = REASONS[one.standing].format("it" if kind is ExecutableKind.ACTION else f"its {kind}")
            for item in one.executable.needed_by:
                reasons.setdefault(item, words)
    return reasons


def approved_by_saving(
    judged: Collection[Judged], before: Look | None, watched_since: datetime | None, beats: Collection[Beat]
) -> tuple[Judged, ...]:
    """What `approval = "owner"` takes as approved: what is new since the last look, where the person alone can have
    written it. That is so where the always-on process has been watching all the time between, and no beat ran.

    A beat looks before its first effect and after its last one. So whatever a beat changed is seen by its own second
    look, when there is a beat newer than the look before, and from then on it is not new.
    """
    newest = newest_beat(beats)
    if before is None or watched_since is None or before.watched_since != watched_since:
        return ()
    if before.beat != newest or any(beat.finished is None for beat in beats):
        return ()
    return tuple(
        one
        for one in judged
        if one.waits and one.standing is not Standing.UNREADABLE and before.seen.get(one.key) != one.digest
    )


def look_at(judged: Iterable[Judged], watched_since: datetime | None, beats: Collection[Beat]) -> Look:
    return Look(watched_since, newest_beat(beats), {one.key: one.digest for one in judged})


def newest_beat(beats: Collection[Beat]) -> int:
    return max((beat.number for beat in beats), default=0)
