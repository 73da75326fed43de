"""What the ledger says, and what the person tells it."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import date, datetime
from pathlib import Path
from typing import TYPE_CHECKING

from core.bootstrap.beats import plan
from core.bootstrap.places import (
    beat_lock,
    clock,
    local_now,
    model_lock,
    open_ledger,
    resident_lock,
    settings_of,
    wake_resident,
)
from core.bootstrap.reading import workspace_now
from core.model.errors import HeartbeatError

if TYPE_CHECKING:
    from core.model.agent import ModelUse, Usage
    from core.model.evidence import Evidence
    from core.model.memory import DayScore, Pause
    from core.model.occurrence import Occurrence, Outcome
    from core.model.score import Mover, Score
    from core.model.status import Status
    from core.model.verdict import Verdict


def status(root: Path) -> "Status":
    from core.engine.status import status_now

    resident, now = resident_lock(root).holder() is not None, local_now(root)
    found = status_now(root, open_ledger(root), beat_lock(root), model_lock(root), now, resident=resident)
    other = run_by(root)
    return replace(found, run_by=other, next_beat=None) if other else found


def run_by(root: Path) -> str:
    """The other machine that runs this shared workspace; nothing where it is this one, or nobody."""
    from core.adapters import folders
    from core.adapters.owner_file import OwnerFileOnDisk, this_machine

    if not (root / ".heartbeat" / "owner.json").exists():
        return ""
    machine = this_machine(folders.state_folder())
    try:
        owner = OwnerFileOnDisk(root, machine).read()
    except HeartbeatError:  # whoever starts here by itself says so
        return ""
    return owner.machine.name if owner and owner.machine.id != machine.id else ""


def history(
    root: Path,
    item: str | None,
    day: date | None = None,
    outcome: "Outcome | None" = None,
    limit: int = 20,
    verdict: "Verdict | None" = None,
) -> "Sequence[Occurrence]":
    from core.engine.history import history_of

    return history_of(open_ledger(root), item, day, outcome, verdict, limit)


def receipts(root: Path, item: str | None, beat: int) -> "list[tuple[Occurrence, Evidence | None]]":
    """What a beat recorded, with the evidence."""
    from core.engine.history import receipts_of

    return receipts_of(open_ledger(root), item, beat)


def model_use(root: Path, beat: int) -> "ModelUse | None":
    """What the batch of a beat used; None where it had none."""
    from core.engine.history import use_of

    return use_of(open_ledger(root), beat)


def average_batch(root: Path) -> "Usage | None":
    """What a batch used lately, on average; None where none ever ran."""
    from core.rules.budgeting import RECENT, average_use

    return average_use(open_ledger(root).model_uses(limit=RECENT))


def score(root: Path) -> "tuple[Score, list[Mover]]":
    """The score, and what moved it today, biggest first."""
    from core.engine.scoring import score_now, todays_movers

    ledger, now = open_ledger(root), workspace_now(root)
    return score_now(ledger, now), todays_movers(ledger, now.date())


def score_differences(root: Path) -> "list[tuple[DayScore, DayScore]]":
    """The days whose kept sums are not those of their verdicts: as kept, and as added up again."""
    from core.engine.scoring import differences

    return differences(open_ledger(root), workspace_now(root).date(), settings_of(root).history_days)


def give_feedback(root: Path, item: str | None, *, is_up: bool) -> tuple[int, int]:
    """The person's thumb for an item or the day: its points, and the day's score with it."""
    from core.engine.scoring import score_now
    from core.rules.scoring.points import THUMBS_DOWN, THUMBS_UP

    ledger, now, points = open_ledger(root), workspace_now(root), THUMBS_UP if is_up else THUMBS_DOWN
    key = next((one.key for one in plan(root).items if item in (one.id, one.key)), "") if item else ""
    ledger.give_feedback(key, points, now)
    return points, score_now(ledger, now).today.score


def snooze(root: Path, trouble: str, until: datetime) -> None:
    """Say nothing about a trouble before that moment."""
    from core.rules.announcing.announcer import snooze

    ledger = open_ledger(root)
    ledger.save_announcements(snooze(ledger.announcements(), trouble, until))


def pause(root: Path, until: datetime | None) -> None:
    """Nothing starts by itself until then. A model that is at work is not waited for: its call ends at once."""
    from core.adapters.signals import end
    from core.model.memory import Pause

    open_ledger(root).pause(Pause(clock().now(), until))
    thinking = model_lock(root).holder()
    if thinking:
        end(thinking.pid)
    wake_resident(root)


def pause_of(root: Path) -> "Pause | None":
    """The pause that holds now."""
    from core.rules.residing import is_paused

    pause = open_ledger(root).paused()
    return pause if pause and is_paused(pause, clock().now()) else None


def resume(root: Path) -> bool:
    """End a pause; whether there was one."""
    ledger = open_ledger(root)
    was_paused = ledger.paused() is not None
    if was_paused:
        ledger.resume()
        wake_resident(root)
    return was_paused


def last_beat(root: Path) -> int:
    """The number of the newest beat; 0 before the first."""
    beats = open_ledger(root).recent_beats(1)
    return beats[0].number if beats else 0
