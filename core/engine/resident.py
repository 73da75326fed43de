"""The always-on loop: sleeps until the next slot, starts a child, shows what the ledger says.

Law: it parses nothing and imports next to nothing. Plans and beats run in child processes; it
learns how they went from the ledger and from their exit codes.
"""

from collections.abc import Callable, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_never

from core.engine.running import running_now
from core.engine.status import status_now
from core.model.announcements import Message
from core.model.cause import Cause
from core.model.errors import HeartbeatError
from core.model.ledger import Pause, RunRequest
from core.model.light_dataclass import light_dataclass, replace
from core.model.occurrence import BeatReason
from core.model.report import Notice, NoticeKind
from core.model.status import Need, Status, WorkspaceState
from core.model.trouble import TroubleKey, TroubleKind
from core.ports.processes import Child
from core.ports.waiting import Source
from core.ports.world import ResidentWorld
from core.rules.residing.child_ends import FINE, ChildEnd, ChildKind, end_of
from core.rules.residing.next_step import (
    Situation,
    Sleep,
    StartBeat,
    StartPlan,
    is_paused,
    next_step,
    noted_zone,
    rest_after,
)
from core.rules.residing.rests import Rests, later

GRACE = timedelta(seconds=10)  # for a child that was asked to end
# A beat in a terminal wakes us when it ends; this is for one that could not.
BUSY_REST = timedelta(seconds=30)
REST_AFTER_CANCEL = timedelta(minutes=10)
NOTE_COUNTS = timedelta(minutes=1)  # an older note of a cancel was for an earlier resident
CHECK_AGAIN = timedelta(seconds=30)  # where the system may not report changes of files

OTHER_OWNER = TroubleKey(TroubleKind.OWNER)
AWAY = TroubleKey(TroubleKind.AWAY)
NO_BEATS = TroubleKey(TroubleKind.CHILD)

AWAY_TITLE = "The workspace's folder is gone"
SWITCHED_OFF = (
    "Switched off in the settings (enabled = false): nothing starts on its own; heartbeat run "
    "still works."
)
SWITCHED_ON = "Switched on again."


@light_dataclass(frozen=True, slots=True)
class RunningChild:
    """A plan or a beat that is at work in a process of its own."""

    process: Child
    kind: ChildKind
    request: RunRequest | None  # why it was started; requested again if another beat is running
    beat_before: int  # the number of the newest beat when it started
    is_cancelled: bool = False  # the person wants it to end

    @property
    def is_beat(self) -> bool:
        return self.kind is ChildKind.BEAT


