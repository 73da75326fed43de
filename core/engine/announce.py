"""Announces to the person what a beat found worth telling.

Law: what is announced is in the ledger before it is sent, so it is never sent twice.
"""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import MappingProxyType

from core.model.announcements import Announced, Announcements, Message
from core.model.diagnostic import Problem, Severity
from core.model.document import Priority
from core.model.item import PLAIN_ID, REVIEW_ID, ItemKind, item_key
from core.model.light_dataclass import replace
from core.model.occurrence import BeatReason, Outcome
from core.model.plan import BeatRequest
from core.model.report import BeatReport, ItemReport, Notice, NoticeKind
from core.model.trouble import TroubleKey, TroubleKind
from core.model.workspace import Workspace
from core.ports.ledger import Ledger
from core.ports.world import World
from core.rules.announcing.announcer import announce, held_again
from core.rules.announcing.events import Closing
from core.rules.announcing.troubles import (
    GONE,
    Happened,
    NeverRun,
    Refused,
    forgotten_by,
    settled_by,
    stale_of,
    troubles_of,
)
from core.rules.budgeting import RECENT, failing, spent_of
from core.rules.checking.progress import exhausted_tasks
from core.rules.fingerprint import fingerprint
from core.rules.planning.plan_input import schedules_of
from core.rules.reporting.endings import counted_endings
from core.rules.scoring.replaying import drop_of
from core.rules.timing.active import is_quiet

MOST_AT_ONCE = 5  # per beat; the rest is announced at its end
VANISHED = "The file was there and is gone; nothing runs from it."


def announce_news(
    world: World,
    workspace: Workspace,
    request: BeatRequest,
    items: tuple[ItemReport, ...],
    now: datetime,
    messages: Sequence[Notice] = (),
    servers: Mapping[str, str] = MappingProxyType({}),
) -> tuple[Notice, ...]:
    """Announce what is new, changed or over, and the messages. Return what was announced, and the
    messages also where they are held back; the model's last words are part of a verdict that denies
    them. `servers` are the tool servers of a batch, with why each did not start."""
    happened = replace(_happened(world, workspace, request, items, now), servers=servers)
    before = world.ledger.announcements.current()
    closing = _closing(workspace, items, messages)
    others = [one for one in messages if not closing or one is not closing.words]
    after, said = announce(
        before,
        troubles_of(happened),
        settled_by(happened, before.announced),
        now,
        is_quiet=is_quiet(world.settings.quiet, now),
        per_hour=world.settings.notify.per_hour,
        messages={
            TroubleKey(TroubleKind.MESSAGE, f"{now.isoformat()}:{number}"): one
            for number, one in enumerate(others)
        },
        forgotten=[
            *forgotten_by(happened, before.announced),
            *stale_of(happened, before.held),
        ],
        by_hand=request.reason is BeatReason.PERSON,
        closing=closing,
    )

    world.ledger.announcements.save(after)
    _send_all(world, request, after, said)
    notices = [message.notice for message in said]
    return (*others, *(notice for notice in notices if notice not in others))


class AtOnce:
    """Announces how one item ended as soon as it has ended: a long beat goes on for hours. What is
    announced here is not announced again at the end of the beat."""

    def __init__(
        self, world: World, workspace: Workspace, request: BeatRequest, *, reserve: int = 0
    ) -> None:
        """`reserve` messages of the hour are left for the end of the beat, so that all that is too
        much can go out as one digest."""
        self._world = world
        self._request = request
        self._reserve = reserve
        self._critical = _critical_of(workspace)
        self._left = MOST_AT_ONCE
        self._known: Mapping[TroubleKey, Announced] | None = None  # read when it is needed
        self.said: list[Notice] = []

    def __call__(self, item: ItemReport, now: datetime, *, attempts_used_up: int = 0) -> None:
        """`attempts_used_up` is how many a task had, where this failure was its last one."""
        if self._known is None:
            self._known = self._world.ledger.announcements.current().announced

        # Each announcement costs as much as all that were made before: only a few are made here.
        if self._left > 0 and not self._is_known(item):
            self._left -= 1
            self._announce(item, now, {item.id: attempts_used_up} if attempts_used_up else {})

    def _is_known(self, item: ItemReport) -> bool:
        """Whether a failure was announced by an earlier beat, and is still the same."""
        failure = TroubleKey(TroubleKind.FAILURE, item_key(item.kind, item.id))
        known = self._known.get(failure) if self._known else None
        return known is not None and known.sameness in (None, (item.outcome, *item.cause))

    def _announce(self, item: ItemReport, now: datetime, exhausted: Mapping[str, int]) -> None:
        happened = Happened(
            items=(item,),
            day=now.date(),
            is_whole=False,
            critical=self._critical,
            exhausted=exhausted,
        )
        ledger = self._world.ledger
        with ledger.together():  # a background action may announce at the same time
            before = ledger.announcements.current()
            after, said = announce(
                before,
                troubles_of(happened),
                settled_by(happened, before.announced),
                now,
                is_quiet=is_quiet(self._world.settings.quiet, now),
                per_hour=self._world.settings.notify.per_hour - self._reserve,
                by_hand=self._request.reason is BeatReason.PERSON,
                keeps_held=True,
            )
            ledger.announcements.save(after)

        unsent = _send_all(self._world, self._request, after, said)
        if unsent:  # no channel works: one more try at the end of the beat is enough
            self._left = 0

        self.said += [message.notice for message in said]


