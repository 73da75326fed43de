"""The ledger: what was due, how it ended, and what has to be remembered.

The ledger is one thing with one commit, and several ports: one per theme, each an attribute of
`Ledger`. Code that needs one theme only can ask for that port alone.
"""

from __future__ import annotations  # types only: a port imports nothing

from typing import TYPE_CHECKING, Protocol

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from contextlib import AbstractContextManager
    from datetime import date, datetime
    from pathlib import Path

    from core.model.agent import ModelUse
    from core.model.announcements import Announcements, Message
    from core.model.cause import Cause
    from core.model.evidence import Evidence
    from core.model.file_work import KnownContent
    from core.model.ledger import (
        DayScore,
        Feedback,
        Inspection,
        ItemPast,
        Pause,
        PlanNote,
        RunRequest,
    )
    from core.model.occurrence import Beat, BeatReason, Occurrence, Outcome, Verdict
    from core.model.progress import Progress
    from core.model.trouble import TroubleKey
    from core.model.waiting import Wait


class Ledger(Protocol):
    """The whole ledger.

    Every change is on the disk before its call returns; a call that fails changes nothing.
    Nothing is opened before the first call that needs it. Reading never makes a file: a ledger
    that was never written to is empty. A disk that refuses is a HeartbeatError and leaves the old
    data as it was. A damaged ledger is set aside: where that is seen at once the answer comes from
    a new one, otherwise the call ends in LedgerDamagedError and the next one works on the new one.
    What is not a character in a text comes back as `?`.
    """

    @property
    def beats(self) -> Beats: ...

    @property
    def occurrences(self) -> Occurrences: ...

    @property
    def items(self) -> Items: ...

    @property
    def tasks(self) -> Tasks: ...

    @property
    def evidence(self) -> EvidenceRecords: ...

    @property
    def contents(self) -> ContentRecords: ...

    @property
    def scores(self) -> Scores: ...

    @property
    def model_use(self) -> ModelUses: ...

    @property
    def announcements(self) -> AnnouncementRecords: ...

    @property
    def approvals(self) -> ApprovalMarks: ...

    @property
    def plan(self) -> PlanRecords: ...

    @property
    def requests(self) -> Requests: ...

    def together(self) -> AbstractContextManager[None]:
        """Join the changes made inside, of all themes, into one commit: all of them or, where an
        exception leaves it, none."""
        ...

    def forget_before(self, cutoff: datetime, batch: int = 1000) -> int:
        """Remove the oldest ended occurrences and beats before the cutoff, at most `batch` of
        each, and say how many. The past of items, day scores and what is still open stay."""
        ...

    def set_aside(self) -> Path | None:
        """Where the damaged ledger that this one replaces was put."""
        ...

    def close(self) -> None:
        """Close the file. The next call opens it again."""
        ...


class Beats(Protocol):
    """When the engine was at work, and for what reason."""

    def open(self, reason: BeatReason, pid: int, now: datetime) -> Beat:
        """A new beat with a number above every earlier one, also above those that retention
        removed."""
        ...

    def close(
        self,
        number: int,
        now: datetime,
        *,
        completed: int = 0,
        failed: int = 0,
        kept: int = 0,
        not_kept: int = 0,
    ) -> None:
        """Record the beat's end; a beat that already has one keeps it."""
        ...

    def recent(self, limit: int) -> tuple[Beat, ...]:
        """Newest first; one without an end is running or crashed."""
        ...