class Resident:
    def __init__(self, world: ResidentWorld, say: Callable[[str], None]) -> None:
        self.world = world
        self.say = say
        self.show: Callable[[Status], None] = lambda _: None
        self.notify: Callable[[Message], None] = lambda _: None
        # A tray's connection and the signals are added.
        self.sources: list[Source] = [world.changed]
        self.started = self.now()
        self.child: RunningChild | None = None
        # Beats whose batch is with the model: other beats may start meanwhile.
        self.batches: list[Child] = []
        self.cancelled_batches: frozenset[int] = frozenset()  # their process numbers
        # Programs that the person asked for, such as an editor; nothing waits for their end.
        self.helpers: list[Child] = []
        self.plan_wanted = True
        self.has_planned = False  # a plan was started since the start of this process
        self.failures = 0  # children in a row that failed
        self.rests = Rests()
        self.was_paused = False
        # Rounds in a row in which the ledger or the owner's file could not be used.
        self.failed_rounds = 0
        self.last_said = ""  # about those rounds
        self.is_watched = True  # the system reports changes of files
        # The name of another machine that has taken the workspace over.
        self.run_by: str | None = None
        self.is_enabled = True
        self.is_away = False  # the workspace's folder is not there
        self.ending = False

    def run(self) -> None:
        """Run until `end` is called. Every round: see what ended, do the next step, wait for
        something to happen."""
        try:
            self._start_watching()
            while not self.ending:
                self._wait(self._round())
        finally:
            self._end_children()
            self.world.watcher.stop()

    def end(self) -> None:
        self.ending = True

    def wake(self) -> None:
        """Stop resting: another process has changed the ledger, or ended a beat in a terminal."""
        self.rests = replace(self.rests, after_failure=None, for_other_beat=None)

    def _start_watching(self) -> None:
        with suppress(HeartbeatError):  # the first round reports it
            self._follow()

        try:
            self.world.watcher.start()
        except HeartbeatError as error:
            self.is_watched = False
            self.say(f"{error.message}\n  {error.hint}")

    def _follow(self) -> None:
        """Watch the file that the last plan read, and the scripts that its commands name:
        neither is read here."""
        note = self.world.ledger.plan.note()
        self._notice_switch(note is None or note.is_enabled)
        if note is None:
            return

        file = Path(note.file) if note.file else None
        if file and file.is_relative_to(self.world.root):
            self.world.watcher.follow(file.relative_to(self.world.root))

        for name in note.scripts:
            self.world.watcher.follow(Path(name))

    def _notice_switch(self, is_enabled: bool) -> None:
        if is_enabled != self.is_enabled:
            self.is_enabled = is_enabled
            self.say(SWITCHED_ON if is_enabled else SWITCHED_OFF)

    def _round(self) -> datetime | None:
        """Return until when to wait. A ledger that cannot be used ends one round, not the
        resident."""
        try:
            self.reap()
            until = self.step()
            self.show(self.status())

            for message in self.world.ledger.announcements.take_messages():
                self.announce(message)
        except HeartbeatError as error:
            self.failed_rounds += 1
            self._say_once(
                f"{error.message} {error.hint} Heartbeat keeps trying, with longer and longer "
                "pauses."
            )
            return self.world.clock.now() + rest_after(self.failed_rounds)

        if self.failed_rounds:
            self.failed_rounds = 0
            self._say_once("It works again.")

        return until

    def _say_once(self, words: str) -> None:
        if words != self.last_said:
            self.last_said = words
            self.say(words)

    def announce(self, message: Message) -> None:
        """Say it in the log, and on the desktop where there is one."""
        self.say(f"{message.notice.title.rstrip('.')}: {message.notice.message}")
        self.notify(message)

    def run_now(self, items: Sequence[str] = ()) -> None:
        """The person wants a beat; it starts in the next round."""
        self.world.ledger.requests.request_run(items, self.now())

    def cancel(self) -> None:
        """End our own beats, also one that has no lock yet. Those of terminals, and what does not
        answer, are ended by core/usecases/cancelling.py."""
        self.note_cancel()
        own = list(self.batches)
        if self.child and self.child.is_beat:
            own.insert(0, self.child.process)

        for process in own:
            process.ask_to_end()

    def note_cancel(self) -> None:
        """The person ends the beats that are running. What they left undone does not start again
        at once: the person would have to cancel that too."""
        self.cancelled_batches = frozenset(process.pid for process in self.batches)
        if self.child:
            self.child = replace(self.child, is_cancelled=True)

        self.rests = replace(self.rests, after_cancel=self.now() + REST_AFTER_CANCEL)

    def start_helper(self, arguments: Sequence[str]) -> None:
        """Start a program that the person asked for and that may take its time."""
        self.helpers.append(
            self.world.children.start(arguments, self.world.environment, self.world.child_log)
        )

    def status(self) -> Status:
        world = self.world
        status = status_now(world.root, world.ledger, running_now(world), self.now(), resident=True)

        next_beat = None
        if status.next_beat and self.run_by is None:
            next_beat = later(status.next_beat, self.rests.until)

        # Our own beat takes the lock a moment after its start, and nothing wakes us then.
        is_beating = bool(self.batches) or (self.child is not None and self.child.is_beat)

        state = WorkspaceState.RUNNING if is_beating else status.state
        if self.is_away and not is_beating:
            state = WorkspaceState.ATTENTION
            next_beat = None

        return replace(
            status,
            state=state,
            next_beat=next_beat,
            needs=(Need(AWAY, AWAY_TITLE), *status.needs) if self.is_away else status.needs,
            starts_at_login=world.starts_at_login(),
            run_by=self.run_by,
        )

    def step(self) -> datetime | None:
        """Start what is to be started now; return until when to wait."""
        while True:
            match next_step(self._situation(), self.now()):
                case Sleep(until):
                    return until
                case StartPlan():
                    self._start_plan()
                case StartBeat(reason):
                    self._start_beat(reason)
                case other:
                    assert_never(other)

    def _situation(self) -> Situation:
        ledger = self.world.ledger
        pause = ledger.requests.paused()
        self._notice_end_of_pause(pause)
        self._notice_end_of_other_beat()
        self._notice_batch()
        self._notice_absence()

        request = ledger.requests.run_requested()
        rest_until = self.rests.until
        if self.rests.is_for_other_beat(self.now()):
            request = None  # it would only find the other beat again
            rest_until = self.rests.for_other_beat

        return Situation(
            child_at_work=self.child is not None,
            plan_wanted=self.plan_wanted,
            note=ledger.plan.note(),
            pause=pause,
            request=request,
            rest_until=rest_until,
            # Without the folder it is not known who runs it.
            is_elsewhere=not self.is_away and self._is_elsewhere(),
            is_away=self.is_away,
        )

    def _notice_end_of_pause(self, pause: Pause | None) -> None:
        """Plan when a pause ends: the note of a beat by hand says nothing about `startup`."""
        paused = pause is not None and is_paused(pause, self.now())
        if self.was_paused and not paused:
            self.plan_wanted = True

        self.was_paused = paused

    def _notice_end_of_other_beat(self) -> None:
        """Stop resting for a beat in a terminal that has ended."""
        if self.rests.for_other_beat and self.world.lock.holder() is None:
            self.rests = replace(self.rests, for_other_beat=None)

    def _notice_batch(self) -> None:
        """Let the next beat start once this one has given its lock up for the model's."""
        child = self.child
        if child is None or not child.is_beat:
            return

        with_model = self.world.model_lock.holder()
        with_workspace = self.world.lock.holder()
        has_model = with_model is not None and with_model.pid == child.process.pid
        has_workspace = with_workspace is not None and with_workspace.pid == child.process.pid
        if has_model and not has_workspace:
            self.batches.append(child.process)
            self.child = None
            self._went_well()

    def _notice_absence(self) -> None:
        """See whether the workspace's folder is there. Asked before every start: without it
        nothing is run, recorded or written."""
        was_away = self.is_away
        self.is_away = self.world.is_away()
        if self.is_away != was_away:
            self.plan_wanted = True
            self.rests = replace(self.rests, after_failure=None)
            self.world.watcher.check()  # it watches for the return, or the folder itself again

        announcements = self.world.ledger.announcements
        if self.is_away:
            if announcements.announce(AWAY, (), self.now()):
                self._tell(Notice(NoticeKind.PROBLEM, AWAY_TITLE, self._words_of_absence()))
            elif not was_away:  # told before this process was started: only the log says it again
                self.say(f"{AWAY_TITLE}: {self._words_of_absence()}")

            self._refuse_request()
        elif announcements.settle(AWAY):
            words = f"{self.world.root} is there again; Heartbeat goes on."
            self._tell(Notice(NoticeKind.OVER, "The workspace's folder is back", words))

    def _refuse_request(self) -> None:
        """Answer a person who asks for a beat while there is nothing to run it in."""
        request = self.world.ledger.requests.run_requested()
        if request and not request.by_agent:
            self.world.ledger.requests.take_run_request()
            self._tell(Notice(NoticeKind.PROBLEM, "Nothing was run", self._words_of_absence()))

    def _words_of_absence(self) -> str:
        return (
            f"{self.world.root} is not there, is empty or cannot be entered. Nothing runs until it "
            "is back; Heartbeat notices by itself."
        )

    def _tell(self, notice: Notice) -> None:
        self.say(f"{notice.title}: {notice.message}")
        self.notify(Message(notice, trouble=AWAY))

    def _is_elsewhere(self) -> bool:
        """Whether the workspace's folder, which may be synced, says that another machine runs it
        now. Asked before every start."""
        owner = self.world.owner_file.read()
        if owner is None or owner.machine.id == self.world.machine_id:
            if self.world.ledger.announcements.settle(OTHER_OWNER):
                self.say("This machine runs the workspace again.")

            self.run_by = None
            return False

        self.run_by = owner.machine.name
        if self.world.ledger.announcements.announce(OTHER_OWNER, (owner.machine.name,), self.now()):
            self.say(
                f"{owner.machine.name} has taken this workspace over; nothing starts here any more."
            )

        return True

    def _wait(self, until: datetime | None) -> None:
        ends: list[Source] = [_End(process) for process in (*self.batches, *self.helpers)]
        if self.child:
            ends.insert(0, _End(self.child.process))

        must_check = self.is_away or not self.is_watched
        if must_check:
            again = self.now() + CHECK_AGAIN
            until = min(until, again) if until else again

        clock_was_set = self.world.waiting.wait([*self.sources, *ends], until)
        if clock_was_set or must_check:
            self.world.watcher.check()

        if self.world.changed.take() or clock_was_set:
            self.plan_wanted = True
            # The saved file may be the fix, and rests timed by the old clock mean nothing now.
            self.rests = replace(self.rests, after_failure=None, after_cancel=None)

    def now(self) -> datetime:
        clock = self.world.clock
        return clock.now().astimezone(clock.zone())

    def local_now(self) -> datetime:
        """The current time in the workspace's zone, for what a person reads."""
        return self.now().astimezone(
            noted_zone(self.world.ledger.plan.note(), self.world.clock.zone())
        )

    # -- children ----------------------------------------------------------------------------------

    def _start_plan(self) -> None:
        reason = BeatReason.FILE if self.has_planned else BeatReason.STARTUP
        self.plan_wanted = False
        self._start(ChildKind.PLAN, None, "--reason", reason)
        self.has_planned = True

    def _start_beat(self, reason: BeatReason) -> None:
        is_asked_for = reason in (BeatReason.PERSON, BeatReason.AGENT)
        request = self.world.ledger.requests.take_run_request() if is_asked_for else None
        items = request.items if request else ()
        self._start(ChildKind.BEAT, request, "--reason", reason, "--items", " ".join(items))

    def _start(self, kind: ChildKind, request: RunRequest | None, *options: str) -> None:
        beat_before = self._newest_beat()
        words = [kind, str(self.world.root), "--resident-start", self.started.isoformat(), *options]

        try:
            process = self.world.children.start(
                self.world.child_command(words), self.world.environment, self.world.child_log
            )
        except HeartbeatError as error:
            self._failed(error.message, (kind, *error.cause), self.now())
        else:
            self.child = RunningChild(process, kind, request, beat_before)

    def reap(self) -> None:
        """See which children have ended, and how."""
        cancelled = self.world.ledger.requests.take_cancel()
        if cancelled and self.now() - cancelled < NOTE_COUNTS:
            self.note_cancel()

        self._reap_helpers()
        self._reap_batches()
        child = self.child
        exit_code = child.process.poll() if child else None
        if child is None or exit_code is None:
            return

        child.process.close()
        self.child = None
        self._follow_up(child, exit_code)

    def _follow_up(self, child: RunningChild, exit_code: int) -> None:
        """Do what the end of a plan or a beat asks for."""
        if exit_code != FINE and self.world.is_away():
            self.plan_wanted = True  # when it is back: the child failed for want of its folder
            return

        now = self.now()
        end = end_of(
            child.kind,
            exit_code,
            is_cancelled=child.is_cancelled,
            left_work_undone=exit_code == FINE and self._got_nowhere(child, now),
        )
        match end:
            case ChildEnd.BUSY:
                self._found_another_beat(child, now)
            case ChildEnd.CANCELLED:
                self.plan_wanted = True
            case ChildEnd.CRASHED:
                message = f"The {child.kind} ended with exit code {exit_code}."
                cause = (child.kind, str(exit_code))
                is_asked = child.request is not None and not child.request.by_agent
                last_words = self._last_words(exit_code)
                self._failed(message, cause, now, last_words, is_asked=is_asked)
            case ChildEnd.GOT_NOWHERE:
                log = self.world.child_log
                message = f"A {child.kind} was due and could not start (see {log})."
                self._failed(message, (child.kind, end), now)
            case ChildEnd.WENT_WELL:
                self._went_well()
            case _:
                assert_never(end)

    def _found_another_beat(self, child: RunningChild, now: datetime) -> None:
        self.plan_wanted = True
        self.rests = replace(self.rests, for_other_beat=now + BUSY_REST)
        request = child.request
        if request:
            self.world.ledger.requests.request_run(
                request.items, request.since, by_agent=request.by_agent
            )

    def _reap_helpers(self) -> None:
        for helper in self.helpers[:]:
            exit_code = helper.poll()
            if exit_code is None:
                continue

            helper.close()
            self.helpers.remove(helper)
            # A helper announces its own failure; this is for one that could not even do that.
            if exit_code != FINE:
                words = (
                    f"The command from the menu ended with exit code {exit_code}. For details see "
                    f"{self.world.child_log}"
                )
                self.announce(Message(Notice(NoticeKind.PROBLEM, "That did not work", words)))

    def _reap_batches(self) -> None:
        for batch in self.batches[:]:
            exit_code = batch.poll()
            if exit_code is None:
                continue

            batch.close()
            self.batches.remove(batch)
            if exit_code != FINE and batch.pid not in self.cancelled_batches:
                message = f"The beat ended with exit code {exit_code} while a model worked."
                cause = ("batch", str(exit_code))
                self._failed(message, cause, self.now(), self._last_words(exit_code))

    def _last_words(self, exit_code: int) -> str:
        """The last line that the child printed; empty if a signal ended it."""
        return self.world.last_log_line() if exit_code > 0 else ""

    def _newest_beat(self) -> int:
        beats = self.world.ledger.beats.recent(1)
        return beats[0].number if beats else 0

    def _got_nowhere(self, child: RunningChild, now: datetime) -> bool:
        """Whether it did nothing although something is still due: without a rest it would be
        started again and again."""
        note = self.world.ledger.plan.note()
        if note is None:
            return True

        still_due = note.next_wake is not None and note.next_wake <= now
        did_nothing = self._newest_beat() == child.beat_before
        return child.is_beat and still_due and did_nothing

    def _failed(
        self,
        message: str,
        cause: Cause,
        now: datetime,
        last_log_line: str = "",
        *,
        is_asked: bool = False,
    ) -> None:
        """`is_asked`: the person clicked for it and is answered, also if it is not news."""
        self.failures += 1
        self.plan_wanted = True
        self.rests = replace(self.rests, after_failure=now + rest_after(self.failures))
        is_news = self.world.ledger.announcements.announce(NO_BEATS, (*cause, last_log_line), now)
        if not is_news and not is_asked:
            return

        more = f"{last_log_line}\n  " if last_log_line else ""
        words = (
            f"{message} {more}Heartbeat keeps trying, with longer and longer pauses. For details "
            f"see {self.world.child_log}"
        )
        self.say(words)
        notice = Notice(NoticeKind.PROBLEM, "Heartbeat has a problem", words)
        self.notify(Message(notice, trouble=NO_BEATS))

    def _went_well(self) -> None:
        self.failures = 0
        self.rests = replace(self.rests, after_failure=None)
        self._follow()
        if self.world.ledger.announcements.settle(NO_BEATS):
            self.say("Beats work again.")

    def _end_children(self) -> None:
        """Ask running children to end and give them a while; then kill those that are left."""
        processes = list(self.batches)
        if self.child:
            processes.insert(0, self.child.process)

        for process in processes:
            process.ask_to_end()

        limit = self.now() + GRACE
        while self.now() < limit:
            running = [process for process in processes if process.poll() is None]
            if not running:
                break

            self.world.waiting.wait([_End(process) for process in running], limit)

        for process in processes:
            if process.poll() is None:
                process.kill()

            process.close()


class _End:
    """A source that becomes ready when a child ends; it only ends the wait."""

    def __init__(self, child: Child) -> None:
        self._child = child

    def fileno(self) -> int:
        return self._child.fileno()

    def wait_limit(self) -> float | None:
        return None

    def handle_ready(self) -> None:
        pass
