"""The status of a workspace, from the ledger alone: cheap enough for the resident."""

from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from core.engine.account import todays_score
from core.model.agent import BatchEnding, ModelUse
from core.model.ledger import Pause, PlanNote
from core.model.occurrence import Beat
from core.model.status import ModelInUse, Need, RecentBeat, Running, Status, WorkspaceState
from core.ports.ledger import Ledger
from core.rules.announcing.needs import needs_attention, needs_of
from core.rules.residing.next_step import is_paused, noted_zone, wake_after

RECENT = 8


def status_now(
    root: Path, ledger: Ledger, running: Running | None, now: datetime, *, resident: bool
) -> Status:
    pause = ledger.requests.paused()
    note = ledger.plan.note()
    now = now.astimezone(noted_zone(note, now.tzinfo or UTC))  # its day is the score's
    beats = ledger.beats.recent(RECENT)
    needs = needs_of(note, ledger.announcements.current().announced, now.date())
    paused = pause is not None and is_paused(pause, now)
    beat_is_running = running is not None and running.is_beat

    return Status(
        workspace=str(root),
        state=WorkspaceState.RUNNING
        if beat_is_running
        else _state(resident, paused, note, beats, needs),
        is_watched=resident,
        is_paused=paused,
        paused_until=pause.until if pause and paused else None,
        last_beat=beats[0].started if beats else None,
        next_beat=_next_beat(note, pause, now),
        score=todays_score(ledger, now),
        approvals_waiting=note.approvals_waiting if note else 0,
        model=_model_in_use(ledger, now),
        is_enabled=note is None or note.is_enabled,
        recent=tuple(
            RecentBeat(one.number, one.started, one.kept, one.not_kept, one.completed, one.failed)
            for one in beats
            if one.finished
        ),
        needs=needs,
        running=running,
    )


def _model_in_use(ledger: Ledger, now: datetime) -> ModelInUse:
    """The model that was asked last: to find out which one would be next would need the
    keyring."""
    last = ledger.model_use.history(limit=1)
    if not last:
        return ModelInUse()

    today = ledger.model_use.history(first_day=now.date(), last_day=now.date())
    known = [use.usage.usd for use in today if use.usage.usd is not None]
    requests = sum(use.usage.requests for use in today)

    return ModelInUse(
        last[0].provider,
        last[0].model,
        requests,
        sum(known) if known else None,
        problem=_problem_of(last[0]),
    )


def _problem_of(last: ModelUse) -> str | None:
    """Why the model gave no answer; None where it gave one, or is at work."""
    return last.problem if last.ending is BatchEnding.UNREACHABLE else None


def _state(
    resident: bool,
    paused: bool,
    note: PlanNote | None,
    beats: Sequence[Beat],
    needs: tuple[Need, ...],
) -> WorkspaceState:
    if not resident:
        return WorkspaceState.STOPPED
    if paused:
        return WorkspaceState.PAUSED
    if (note and note.is_refused) or (beats and beats[0].failed):
        return WorkspaceState.ERROR

    return WorkspaceState.ATTENTION if needs_attention(needs) else WorkspaceState.IDLE


def _next_beat(note: PlanNote | None, pause: Pause | None, now: datetime) -> datetime | None:
    wake = note.next_wake if note and note.is_enabled else None
    coming = wake_after(pause, wake, now)
    return max(coming, now) if coming else None
