"""The always-on loop: sleeps until the next slot, starts a child, shows what the ledger says. It parses nothing."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_never

from core.engine.status import status_now
from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.memory import Pause, RunRequest
from core.model.occurrence import BeatReason
from core.model.report import Notice
from core.model.status import State, Status
from core.ports import Child, Children, Clock, Ledger, Lock, OwnerFile, Source, Waiting, Waker, Watcher
from core.rules.residing import Situation, Sleep, StartBeat, StartPlan, is_paused, next_step, noted_zone, rest_after

FINE, BUSY = 0, 3  # how a child ends that did its work, and one that found another beat at work
GRACE = timedelta(seconds=10)  # for a beat that is told to end
BUSY_REST = timedelta(seconds=30)  # a beat in a terminal says when it ends; this is only the net below that
REST_AFTER_CANCEL = timedelta(minutes=10)
LOOK_AGAIN = timedelta(seconds=30)  # where the system cannot tell about changes


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that the resident touches."""

    root: Path
    clock: Clock
    ledger: Ledger
    beat_lock: Lock
    model_lock: Lock
    children: Children
    watcher: Watcher
    changed: Waker  # set by the watcher
    waiting: Waiting
    owner: OwnerFile
    machine: str  # this machine's id
    say: Callable[[str], None]
    command: Callable[[Sequence[str]], Sequence[str]]  # `plan` or `beat` with its options -> a command line
    environment: Mapping[str, str]
    log: Path  # for what the children print
    last_words: Callable[[Path], str]  # the last line of it
    ask_to_end: Callable[[int], None]  # a process that somebody else started
    starts_at_login: Callable[[], bool]