def _send_all(
    world: World, request: BeatRequest, after: Announcements, said: Sequence[Message]
) -> list[Message]:
    """Send what the ledger has as announced; return what no channel took."""
    unsent = [message for message in said if not _send(world, message)]
    # A person who asked for the beat reads it in the report.
    if unsent and request.reason is not BeatReason.PERSON:
        world.ledger.announcements.save(held_again(after, unsent))

    return unsent


def _closing(
    workspace: Workspace, items: Sequence[ItemReport], messages: Sequence[Notice]
) -> Closing | None:
    """The model's last words, with what it worked on; None if it said nothing to the person."""
    words = next((one for one in messages if one.kind is NoticeKind.MESSAGE), None)
    if words is None:
        return None

    by_command = {task.id for task in workspace.document.tasks if task.run}
    return Closing(
        words,
        tuple(
            one
            for one in items
            if one.duration is not None
            and one.kind is not ItemKind.ACTION
            and not (one.kind is ItemKind.TASK and one.id in by_command)
        ),
    )


def _send(world: World, message: Message) -> bool:
    """Send it to every channel; whether any of them took it."""
    problems = [
        world.messenger.send(channel, message.notice, message.urgency, message.trouble)
        for channel in world.settings.notify.channels
    ]
    return not problems or None in problems


def first_words(report: BeatReport, root: Path) -> Message:
    """The first message that a person gets from Heartbeat."""
    ran = [item for item in report.items if item.duration is not None]
    counts = counted_endings(ran) or "nothing ran"
    message = f"Open HEARTBEAT.md in {root} and write down what it should do for you."

    return Message(Notice(NoticeKind.FIRST, f"First beat: {counts}.", message))


def _happened(
    world: World,
    workspace: Workspace,
    request: BeatRequest,
    items: tuple[ItemReport, ...],
    now: datetime,
) -> Happened:
    document, today = workspace.document, now.date()
    exhausted = exhausted_tasks(document, world.ledger.tasks.progress())
    found = failing(world.ledger.model_use.history(limit=RECENT))
    note = world.ledger.plan.note()
    todays = world.ledger.scores.days(today, today)
    has_score = any(one.has_verdict or one.feedback for one in todays)

    return Happened(
        items=items,
        day=today,
        is_whole=not request.items,
        known=None if document.refused else _known(workspace),
        waiting=_waited_for(world, workspace),
        unapproved=note.unapproved if note else (),
        approvals_waiting=note.approvals_waiting if note else 0,
        critical=_critical_of(workspace),
        exhausted={task.id: task.max_attempts for task in document.tasks if task.id in exhausted},
        refused=refusal_of(world.ledger, workspace),
        never_run=_never_run(workspace),
        drop=drop_of(
            world.ledger.occurrences.history(first_day=today, last_day=today),
            world.ledger.scores.feedback(today, today),
            world.settings.notify.score_drop,
        )
        if has_score
        else None,
        spent=spent_of(world.ledger.model_use.history(first_day=today, last_day=today)),
        daily_usd=world.settings.budget.daily_usd,
        failing=found if found and found.is_worth_telling else None,
        known_servers=world.settings.mcp_servers.keys(),
    )


def _critical_of(workspace: Workspace) -> set[str]:
    """The keys of the CRITICAL actions."""
    return {
        item_key(ItemKind.ACTION, one.id)
        for one in workspace.document.actions
        if one.priority is Priority.CRITICAL
    }


def _never_run(workspace: Workspace) -> NeverRun | None:
    document = workspace.document
    if not document.never_run:
        return None

    numbers = sorted(document.never_run)
    texts = "\n".join(document.lines[number - 1].text.strip() for number in numbers)
    found = [one for one in document.diagnostics if one.line == numbers[0]]
    first = (
        f"Line {numbers[0]}: {found[0].message}" if found else f"The first is line {numbers[0]}."
    )
    return NeverRun(len(numbers), first, fingerprint(texts.encode(errors="replace")))


def _waited_for(world: World, workspace: Workspace) -> set[Outcome]:
    """What items of the workspace wait for, even those that are not due now; found out only if
    such a trouble was announced."""
    asked = {TroubleKey(TroubleKind.APPROVAL), TroubleKey(TroubleKind.MODEL)}
    if not asked & world.ledger.announcements.current().announced.keys():
        return set()

    known = _known(workspace)
    return {
        row.outcome
        for row in world.ledger.occurrences.waiting()
        if row.outcome and row.item in known
    }


def _known(workspace: Workspace) -> set[str]:
    """The keys of all items that the workspace may have."""
    return {
        *schedules_of(workspace),
        item_key(ItemKind.PLAIN, PLAIN_ID),
        item_key(ItemKind.REVIEW, REVIEW_ID),
    }


def refusal_of(ledger: Ledger, workspace: Workspace) -> Refused | None:
    """Why nothing is read from HEARTBEAT.md; None if it is read, or if there never was
    one."""
    if workspace.document.refused:
        for one in workspace.diagnostics:
            if one.severity is Severity.ERROR and not one.file:
                return Refused(one.code, Problem(one.message, one.hint))

        return Refused("unread", Problem("It cannot be read.", ""))

    was_there = any(not key.startswith(ItemKind.PROMPT) for key in ledger.items.all())
    return (
        Refused(GONE, Problem(VANISHED, "")) if workspace.snapshot is None and was_there else None
    )
