"""The always-on loop: sleeps until the next slot, starts a child, shows what the ledger says. It parses nothing."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_never

from core.engine.status import status_now
from core.model.status import Status
from core.ports import Child, Children, Clock, Ledger, Lock, Source, Waiting, Watcher
from core.rules.residing import Situation, Sleep, StartBeat, StartPlan, next_step, rest_after

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
    waiting: Waiting
    say: Callable[[str], None]
    child_command: Callable[[Sequence[str]], Sequence[str]]  # `plan` or `beat` and its options -> a command line


class Resident:
    def __init__(self, surroundings: Surroundings, show: Callable[[Status], None] = lambda _: None) -> None:
        self.world = surroundings
        self.show = show
        self.extra: list[Source] = []  # a tray's connection, signals
        self.started = surroundings.clock.now()
        self.child: Child | None = None
        self.child_kind = ""
        self.beat_before = 0  # the newest beat when the child started
        self.plan_wanted = True
        self.failures = 0
        self.rest_until: datetime | None = None
        self.ending = False

    # -- what others ask for ------------------------------------------------------------------------------------

    def run_now(self) -> None:
        self.world.ledger.request_run((), self.world.clock.now())

    def end(self) -> None:
        self.ending = True

    # -- the loop -----------------------------------------------------------------------------------------------

    def run(self) -> None:
        """Until told to end. Every round: do the next step, show how things stand, wait for something to happen."""
        while not self.ending:
            until = self._step()
            self.show(self.status())
            self._wait(until)
        self._end_child()

    def status(self) -> Status:
        return status_now(
            self.world.root, self.world.ledger, self.world.beat_lock, self.world.clock.now(), resident=True
        )

    def _step(self) -> datetime | None:
        """Do what is to be done now; returns until when to wait."""
        while True:
            now = self.world.clock.now()
            match next_step(self._situation(), now):
                case Sleep(until):
                    return until
                case StartPlan():
                    self.plan_wanted = False
                    self._start("plan", [])
                case StartBeat(reason, items):
                    self.world.ledger.take_run_request()
                    self._start("beat", ["--reason", reason, *items])
                case other:
                    assert_never(other)

    def _situation(self) -> Situation:
        ledger = self.world.ledger
        return Situation(
            child_at_work=self.child is not None,
            plan_wanted=self.plan_wanted,
            note=ledger.plan(),
            pause=ledger.paused(),
            request=ledger.run_requested(),
            rest_until=self.rest_until,
        )

    def _wait(self, until: datetime | None) -> None:
        sources: list[Source] = [self.world.watcher, *self.extra]
        if self.child:
            sources.append(self.child)
        clock_was_set = self.world.waiting.wait(sources, until)
        if self.world.watcher.take_change() or clock_was_set:
            self.plan_wanted = True
        self._reap()

    # -- children -----------------------------------------------------------------------------------------------

    def _start(self, kind: str, options: list[str]) -> None:
        beats = self.world.ledger.recent_beats(1)
        self.beat_before = beats[0].number if beats else 0
        arguments = [kind, str(self.world.root), "--resident-start", self.started.isoformat(), *options]
        self.child = self.world.children.start(self.world.child_command(arguments))
        self.child_kind = kind

    def _reap(self) -> None:
        code = self.child.poll() if self.child else None
        if self.child is None or code is None:
            return
        self.child.close()
        self.child = None
        now = self.world.clock.now()
        if code == BUSY:
            self.plan_wanted = True
            self.rest_until = now + BUSY_REST
        elif code not in FINE or self._got_nowhere(now):
            self._failed(code, now)
        else:
            self._succeeded()

    def _got_nowhere(self, now: datetime) -> bool:
        """A beat that opened no beat although something is still due would be started again and again."""
        if self.child_kind != "beat":
            return False
        note = self.world.ledger.plan()
        beats = self.world.ledger.recent_beats(1)
        opened = bool(beats) and beats[0].number > self.beat_before
        return not opened and note is not None and note.next_wake is not None and note.next_wake <= now

    def _failed(self, code: int, now: datetime) -> None:
        self.failures += 1
        self.plan_wanted = True
        self.rest_until = now + rest_after(self.failures)
        words = f"The {self.child_kind} ended unexpectedly ({code}); it is tried again, with longer and longer pauses."
        if self.world.ledger.tell("child", "crash", now):
            self.world.say(words)

    def _succeeded(self) -> None:
        self.failures, self.rest_until = 0, None
        if self.world.ledger.is_over("child"):
            self.world.say("Beats work again.")

    def _end_child(self) -> None:
        """Tell a running child to end, give it a while, then end it; and let a plan record what was interrupted."""
        if self.child is None:
            return
        self.child.ask_to_end()
        limit = self.world.clock.now() + GRACE
        while self.child.poll() is None and self.world.clock.now() < limit:
            self.world.waiting.wait([self.child], limit)
        if self.child.poll() is None:
            self.child.kill()
