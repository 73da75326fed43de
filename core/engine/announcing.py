"""Tells the person what a beat found worth telling. What was told is on the disk before it is sent: never twice."""

from collections.abc import Sequence
from datetime import datetime
from pathlib import Path

from core.engine.world import World
from core.model.announcements import APPROVAL, MESSAGE, MODEL, Message
from core.model.diagnostic import Severity
from core.model.document import Priority
from core.model.item import PLAIN_ID, REVIEW_ID, Kind, item_key
from core.model.occurrence import BeatReason, Outcome
from core.model.plan import Wish
from core.model.report import BeatReport, ItemReport, Notice
from core.model.verdict import Verdict
from core.model.workspace import Workspace
from core.ports import Ledger
from core.rules.announcing.announcer import announce, held_again
from core.rules.announcing.needs import number
from core.rules.announcing.troubles import Happened, settled_by, troubles_of
from core.rules.budgeting import RECENT, failing, spent_of
from core.rules.checking.progress import exhausted_tasks
from core.rules.planning import schedules_of
from core.rules.scoring.replaying import drop_of
from core.rules.timing.active import is_quiet

VANISHED = "The file was there and is gone; nothing runs from it."


def tell(
    world: World,
    workspace: Workspace,
    wish: Wish,
    items: tuple[ItemReport, ...],
    now: datetime,
    messages: Sequence[Notice] = (),
) -> tuple[Notice, ...]:
    """Say what is new, changed or over, and the messages; returns what was said."""
    happened = _happened(world, workspace, wish, items, now)
    before = world.ledger.announcements()
    after, said = announce(
        before,
        troubles_of(happened),
        settled_by(happened, before.told),
        now,
        is_quiet=is_quiet(world.settings.quiet, now),
        per_hour=world.settings.notify.per_hour,
        messages={f"{MESSAGE}{now.isoformat()}:{number}": one for number, one in enumerate(messages)},
    )
    world.ledger.save_announcements(after)
    unheard = [message for message in said if not _send(world, message)]
    if unheard and wish.reason is not BeatReason.PERSON:  # who asked for the beat reads it there
        world.ledger.save_announcements(held_again(after, unheard))
    return tuple(message.notice for message in said)


def _send(world: World, message: Message) -> bool:
    """Whether any channel took it."""
    problems = [
        world.messenger.send(channel, message.notice, message.urgency, message.trouble)
        for channel in world.settings.notify.channels
    ]
    return not problems or "" in problems


def first_words(report: BeatReport, root: Path) -> Message:
    """What a person hears of Heartbeat first of all."""
    ran = [item for item in report.items if item.duration is not None]
    kept = sum(one.outcome is Outcome.COMPLETED and one.verdict is not Verdict.NOT_VERIFIED for one in ran)
    failed = f", {len(ran) - kept} failed" if len(ran) > kept else ""
    message = f"Open HEARTBEAT.md in {root} and write down what it should do for you."
    return Message(Notice("first", f"First beat: {kept} kept{failed}.", message))


def _happened(world: World, workspace: Workspace, wish: Wish, items: tuple[ItemReport, ...], now: datetime) -> Happened:
    document, today = workspace.document, now.date()
    exhausted = exhausted_tasks(document, world.ledger.progress())
    found = failing(world.ledger.model_uses(limit=RECENT))
    note = world.ledger.plan()
    summary = note.summary if note else {}
    names = summary.get("unapproved")
    has_score = bool(world.ledger.day_scores(today, today))
    return Happened(
        items=items,
        day=today,
        is_whole=not wish.items,
        waiting=_waited_for(world, workspace),
        unapproved=names if isinstance(names, list) else (),
        approvals_waiting=number(summary, "approvals_waiting"),
        critical={item_key(Kind.ACTION, one.id) for one in document.actions if one.priority is Priority.CRITICAL},
        exhausted={task.id: task.max_attempts for task in document.tasks if task.id in exhausted},
        refused=refusal_of(world.ledger, workspace),
        drop=drop_of(
            world.ledger.history(first_day=today, last_day=today),
            world.ledger.feedback(today, today),
            world.settings.notify.score_drop,
        )
        if has_score
        else None,
        spent=spent_of(world.ledger.model_uses(first_day=today, last_day=today)),
        daily_usd=world.settings.budget.daily_usd,
        failing=found if found and found.is_worth_telling else None,
    )


def _waited_for(world: World, workspace: Workspace) -> set[Outcome]:
    """What items of the workspace wait for, also those that are not due now; asked only where it was told."""
    if not {APPROVAL, MODEL} & world.ledger.announcements().told.keys():
        return set()
    known = {*schedules_of(workspace), item_key(Kind.PLAIN, PLAIN_ID), item_key(Kind.REVIEW, REVIEW_ID)}
    return {row.outcome for row in world.ledger.waiting() if row.outcome and row.item in known}


def refusal_of(ledger: Ledger, workspace: Workspace) -> str:
    """Why nothing is read from HEARTBEAT.md; nothing where it is, or where there never was one."""
    if workspace.document.refused:
        errors = [one.message for one in workspace.diagnostics if one.severity is Severity.ERROR and not one.file]
        return errors[0] if errors else "It cannot be read."
    was_there = any(not key.startswith(Kind.PROMPT) for key in ledger.items())
    return VANISHED if workspace.snapshot is None and was_there else ""