class Occurrences(Protocol):
    """One row per item and slot: what was due and what became of it.

    Each step follows TRANSITIONS: a step that it lacks raises IllegalTransitionError.
    """

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        """Take (item, slot); None if it was already taken. Ends the item's wait."""
        ...

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        """Commit before the effect. The item's last start and slot are these, and a planned
        retry is used up."""
        ...

    def finish(
        self,
        occurrence: Occurrence,
        outcome: Outcome,
        now: datetime,
        *,
        result: str = "",
        error: str = "",
        cause: Cause = (),
        retry_at: datetime | None = None,
    ) -> Occurrence:
        """Commit after the effect. The item remembers the outcome, the retry, and its tries in a
        row: failed and interrupted count one, completed starts again at 0, any other outcome was
        not a try."""
        ...

    def verify(
        self,
        occurrence: Occurrence,
        verdict: Verdict | None,
        *,
        contradiction: bool = False,
        points: int = 0,
        possible: int = 0,
        self_reported: bool = False,
        ruling: str = "",
    ) -> Occurrence:
        """The verdict, with its points added to the occurrence's day, and the ruling: why it is so,
        in words. None: it was skipped, and its check fails, which is a promise of that day that was
        not kept."""
        ...

    def notify(self, occurrence: Occurrence) -> Occurrence:
        """Record that the person was sent its message."""
        ...

    def release(self, occurrence: Occurrence) -> Occurrence:
        """Give back what was claimed and never started: it is due again."""
        ...

    def wait(
        self, occurrence: Occurrence, outcome: Outcome, wait: Wait, now: datetime
    ) -> Occurrence:
        """Hold it back. One waiting row per item: a later slot replaces it, and as long as
        outcome and wait stay the same nothing is written and the first row is returned. Other
        words for the same wait are written into that row."""
        ...

    def skip(self, occurrence: Occurrence, reason: str, cause: Cause, now: datetime) -> Occurrence:
        """Use its slot up without running it. Ends what the item waited for. Again with the same
        cause: no write."""
        ...

    def miss(
        self, occurrence: Occurrence, reason: str, now: datetime, *, uses_slot: bool = True
    ) -> Occurrence:
        """Record a slot that passed without a start. Without `uses_slot` it is only a record: what
        is due does not depend on it."""
        ...

    def unfinished(self) -> tuple[Occurrence, ...]:
        """Claimed or started and not finished: in a beat that holds the lock, what a crash left."""
        ...

    def waiting(self) -> tuple[Occurrence, ...]:
        """What is held back now, by item."""
        ...

    def history(
        self,
        *,
        item: str | None = None,
        outcome: Outcome | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
        limit: int | None = None,
    ) -> tuple[Occurrence, ...]:
        """Newest record first; days are the person's, both ends included. What was undone is
        marked, here only."""
        ...


class Items(Protocol):
    """What is remembered of each item for as long as the ledger lives."""

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemPast]:
        """The past of these items (id to normalized schedule). New ones and changed schedules
        are seen from now on, and what an item that never started missed by its old schedule is
        forgotten; nothing is written if there are none."""
        ...

    def all(self) -> dict[str, ItemPast]:
        """The past of every item ever seen; reads only."""
        ...

    def start_over(self, item: str, now: datetime) -> None:
        """Forget the failed tries of an item that failed: it is due once more, with all its
        attempts. Nothing if it did not fail."""
        ...

    def take_back(self, item: str, beat: int) -> None:
        """Its run in this beat was undone: the history marks it, the item counts as skipped, and
        nothing else shows that run any more."""
        ...

    def count_from(self, item: str, since: datetime) -> None:
        """The clock was set back: what is remembered as later counts as `since`, and so does the
        slot of a start that is later. The day of the last slot is forgotten."""
        ...


class Tasks(Protocol):
    """The progress of the file's tasks."""

    def progress(self) -> Progress: ...

    def save(self, progress: Progress) -> None:
        """Replace all of it."""
        ...


class EvidenceRecords(Protocol):
    """What was said, done and measured for an occurrence; deleted together with the
    occurrence."""

    def keep(self, occurrence: Occurrence, evidence: Evidence) -> None: ...

    def of(self, item: str, beat: int) -> Evidence | None:
        """The evidence of the item's run in this beat, of its latest slot."""
        ...


class ContentRecords(Protocol):
    """Since when the files that checks name have had their content, as the program saw it."""

    def known(self) -> dict[str, KnownContent]:
        """By path."""
        ...

    def save(self, looks: Mapping[str, KnownContent], named: Collection[str]) -> None:
        """Remember these; of a path that another beat looked at later, that look stays. What no
        check names any more is forgotten."""
        ...