class Resident:
    def __init__(self, surroundings: Surroundings) -> None:
        self.world = surroundings
        self.show: Callable[[Status], None] = lambda _: None
        self.notify: Callable[[Message], None] = lambda _: None
        self.sources: list[Source] = [surroundings.changed]  # a tray's connection and the signals are added
        self.started = self.now()
        self.child: Child | None = None
        self.child_kind = ""
        self.thinkers: list[Child] = []  # beats whose batch is with the model: others may start beside them
        self.helpers: list[Child] = []  # started for the person, such as an opener; nobody waits for them
        self.beat_before = 0  # the newest beat when the child started
        self.wish: RunRequest | None = None  # the person's, which the child was started for
        self.plan_wanted = True
        self.has_planned = False  # once since the start
        self.failures = 0  # children in a row that failed
        self.rest_until: datetime | None = None
        self.was_paused = False
        self.busy_until: datetime | None = None  # a beat in a terminal has the lock
        self.troubles = 0  # rounds in a row in which the ledger or the owner's file could not be used
        self.told = ""  # the trouble that was told last
        self.is_watched = True  # the system tells about changes
        self.is_cancelled = False  # the person wants the running beat to end
        self.calm_until: datetime | None = None  # after that, nothing starts by itself for a while
        self.run_by = ""  # another machine that has taken the workspace over
        self.is_enabled = True
        self.ending = False

    def run(self) -> None:
        """Until told to end. Every round: see what ended, do the next step, wait for something to happen."""
        try:
            self._start_watching()
            while not self.ending:
                self._wait(self._round())
        finally:
            self._end_children()
            self.world.watcher.stop()

    def end(self) -> None:
        self.ending = True

    def look(self) -> None:
        """Somebody has changed the ledger, or ended a beat in a terminal."""
        self.rest_until = self.busy_until = None

    def _start_watching(self) -> None:
        with suppress(HeartbeatError):  # the first round says it
            self._follow()
        try:
            self.world.watcher.start()
        except HeartbeatError as error:
            self.is_watched = False
            self.world.say(f"{error.message}\n  {error.hint}")

    def _follow(self) -> None:
        """Watch the file that the last plan read, and the scripts that its commands name: neither is read here."""
        note = self.world.ledger.plan()
        file = Path(str(note.summary.get("file"))) if note else None
        if file and file.is_relative_to(self.world.root):
            self.world.watcher.follow(file.relative_to(self.world.root))
        self._notice_switch(note is None or bool(note.summary.get("enabled", True)))
        scripts = note.summary.get("scripts") if note else None
        for name in scripts if isinstance(scripts, list) else ():
            self.world.watcher.follow(Path(str(name)))

    def _notice_switch(self, is_enabled: bool) -> None:
        if is_enabled != self.is_enabled:
            self.is_enabled = is_enabled
            off = "Switched off by the settings (enabled = false): nothing starts by itself; heartbeat run works."
            self.world.say("Switched on again." if is_enabled else off)

    def _round(self) -> datetime | None:
        """Returns until when to wait. What is wrong with the ledger ends one round, not the always-on process."""
        try:
            self.reap()
            until = self.step()
            self.show(self.status())
            for message in self.world.ledger.take_messages():
                self.tell(message)
        except HeartbeatError as error:
            self.troubles += 1
            self._say_once(f"{error.message} {error.hint} It is tried again, with longer and longer pauses.")
            return self.world.clock.now() + rest_after(self.troubles)
        if self.troubles:
            self.troubles = 0
            self._say_once("It works again.")
        return until

    def _say_once(self, words: str) -> None:
        if words != self.told:
            self.told = words
            self.world.say(words)

    def tell(self, message: Message) -> None:
        """To the log, and to the desktop where there is one."""
        self.world.say(f"{message.notice.title.rstrip('.')}: {message.notice.message}")
        self.notify(message)

    def run_now(self, items: Sequence[str] = ()) -> None:
        """The person wants a beat; it starts in the next round."""
        self.world.ledger.request_run(items, self.now())

    def cancel(self) -> None:
        """End the beats that are running, whoever started them. What they left undone is not begun again at once: the
        person would have to cancel that too."""
        ours = [one for one in (self.child if self.child_kind == "beat" else None, *self.thinkers) if one]
        for child in ours:
            child.ask_to_end()
        for holder in (self.world.beat_lock.holder(), self.world.model_lock.holder()):
            if holder and holder.purpose != "plan" and holder.pid not in [child.pid for child in ours]:
                self.world.ask_to_end(holder.pid)
        self.is_cancelled = True
        self.calm_until = self.now() + REST_AFTER_CANCEL

    def start_helper(self, arguments: Sequence[str]) -> None:
        """A program that the person asked for and that may take its time."""
        self.helpers.append(self.world.children.start(arguments, self.world.environment, self.world.log))

    def status(self) -> Status:
        world = self.world
        status = status_now(world.root, world.ledger, world.beat_lock, world.model_lock, self.now(), resident=True)
        coming = later(status.next_beat, self._resting_until()) if status.next_beat and not self.run_by else None
        status = replace(status, next_beat=coming, starts_at_login=world.starts_at_login(), run_by=self.run_by)
        # Our own beat has the lock a moment after its start, and nothing wakes us then.
        beating = self.thinkers or (self.child and self.child_kind == "beat")
        return replace(status, state=State.RUNNING) if beating else status

    def step(self) -> datetime | None:
        """Start what is to be started now; returns until when to wait."""
        while True:
            match next_step(self._situation(), self.now()):
                case Sleep(until):
                    return until
                case StartPlan():
                    self.plan_wanted = False
                    self._start("plan", "--reason", BeatReason.FILE if self.has_planned else BeatReason.STARTUP)
                    self.has_planned = True
                case StartBeat(reason):
                    asked = reason in (BeatReason.PERSON, BeatReason.AGENT)
                    self.wish = self.world.ledger.take_run_request() if asked else None
                    items = self.wish.items if self.wish else ()
                    self._start("beat", "--reason", reason, "--items", " ".join(items))
                case other:
                    assert_never(other)

    def _situation(self) -> Situation:
        ledger = self.world.ledger
        pause = ledger.paused()
        self._notice_ends(pause)
        self._notice_batch()
        busy = self.busy_until is not None and self.now() < self.busy_until
        return Situation(
            child_at_work=self.child is not None,
            plan_wanted=self.plan_wanted,
            note=ledger.plan(),
            pause=pause,
            request=None if busy else ledger.run_requested(),
            rest_until=self.busy_until if busy else self._resting_until(),
            is_elsewhere=self._is_elsewhere(),
        )

    def _resting_until(self) -> datetime | None:
        return later(self.rest_until, self.calm_until)

    def _notice_ends(self, pause: Pause | None) -> None:
        """The end of a pause asks for a plan: a beat by hand has left a note that knows nothing of `startup`.
        The end of a beat in a terminal ends the rest that it was waited for."""
        paused = pause is not None and is_paused(pause, self.now())
        self.plan_wanted = self.plan_wanted or (self.was_paused and not paused)
        self.was_paused = paused
        if self.busy_until and self.world.beat_lock.holder() is None:
            self.busy_until = None

    def _notice_batch(self) -> None:
        """A beat that has given its lock up for the model's is no longer in the way of the next one."""
        if self.child is None or self.child_kind != "beat":
            return
        thinking, beating = self.world.model_lock.holder(), self.world.beat_lock.holder()
        if thinking and thinking.pid == self.child.pid and not (beating and beating.pid == self.child.pid):
            self.thinkers.append(self.child)
            self.child = None
            self._went_well()

    def _is_elsewhere(self) -> bool:
        """Whether a synced folder says that another machine runs the workspace now; asked before every start."""
        owner = self.world.owner.read()
        if owner is None or owner.machine.id == self.world.machine:
            if self.world.ledger.is_over("owner"):
                self.world.say("This machine runs the workspace again.")
            self.run_by = ""
            return False
        self.run_by = owner.machine.name
        if self.world.ledger.tell("owner", owner.machine.name, self.now()):
            self.world.say(f"{owner.machine.name} has taken this workspace over; nothing starts here any more.")
        return True

    def _wait(self, until: datetime | None) -> None:
        children = [_End(child) for child in (self.child, *self.thinkers, *self.helpers) if child]
        if not self.is_watched:
            until = min(filter(None, (until, self.now() + LOOK_AGAIN)))
        clock_was_set = self.world.waiting.wait([*self.sources, *children], until)
        if clock_was_set or not self.is_watched:
            self.world.watcher.look()
        if self.world.changed.take() or clock_was_set:
            self.plan_wanted = True
            self.rest_until = self.calm_until = None  # what was saved may be the mend; and the clock is another one

    def now(self) -> datetime:
        clock = self.world.clock
        return clock.now().astimezone(clock.zone())

    def local_now(self) -> datetime:
        """The moment in the workspace's zone, for what a person reads."""
        return self.now().astimezone(noted_zone(self.world.ledger.plan(), self.world.clock.zone()))

    # -- children -----------------------------------------------------------------------------------------------

    def _start(self, kind: str, *options: str) -> None:
        self.beat_before = self._newest_beat()
        self.is_cancelled = False
        words = [kind, str(self.world.root), "--resident-start", self.started.isoformat(), *options]
        try:
            self.child = self.world.children.start(self.world.command(words), self.world.environment, self.world.log)
            self.child_kind = kind
        except HeartbeatError as error:
            self._failed(error.message, self.now())

    def reap(self) -> None:
        """See whether the child has ended, and how."""
        for helper in [one for one in self.helpers if one.poll() is not None]:
            helper.close()
            self.helpers.remove(helper)
            if helper.poll() != FINE:  # it tells by itself what it could not do, unless it could not even do that
                words = f"What you asked for ended with exit code {helper.poll()}. More is in {self.world.log}"
                self.tell(Message(Notice("problem", "That did not work", words)))
        self._reap_thinkers()
        code = self.child.poll() if self.child else None
        if self.child is None or code is None:
            return
        self.child.close()
        self.child = None
        now = self.now()
        if code == BUSY:
            self.plan_wanted = True
            self.busy_until = now + BUSY_REST
            if self.wish:
                self.world.ledger.request_run(self.wish.items, self.wish.since, by_agent=self.wish.by_agent)
        elif self.is_cancelled and self.child_kind == "beat":
            self.plan_wanted = True  # however it ended: the person wanted it to
        elif code != FINE:
            self._failed(f"The {self.child_kind} ended with exit code {code}.", now, self._last_words(code))
        elif self._got_nowhere(now):
            self._failed(f"A {self.child_kind} was due and could not begin (see {self.world.log}).", now)
        else:
            self._went_well()

    def _reap_thinkers(self) -> None:
        for thinker in self.thinkers[:]:
            code = thinker.poll()
            if code is not None:
                thinker.close()
                self.thinkers.remove(thinker)
                if code != FINE:
                    message = f"The beat ended with exit code {code} while a model worked."
                    self._failed(message, self.now(), self._last_words(code))

    def _last_words(self, code: int) -> str:
        return self.world.last_words(self.world.log) if code > 0 else ""

    def _newest_beat(self) -> int:
        beats = self.world.ledger.recent_beats(1)
        return beats[0].number if beats else 0

    def _got_nowhere(self, now: datetime) -> bool:
        """A child that did nothing although something is still to be done would be started again and again."""
        note = self.world.ledger.plan()
        if note is None:
            return True
        still_due = note.next_wake is not None and note.next_wake <= now
        return self.child_kind == "beat" and still_due and self._newest_beat() == self.beat_before

    def _failed(self, message: str, now: datetime, last_words: str = "") -> None:
        self.failures += 1
        self.plan_wanted = True
        self.rest_until = now + rest_after(self.failures)
        if self.world.ledger.tell("child", message + last_words, now):
            more = f"{last_words}\n  " if last_words else ""
            words = f"{message} {more}It is tried again, with longer and longer pauses. More is in {self.world.log}"
            self.world.say(words)
            self.notify(Message(Notice("problem", "Heartbeat has a problem", words), trouble="child"))

    def _went_well(self) -> None:
        self.failures, self.rest_until = 0, None
        self.has_planned = self.has_planned or self.child_kind == "plan"
        self._follow()
        if self.world.ledger.is_over("child"):
            self.world.say("Beats work again.")

    def _end_children(self) -> None:
        """Tell running children to end and give them a while; one that does not listen is ended."""
        children = [child for child in (self.child, *self.thinkers) if child]
        for child in children:
            child.ask_to_end()
        limit = self.now() + GRACE
        while (running := [one for one in children if one.poll() is None]) and self.now() < limit:
            self.world.waiting.wait([_End(child) for child in running], limit)
        for child in children:
            if child.poll() is None:
                child.kill()
            child.close()


def later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max(filter(None, (one, other)), default=None)


class _End:
    """The end of a child, as a source: it only ends the wait."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def fileno(self) -> int:
        return self._child.fileno()

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        pass
