"""The always-on loop: sleeps until the next slot, starts a child, shows what the ledger says. It parses nothing."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_never

from core.engine.status import status_now
from core.model.errors import HeartbeatError
from core.model.memory import Pause
from core.model.occurrence import BeatReason
from core.model.status import Status
from core.ports import Child, Children, Clock, Ledger, Lock, OwnerFile, Source, Waiting, Waker, Watcher
from core.rules.residing import Situation, Sleep, StartBeat, StartPlan, is_paused, next_step, rest_after

FINE = (0, 1, 2, 4)  # ends of a child that are no crash: fine, an item failed, wrong settings, approval needed
BUSY = 3  # another beat holds the lock
GRACE = timedelta(seconds=10)  # for a beat that is told to end
BUSY_REST = timedelta(seconds=30)  # a beat in a terminal says when it ends; this is only the net below that


@dataclass(frozen=True, slots=True)
class Surroundings:
    """All that the resident touches."""

    root: Path
    clock: Clock
    ledger: Ledger
    beat_lock: Lock
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


class Resident:
    def __init__(self, surroundings: Surroundings) -> None:
        self.world = surroundings
        self.show: Callable[[Status], None] = lambda _: None
        self.sources: list[Source] = [surroundings.changed]  # a tray's connection and the signals are added
        self.started = self.now()
        self.child: Child | None = None
        self.child_kind = ""
        self.helpers: list[Child] = []  # started for the person, such as an opener; nobody waits for them
        self.beat_before = 0  # the newest beat when the child started
        self.plan_wanted = True
        self.has_planned = False
        self.failures = 0
        self.rest_until: datetime | None = None
        self.is_busy = False  # the rest is for a beat in a terminal, which holds the lock
        self.was_paused = False
        self.ending = False

    def run(self) -> None:
        """Until told to end. Every round: do the next step, show how things stand, wait for something to happen."""
        self.world.watcher.start()
        try:
            while not self.ending:
                until = self.step()
                self.show(self.status())
                self._wait(until)
        finally:
            self._end_child()
            self.world.watcher.stop()

    def end(self) -> None:
        self.ending = True

    def run_now(self) -> None:
        """The person wants a beat; it starts in the next round."""
        self.world.ledger.request_run((), self.now())

    def start_helper(self, arguments: Sequence[str]) -> None:
        """A program that the person asked for and that may take its time."""
        self.helpers.append(self.world.children.start(arguments, self.world.environment, self.world.log))

    def status(self) -> Status:
        world = self.world
        return status_now(world.root, world.ledger, world.beat_lock, self.now(), resident=True)

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
                case StartBeat(BeatReason.PERSON as reason, items):
                    wish = self.world.ledger.take_run_request()  # it may have grown since
                    self._start("beat", "--reason", reason, "--items", " ".join(wish.items if wish else items))
                case StartBeat(reason):
                    self._start("beat", "--reason", reason)
                case other:
                    assert_never(other)

    def _situation(self) -> Situation:
        ledger = self.world.ledger
        pause = ledger.paused()
        self._notice_ends(pause)
        return Situation(
            child_at_work=self.child is not None,
            plan_wanted=self.plan_wanted,
            note=ledger.plan(),
            pause=pause,
            request=ledger.run_requested(),
            rest_until=self.rest_until,
            is_elsewhere=self._is_elsewhere(),
        )

    def _notice_ends(self, pause: Pause | None) -> None:
        """The end of a pause asks for a plan: a beat by hand has left a note that knows nothing of `startup`.
        The end of a beat in a terminal ends the rest that it was waited for."""
        paused = pause is not None and is_paused(pause, self.now())
        self.plan_wanted = self.plan_wanted or (self.was_paused and not paused)
        self.was_paused = paused
        if self.is_busy and self.world.beat_lock.holder() is None:
            self.is_busy, self.rest_until = False, None

    def _is_elsewhere(self) -> bool:
        """Whether a synced folder says that another machine runs the workspace now; asked before every start."""
        owner = self.world.owner.read()
        if owner is None or owner.machine.id == self.world.machine:
            return False
        if self.world.ledger.tell("owner", owner.machine.name, self.now()):
            self.world.say(f"{owner.machine.name} has taken this workspace over; nothing starts here any more.")
        return True

    def _wait(self, until: datetime | None) -> None:
        children = [_End(child) for child in (self.child, *self.helpers) if child]
        clock_was_set = self.world.waiting.wait([*self.sources, *children], until)
        if self.world.changed.take() or clock_was_set:
            self.plan_wanted = True
            self.rest_until = None  # what was saved may be the mend; and the end of a rest is a time of the old clock
        self.reap()

    def now(self) -> datetime:
        clock = self.world.clock
        return clock.now().astimezone(clock.zone())

    # -- children -----------------------------------------------------------------------------------------------

    def _start(self, kind: str, *options: str) -> None:
        self.beat_before = self._newest_beat()
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
        code = self.child.poll() if self.child else None
        if self.child is None or code is None:
            return
        self.child.close()
        self.child = None
        now = self.now()
        self.is_busy = code == BUSY and self.world.beat_lock.holder() is not None
        if code == BUSY:
            self.plan_wanted = True
            self.rest_until = now + BUSY_REST
        elif code not in FINE:
            self._failed(f"The {self.child_kind} ended unexpectedly (exit code {code}; see {self.world.log}).", now)
        elif self._got_nowhere(now):
            self._failed(f"A {self.child_kind} was due and could not begin (see {self.world.log}).", now)
        else:
            self._went_well()

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

    def _failed(self, message: str, now: datetime) -> None:
        self.failures += 1
        self.plan_wanted = True
        self.rest_until = now + rest_after(self.failures)
        if self.world.ledger.tell("child", message, now):
            self.world.say(f"{message} It is tried again, with longer and longer pauses.")

    def _went_well(self) -> None:
        self.failures, self.rest_until = 0, None
        if self.world.ledger.is_over("child"):
            self.world.say("Beats work again.")

    def _end_child(self) -> None:
        """Tell a running child to end and give it a while; a beat that does not listen is ended."""
        if self.child is None:
            return
        self.child.ask_to_end()
        limit = self.now() + GRACE
        while self.child.poll() is None and self.now() < limit:
            self.world.waiting.wait([_End(self.child)], limit)
        if self.child.poll() is None:
            self.child.kill()
        self.child.close()


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