class Scores(Protocol):
    """The points of each day, and the person's thumbs."""

    def days(self, first_day: date, last_day: date) -> tuple[DayScore, ...]:
        """Oldest first, both ends included; a day without a verdict, a thumb or a promise has
        none. A promise counts once: from the step that decides it, and as later ones change it."""
        ...

    def last_earned(self, item: str) -> datetime | None:
        """The latest slot for which the item earned points; None if it never did. Takes no longer
        with a longer history."""
        ...

    def give_feedback(self, item: str, points: int, now: datetime) -> None:
        """The person's thumb for an item's key, or the day as a whole (empty); counts to the day
        at once."""
        ...

    def feedback(self, first_day: date, last_day: date) -> tuple[Feedback, ...]:
        """Oldest first, both ends included; deleted with the occurrences of the same time."""
        ...


class ModelUses(Protocol):
    """What the model batches used: one record per beat that asked a model."""

    def keep(self, use: ModelUse) -> None:
        """Record what a beat's batch uses: when it begins, and replaced when it ends."""
        ...

    def history(
        self,
        *,
        first_day: date | None = None,
        last_day: date | None = None,
        limit: int | None = None,
    ) -> tuple[ModelUse, ...]:
        """Newest beat first; days are the person's, both ends included. Goes with the
        occurrences of its time."""
        ...


class AnnouncementRecords(Protocol):
    """What was announced to the person, and what is still to be shown."""

    def current(self) -> Announcements: ...

    def save(self, announcements: Announcements) -> None:
        """Replace all of it; nothing is written if nothing changed."""
        ...

    def leave_message(self, message: Message) -> None:
        """Leave a message for the resident to show; at most the last 50 wait."""
        ...

    def take_messages(self) -> tuple[Message, ...]:
        """Return the messages that were left, oldest first, and remove them."""
        ...

    def announce(self, trouble: TroubleKey, what: Cause, now: datetime) -> bool:
        """Remember a trouble as announced; True if it is new or has changed, so that it is to
        be said."""
        ...

    def settle(self, trouble: TroubleKey) -> bool:
        """Forget a trouble that is over; True if it had been announced, so that its end is to
        be said."""
        ...


class ApprovalMarks(Protocol):
    """What the approvals file alone cannot prove."""

    def number(self) -> int:
        """The number of the newest approvals file; 0 before the first."""
        ...

    def set_number(self, number: int) -> None: ...

    def last_inspection(self) -> Inspection | None:
        """What was seen last, for `approval = "owner"`."""
        ...

    def save_inspection(self, inspection: Inspection) -> None:
        """Nothing is written where nothing changed."""
        ...

    def model_tasks(self) -> frozenset[str]:
        """The hashes of the tasks that the model wrote."""
        ...

    def save_model_tasks(self, hashes: Collection[str]) -> None: ...


class PlanRecords(Protocol):
    """What a plan leaves for the resident."""

    def note(self) -> PlanNote | None:
        """What the last plan left; None before the first."""
        ...

    def save(self, note: PlanNote) -> None: ...

    def tick_anchor(self) -> datetime | None:
        """The instant from which the ticks of the interval are counted."""
        ...

    def set_tick_anchor(self, anchor: datetime) -> None: ...


class Requests(Protocol):
    """What the person asks of the resident: a pause, or a beat right away."""

    def paused(self) -> Pause | None:
        """The pause as it was asked for; the caller compares its end with the time."""
        ...

    def pause(self, pause: Pause) -> None: ...

    def resume(self) -> None: ...

    def run_requested(self) -> RunRequest | None: ...

    def request_run(self, items: Collection[str], now: datetime, *, by_agent: bool = False) -> None:
        """Ask for a beat. Requests are merged until one is taken: without items it asks for
        everything, and if a person and a model ask, it counts as the person's."""
        ...

    def take_run_request(self) -> RunRequest | None:
        """Return the request and remove it: two callers never get the same one."""
        ...

    def note_cancel(self, now: datetime) -> None:
        """Let the resident know that the person ends the running beat."""
        ...

    def take_cancel(self) -> datetime | None:
        """Return when the person did that, and remove it; None if there is nothing new."""
        ...
