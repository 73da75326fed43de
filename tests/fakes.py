"""A harmless twin of every port, in memory; tests/contract holds it to the same suite as the real thing."""

import copy
import os
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from datetime import UTC, date, datetime, timedelta, timezone, tzinfo
from pathlib import Path

from core.model.agent import ModelUse
from core.model.announcements import Announcements, Message
from core.model.errors import HeartbeatError
from core.model.evidence import Evidence
from core.model.holder import Holder
from core.model.memory import DayScore, Feedback, ItemMemory, Look, Pause, PlanNote, RunRequest
from core.model.occurrence import (
    OPEN,
    TRANSITIONS,
    UNFINISHED,
    Beat,
    BeatReason,
    IllegalTransitionError,
    Occurrence,
    Outcome,
    State,
)
from core.model.owner import Machine, Owner
from core.model.process import Command, Ending, How
from core.model.progress import Progress
from core.model.verdict import Verdict
from core.model.workspace_file import (
    Found,
    Identity,
    Missing,
    Postponed,
    Reading,
    Snapshot,
    Unchanged,
    Writing,
    Written,
)
from core.ports import Cancellation, Ledger, Source
from core.rules.fingerprint import fingerprint
from core.rules.merging import merge


class FakeLedger:
    def __init__(self) -> None:
        self.rows: dict[tuple[str, datetime], Occurrence] = {}  # in the order of their making
        self.beats: list[Beat] = []
        self.last_beat = 0
        self.memory: dict[str, ItemMemory] = {}
        self.days: dict[date, DayScore] = {}
        self.current_progress = Progress()
        self.current_plan: PlanNote | None = None
        self.anchor: datetime | None = None
        self.current_pause: Pause | None = None
        self.wish: RunRequest | None = None
        self.told: dict[str, str] = {}
        self.number = 0
        self.seen: Look | None = None
        self.kept_evidence: dict[tuple[str, datetime], tuple[int, Evidence]] = {}
        self.thumbs: list[Feedback] = []
        self.current_announcements = Announcements()
        self.uses: dict[int, ModelUse] = {}
        self.messages: list[Message] = []

    @contextmanager
    def together(self) -> Iterator[None]:
        before = copy.deepcopy(self.__dict__)
        try:
            yield
        except BaseException:
            self.__dict__ = before
            raise

    def close(self) -> None:
        pass

    def set_aside(self) -> Path | None:
        return None

    def open_beat(self, reason: BeatReason, pid: int, now: datetime) -> Beat:
        self.last_beat += 1
        self.beats.append(Beat(self.last_beat, reason, pid, utc(now)))
        return self.beats[-1]

    def close_beat(self, number: int, now: datetime, *, completed: int = 0, failed: int = 0) -> None:
        self.beats = [
            replace(beat, finished=utc(now), completed=completed, failed=failed)
            if beat.number == number and beat.finished is None
            else beat
            for beat in self.beats
        ]

    def recent_beats(self, limit: int) -> tuple[Beat, ...]:
        return tuple(reversed(self.beats))[:limit]

    def claim(self, occurrence: Occurrence, now: datetime) -> Occurrence | None:
        taken = self._recorded(occurrence, now)
        if State.CLAIMED not in TRANSITIONS[taken.state]:
            return None
        return self._save(taken.advanced(State.CLAIMED), ends_wait=True)

    def start(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        started = self._save(self._stored(occurrence).advanced(State.STARTED, started=now))
        self._use_slot(started, now)
        self._remember(started.item, last_start=started.started, retry_at=None)
        return started

    def finish(
        self,
        occurrence: Occurrence,
        outcome: Outcome,
        now: datetime,
        *,
        result: str = "",
        error: str = "",
        retry_at: datetime | None = None,
    ) -> Occurrence:
        finished = self._stored(occurrence).advanced(
            State.FINISHED, outcome=outcome, finished=now, result=result, error=error
        )
        attempts = self.memory[finished.item].attempts
        if outcome is Outcome.COMPLETED:
            attempts = 0
        elif outcome in (Outcome.FAILED, Outcome.INTERRUPTED):
            attempts = finished.attempts
        saved = self._save(finished)
        self._remember(
            finished.item,
            last_outcome=outcome,
            last_finished=saved.finished,
            attempts=attempts,
            retry_at=retry_at and utc(retry_at),
        )
        return saved

    def verify(
        self, occurrence: Occurrence, verdict: Verdict, *, contradiction: bool, points: int, possible: int
    ) -> Occurrence:
        verified = self._save(
            self._stored(occurrence).advanced(
                State.VERIFIED, verdict=verdict, contradiction=contradiction, points=points, possible=possible
            )
        )
        assert verified.day is not None
        day = self.days.get(verified.day, DayScore(verified.day))
        self.days[verified.day] = DayScore(
            day.day,
            day.points + points,
            day.possible + possible,
            day.verified + (verdict is Verdict.VERIFIED),
            day.not_verified + (verdict is Verdict.NOT_VERIFIED),
            day.unclear + (verdict is Verdict.UNCLEAR),
            day.contradictions + contradiction,
            day.feedback,
        )
        return verified

    def notify(self, occurrence: Occurrence) -> Occurrence:
        return self._save(self._stored(occurrence).advanced(State.NOTIFIED))

    def release(self, occurrence: Occurrence) -> Occurrence:
        return self._save(self._stored(occurrence).advanced(State.DUE), ends_wait=True)

    def wait(self, occurrence: Occurrence, outcome: Outcome, reason: str, now: datetime) -> Occurrence:
        for row in self.waiting():
            if (row.item, row.outcome, row.reason) == (occurrence.item, outcome, storable(reason)):
                return row
        waiting = self._recorded(occurrence, now).advanced(State.WAITING, outcome=outcome, reason=reason)
        return self._save(waiting, ends_wait=True)

    def skip(self, occurrence: Occurrence, reason: str, now: datetime) -> Occurrence:
        before = self.rows.get(key(occurrence))
        if before and before.state is State.SKIPPED and before.reason == storable(reason):
            return before
        skipped = self._recorded(occurrence, now).advanced(State.SKIPPED, outcome=Outcome.SKIPPED, reason=reason)
        self._use_slot(skipped, now)
        return self._save(skipped, ends_wait=True)

    def miss(self, occurrence: Occurrence, reason: str, now: datetime) -> Occurrence:
        missed = self._recorded(occurrence, now).advanced(State.MISSED, outcome=Outcome.MISSED, reason=reason)
        self._use_slot(missed, now)
        return self._save(missed)

    def unfinished(self) -> tuple[Occurrence, ...]:
        return tuple(row for row in self.rows.values() if row.state in UNFINISHED)

    def waiting(self) -> tuple[Occurrence, ...]:
        return tuple(
            sorted((row for row in self.rows.values() if row.state is State.WAITING), key=lambda row: row.item)
        )

    def history(
        self,
        *,
        item: str | None = None,
        outcome: Outcome | None = None,
        first_day: date | None = None,
        last_day: date | None = None,
        limit: int | None = None,
    ) -> tuple[Occurrence, ...]:
        wanted: list[Callable[[Occurrence], bool]] = [
            lambda row: item is None or row.item == item,
            lambda row: outcome is None or row.outcome is outcome,
            lambda row: first_day is None or (row.day or date.min) >= first_day,
            lambda row: last_day is None or (row.day or date.max) <= last_day,
        ]
        rows = [row for row in reversed(self.rows.values()) if all(want(row) for want in wanted)]
        rows.sort(key=recorded_at, reverse=True)  # stable: of equal instants the later row stays first
        return tuple(rows[:limit])

    def forget_before(self, cutoff: datetime, batch: int = 1000) -> int:
        ended = [row for row in self.rows.values() if row.state not in OPEN | UNFINISHED and recorded_at(row) < cutoff]
        rows = sorted(ended, key=recorded_at)[:batch]
        beats = [beat for beat in self.beats if beat.finished and beat.started < cutoff][:batch]
        for row in rows:
            del self.rows[key(row)]
            self.kept_evidence.pop(key(row), None)
        self.thumbs = [one for one in self.thumbs if one.given >= cutoff]
        self.uses = {beat: use for beat, use in self.uses.items() if use.started >= cutoff}
        self.beats = [beat for beat in self.beats if beat not in beats]
        return len(rows) + len(beats)

    def see(self, schedules: Mapping[str, str], now: datetime) -> dict[str, ItemMemory]:
        for item, schedule in schedules.items():
            if item not in self.memory or self.memory[item].schedule != schedule:
                known = self.memory.get(item, ItemMemory(item, schedule, now))
                if known.last_start is None:
                    known = replace(known, last_slot=None, last_slot_zone=None)
                self.memory[item] = replace(known, schedule=schedule, first_seen=utc(now))
        return {item: self.memory[item] for item in schedules}

    def start_anew(self, item: str, now: datetime) -> None:
        if self.memory[item].last_outcome in (Outcome.FAILED, Outcome.INTERRUPTED):
            self._remember(item, attempts=0, retry_at=utc(now))

    def take_back(self, item: str) -> None:
        self._remember(item, last_outcome=Outcome.SKIPPED, last_finished=None, retry_at=None)

    def count_from(self, item: str, moment: datetime) -> None:
        known, moment = self.memory[item], utc(moment)
        self._remember(
            item,
            first_seen=min(known.first_seen, moment),
            last_start=known.last_start and min(known.last_start, moment),
            last_slot=known.last_slot and min(known.last_slot, moment),
            last_slot_zone=None,
        )

    def items(self) -> dict[str, ItemMemory]:
        return dict(self.memory)

    def progress(self) -> Progress:
        return self.current_progress

    def save_progress(self, progress: Progress) -> None:
        tasks = sorted(progress.tasks, key=lambda task: task.task_id)
        self.current_progress = replace(progress, tasks=tuple(tasks))

    def approvals_number(self) -> int:
        return self.number

    def set_approvals_number(self, number: int) -> None:
        self.number = number

    def last_look(self) -> Look | None:
        return self.seen

    def save_look(self, look: Look) -> None:
        self.seen = look

    def points_between(self, since: datetime, until: datetime) -> int:
        return sum(row.points for row in self.rows.values() if since <= recorded_at(row) < until)

    def day_scores(self, first_day: date, last_day: date) -> tuple[DayScore, ...]:
        return tuple(self.days[day] for day in sorted(self.days) if first_day <= day <= last_day)

    def keep_evidence(self, occurrence: Occurrence, evidence: Evidence) -> None:
        self.kept_evidence[key(occurrence)] = (occurrence.beat, evidence)

    def evidence(self, item: str, beat: int) -> Evidence | None:
        found = [kept for (name, _), (number, kept) in self.kept_evidence.items() if (name, number) == (item, beat)]
        return found[-1] if found else None

    def give_feedback(self, item: str, points: int, now: datetime) -> None:
        self.thumbs.append(Feedback(utc(now), now.date(), item, points))
        day = self.days.get(now.date(), DayScore(now.date()))
        self.days[now.date()] = replace(day, feedback=day.feedback + points)

    def feedback(self, first_day: date, last_day: date) -> tuple[Feedback, ...]:
        return tuple(one for one in self.thumbs if first_day <= one.day <= last_day)

    def keep_model_use(self, use: ModelUse) -> None:
        finished = use.finished and utc(use.finished)
        stored = replace(use, started=utc(use.started), finished=finished, problem=storable(use.problem))
        self.uses[use.beat] = stored

    def model_uses(
        self, *, first_day: date | None = None, last_day: date | None = None, limit: int | None = None
    ) -> tuple[ModelUse, ...]:
        found = [self.uses[beat] for beat in sorted(self.uses, reverse=True)]
        after = [one for one in found if first_day is None or one.day >= first_day]
        return tuple([one for one in after if last_day is None or one.day <= last_day][:limit])

    def announcements(self) -> Announcements:
        return self.current_announcements

    def save_announcements(self, announcements: Announcements) -> None:
        self.current_announcements = announcements

    def leave_message(self, message: Message) -> None:
        self.messages = [*self.messages, message][-50:]

    def take_messages(self) -> tuple[Message, ...]:
        taken, self.messages = tuple(self.messages), []
        return taken

    def plan(self) -> PlanNote | None:
        return self.current_plan

    def save_plan(self, plan: PlanNote) -> None:
        self.current_plan = plan

    def tick_anchor(self) -> datetime | None:
        return self.anchor

    def set_tick_anchor(self, anchor: datetime) -> None:
        self.anchor = anchor

    def paused(self) -> Pause | None:
        return self.current_pause

    def pause(self, pause: Pause) -> None:
        self.current_pause = pause

    def resume(self) -> None:
        self.current_pause = None

    def run_requested(self) -> RunRequest | None:
        return self.wish

    def request_run(self, items: Collection[str], now: datetime, *, by_agent: bool = False) -> None:
        earlier = self.wish or RunRequest(tuple(items), utc(now), by_agent)
        everything = not items or not earlier.items
        wanted = () if everything else tuple(sorted({*earlier.items, *items}))
        self.wish = RunRequest(wanted, earlier.since, by_agent and earlier.by_agent)

    def take_run_request(self) -> RunRequest | None:
        wish, self.wish = self.wish, None
        return wish

    def tell(self, trouble: str, what: str, now: datetime) -> bool:
        is_news = self.told.get(trouble) != what
        self.told[trouble] = what
        return is_news

    def is_over(self, trouble: str) -> bool:
        return self.told.pop(trouble, None) is not None

    def _recorded(self, occurrence: Occurrence, now: datetime) -> Occurrence:
        found = self.rows.get(key(occurrence))
        state = found.state if found else State.DUE
        return replace(occurrence, state=state, outcome=None, recorded=now, day=now.date())

    def _stored(self, occurrence: Occurrence) -> Occurrence:
        if key(occurrence) not in self.rows:
            raise IllegalTransitionError(f"{occurrence.item} was never claimed")
        return self.rows[key(occurrence)]

    def _save(self, occurrence: Occurrence, *, ends_wait: bool = False) -> Occurrence:
        if ends_wait:
            for row in list(self.rows.values()):
                if row.item == occurrence.item and row.state in OPEN and key(row) != key(occurrence):
                    del self.rows[key(row)]
        saved = as_stored(occurrence)
        self.rows[key(saved)] = saved
        return saved

    def _use_slot(self, occurrence: Occurrence, now: datetime) -> None:
        slot, offset = utc(occurrence.slot), now.utcoffset()
        assert offset is not None
        known = self.memory.setdefault(occurrence.item, ItemMemory(occurrence.item, "", utc(now)))
        if known.last_slot is None or slot >= known.last_slot:
            self._remember(occurrence.item, last_slot=slot, last_slot_zone=timezone(offset))

    def _remember(self, item: str, **changes: object) -> None:
        self.memory[item] = replace(self.memory[item], **changes)  # type: ignore[arg-type]


def utc(instant: datetime) -> datetime:
    if instant.tzinfo is None:
        raise TypeError("an instant needs a zone")
    return instant.astimezone(UTC)


def storable(text: str) -> str:
    return text.encode(errors="replace").decode()


def key(occurrence: Occurrence) -> tuple[str, datetime]:
    return occurrence.item, utc(occurrence.slot)


def recorded_at(occurrence: Occurrence) -> datetime:
    assert occurrence.recorded is not None
    return occurrence.recorded


def as_stored(occurrence: Occurrence) -> Occurrence:
    return replace(
        occurrence,
        slot=utc(occurrence.slot),
        recorded=occurrence.recorded and utc(occurrence.recorded),
        started=occurrence.started and utc(occurrence.started),
        finished=occurrence.finished and utc(occurrence.finished),
        reason=storable(occurrence.reason),
        result=storable(occurrence.result),
        error=storable(occurrence.error),
    )


class FakeHeldLock:
    def __init__(self, lock: "FakeLock") -> None:
        self._lock: FakeLock | None = lock

    def release(self) -> None:
        if self._lock is not None:
            self._lock.held_by = None
            self._lock = None

    def __enter__(self) -> "FakeHeldLock":
        return self

    def __exit__(self, *exception: object) -> None:
        self.release()


class FakeLock:
    """One lock in one process; a test that plays the other process sets `held_by`."""

    def __init__(self) -> None:
        self.held_by: Holder | None = None
        self.until_free: Callable[[], None] = self.release  # what the other process does before it gives it up

    def acquire(self, purpose: str, now: datetime) -> FakeHeldLock | Holder:
        if self.held_by is not None:
            return self.held_by
        self.held_by = Holder(os.getpid(), now, purpose)
        return FakeHeldLock(self)

    def wait(self, purpose: str, now: datetime) -> FakeHeldLock:
        while self.held_by is not None:  # it takes as long as the other one needs
            self.until_free()
        held = self.acquire(purpose, now)
        assert isinstance(held, FakeHeldLock)
        return held

    def holder(self) -> Holder | None:
        return self.held_by

    def release(self) -> None:
        self.held_by = None


class FakeClock:
    """A clock that only a test moves."""

    def __init__(self, moment: datetime, place: tzinfo = UTC) -> None:
        self.moment = utc(moment)
        self.place = place
        self.seconds = 0.0

    def now(self) -> datetime:
        return self.moment

    def zone(self) -> tzinfo:
        return self.place

    def monotonic(self) -> float:
        return self.seconds

    def pass_time(self, duration: timedelta) -> None:
        self.moment += duration
        self.seconds += duration.total_seconds()

    def step(self, by: timedelta) -> None:
        """What a person or a time server does to a clock."""
        self.moment += by


class FakeFiles:
    """A workspace with one HEARTBEAT.md and some prompts, in memory."""

    def __init__(self, text: str | None = None, prompts: Mapping[str, str] | None = None) -> None:
        self.data = None if text is None else text.encode()
        self.prompts = dict(prompts or {})
        self.memory: str | None = None  # memory/MEMORY.md
        self.names: set[str] = set()  # other files that are there
        self.is_open_in_editor = False
        self.writes = 0

    @property
    def text(self) -> str:
        return (self.data or b"").decode()

    def save(self, text: str) -> None:
        """What the person does."""
        self.data = text.encode()

    def find(self, folder: Path) -> Found | Missing:
        path = folder / "HEARTBEAT.md"
        return Missing(path) if self.data is None else Found(path)

    def read(self, path: Path, workspace: Path) -> Reading:
        if path.parent.name == "memory":
            return Missing(path) if self.memory is None else self._snapshot(path, self.memory.encode())
        data = self.prompts[path.stem].encode() if path.parent.name == "heartbeat" else self.data
        return Missing(path) if data is None else self._snapshot(path, data)

    def exists(self, workspace: Path, name: str) -> bool:
        return name in self.names

    def folder(self, workspace: Path, name: str) -> Path | None:
        return workspace / name if name in self.names else None

    def prompt_files(self, workspace: Path) -> tuple[Path, ...]:
        return tuple(workspace / "heartbeat" / f"{name}.md" for name in sorted(self.prompts))

    def write(
        self,
        base: Snapshot,
        workspace: Path,
        change: Callable[[bytes], bytes | None],
        now: datetime,
        add: Callable[[bytes], bytes] = bytes,
    ) -> Writing:
        if self.is_open_in_editor or self.data is None:
            return Postponed("the file is open in an editor")
        changed = change(base.data)
        after = self.data if changed is None else add(merge(base.data, changed, self.data))
        if after == self.data:
            return Unchanged()
        merged = self.data != base.data
        self.data = after
        self.writes += 1
        return Written(self._snapshot(base.path, after), merged)

    def _snapshot(self, path: Path, data: bytes) -> Snapshot:
        return Snapshot(path, data, Identity(0, 0, 0, 0, len(data)), fingerprint(data))


class FakeViews:
    def __init__(self) -> None:
        self.shown: list[datetime] = []
        self.progress: Progress | None = None

    def show(self, ledger: Ledger, now: datetime) -> None:
        self.shown.append(now)

    def saved_progress(self) -> Progress | None:
        return self.progress


class FakeCancellation:
    def __init__(self) -> None:
        self.wish = False

    def set(self) -> None:
        self.wish = True

    def is_set(self) -> bool:
        return self.wish

    def fileno(self) -> int:
        return -1


class ScriptedProcesses:
    """Commands that end as a test says, well otherwise; each takes its time on the clock."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.endings: dict[str, How | int] = {}  # of a command line: an exit code, or another way to end
        self.prints: dict[str, str] = {}  # of a command line
        self.lasting = timedelta(milliseconds=20)
        self.ran: list[tuple[str, datetime]] = []  # the command line, and when it began
        self.meanwhile: Callable[[str], None] = lambda _: None  # happens while the command runs

    def run(self, command: Command, cancelled: Cancellation | None = None) -> Ending:
        self.ran.append((command.line, self._clock.now()))
        self.meanwhile(command.line)
        ending = How.CANCELLED if cancelled and cancelled.is_set() else self.endings.get(command.line, 0)
        lasting = command.timeout if ending is How.TIMED_OUT else self.lasting
        self._clock.pass_time(lasting)
        if isinstance(ending, How):
            return Ending(ending, None, "", False, lasting)
        output = self.prints.get(command.line, f"did {command.line}\n")
        return Ending(How.EXITED, ending, output, False, lasting)

    def kill_all(self) -> None:
        pass

    def end_left_by(self, pid: int) -> None:
        pass


class FakeChild:
    def __init__(self, pid: int, arguments: Sequence[str]) -> None:
        self.pid = pid
        self.arguments = tuple(arguments)
        self.exit_code: int | None = None  # a test ends the child by setting it
        self.told: list[str] = []

    def fileno(self) -> int:
        return -1

    def poll(self) -> int | None:
        return self.exit_code

    def ask_to_end(self) -> None:
        self.told.append("end")

    def kill(self) -> None:
        self.told.append("kill")
        self.exit_code = -9

    def close(self) -> None:
        self.told.append("close")


class FakeChildren:
    def __init__(self) -> None:
        self.started: list[FakeChild] = []
        self.broken = ""  # why no program can be started

    def start(self, arguments: Sequence[str], environment: Mapping[str, str], log: Path | None = None) -> FakeChild:
        if self.broken:
            raise HeartbeatError(self.broken)
        self.started.append(FakeChild(len(self.started) + 1, arguments))
        return self.started[-1]


class FakeWaiting:
    """No time is spent: something happens, or the clock stands at the moment that was waited for."""

    def __init__(self, clock: FakeClock) -> None:
        self._clock = clock
        self.waits: list[datetime | None] = []
        self.sources: list[Source] = []  # of the last wait
        self.happenings: list[Callable[[], None]] = []  # one a wait; without one the time passes
        self.clock_was_set = False

    def wait(self, sources: Sequence[Source], until: datetime | None) -> bool:
        self.waits.append(until)
        self.sources = list(sources)
        if self.happenings:
            self.happenings.pop(0)()
        elif until is not None:
            self._clock.pass_time(max(until - self._clock.now(), timedelta()))
        was_set, self.clock_was_set = self.clock_was_set, False
        return was_set


class FakeWaker:
    def __init__(self) -> None:
        self.wish = False

    def set(self) -> None:
        self.wish = True

    def take(self) -> bool:
        taken, self.wish = self.wish, False
        return taken

    def fileno(self) -> int:
        return -1

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        pass


class FakeWatcher:
    def __init__(self) -> None:
        self.is_watching = False

    def start(self) -> None:
        self.is_watching = True

    def look(self) -> None:
        pass

    def follow(self, file: Path) -> None:
        pass

    def stop(self) -> None:
        self.is_watching = False


class FakeOwnerFile:
    def __init__(self, here: Machine) -> None:
        self._here = here
        self.owner: Owner | None = None

    def read(self) -> Owner | None:
        return self.owner

    def claim(self, now: datetime) -> Owner:
        return self.owner or self.take_over(now)

    def take_over(self, now: datetime) -> Owner:
        self.owner = Owner(self._here, utc(now))
        return self.owner
