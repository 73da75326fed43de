"""Whether what executes is what the person approved. Pure: the approvals and the digests of the
scripts are arguments."""

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
    Reviewed,
    ReviewState,
    Script,
)
from core.model.ledger import Inspection
from core.model.occurrence import Beat
from core.model.waiting import Wait, WaitReason

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:  # hashlib would load OpenSSL for the same function: 5 ms in every beat
        from _sha2 import sha256
    except ImportError:  # before Python 3.12
        from _sha256 import sha256


def digest_of(executable: Executable, scripts: Collection[Script], place: str) -> str:
    """One value for everything that an approval covers: the place, what it is, every field that
    decides what it does, and the bytes of the scripts.

    JSON keeps the texts apart: two different lists of texts are never written the same.
    """
    parts = [place, executable.key, executable.kind, executable.fields, [*scripts]]
    return sha256(json.dumps(parts, separators=(",", ":")).encode()).hexdigest()


def review(
    executable: Executable,
    found: Mapping[Candidate, Script],
    place: str,
    given: Mapping[str, Approval],
) -> Reviewed:
    """Compare an executable with what was approved; `found` are the candidates that are
    scripts."""
    named = {found[one] for one in executable.candidates if one in found}
    scripts = tuple(sorted(named))
    digest = digest_of(executable, scripts, place)
    before = given.get(executable.key)
    standing = _standing(executable, scripts, digest, before)

    return Reviewed(executable, scripts, digest, standing, before)


def _standing(
    executable: Executable, scripts: tuple[Script, ...], digest: str, before: Approval | None
) -> ReviewState:
    if any(script.digest == UNREADABLE for script in scripts):
        return ReviewState.UNREADABLE
    if before is None:
        return ReviewState.NEW
    if before.digest == digest:
        return ReviewState.APPROVED
    if before.fields != executable.fields:
        return ReviewState.CHANGED
    if before.scripts != scripts:
        return ReviewState.SCRIPT_CHANGED

    return ReviewState.MOVED  # of all that the digest covers, only the place is left


def approval_of(reviewed: Reviewed, at: datetime, by: ApprovedBy) -> Approval:
    """The approval of exactly what was reviewed, which is what the person saw."""
    assert reviewed.standing is not ReviewState.UNREADABLE
    return Approval(
        reviewed.key, reviewed.digest, reviewed.executable.fields, reviewed.scripts, at, by
    )


def waits_for_approval(reviewed: Iterable[Reviewed]) -> dict[str, Wait]:
    """The key of every item that may not run, with the first reason."""
    waits: dict[str, Wait] = {}
    for one in reviewed:
        if not one.waits:
            continue

        wait = Wait(WaitReason.UNAPPROVED, (one.standing, one.executable.kind))
        for item in one.executable.needed_by:
            waits.setdefault(item, wait)

    return waits


def approved_by_saving(
    reviewed: Collection[Reviewed],
    before: Inspection | None,
    watched_since: datetime | None,
    beats: Collection[Beat],
) -> tuple[Reviewed, ...]:
    """What `approval = "owner"` takes as approved: what is new since the last inspection, if only
    the person can have written it. That is certain if the resident was watching the whole time
    since then, and no beat ran.

    A beat inspects before its first effect and after its last one. What the beat changed is seen
    by the second inspection. By then there is a newer beat than at the first one, so nothing is
    approved, and later inspections no longer count it as new.
    """
    newest = newest_beat(beats)
    if before is None or watched_since is None or before.watched_since != watched_since:
        return ()
    if before.beat != newest or any(beat.finished is None for beat in beats):
        return ()

    return tuple(
        one
        for one in reviewed
        if one.waits
        and one.standing not in (ReviewState.UNREADABLE, ReviewState.MOVED)
        and before.seen.get(one.key) != one.digest
    )


def inspection_of(
    reviewed: Iterable[Reviewed], watched_since: datetime | None, beats: Collection[Beat]
) -> Inspection:
    return Inspection(watched_since, newest_beat(beats), {one.key: one.digest for one in reviewed})


def newest_beat(beats: Collection[Beat]) -> int:
    return max((beat.number for beat in beats), default=0)
