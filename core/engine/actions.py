"""Runs the actions of a beat, each committed to the ledger before its effect and after it."""

from datetime import datetime
from itertools import groupby
from typing import assert_never

from core.actions import run_action
from core.actions.runnable import Call, Done, after_sending, raised
from core.engine.announce import AtOnce
from core.engine.approve import StartCheck
from core.engine.history import report_of
from core.engine.local_time import local_now
from core.engine.plan import occurrence_of
from core.engine.running import showing_lines
from core.engine.variables import Variables
from core.engine.write_back import RunningMark
from core.model.action_type import MessageParts
from core.model.cause import Cause
from core.model.diagnostic import Problem
from core.model.document import Action, Priority
from core.model.errors import HeartbeatError
from core.model.item import ItemKind, item_key
from core.model.occurrence import FAILURES, Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.report import Notice, NoticeKind, TellProgress
from core.model.settings import DESKTOP
from core.model.waiting import Wait, WaitReason
from core.model.workspace import Workspace
from core.ports.world import World
from core.rules.planning.attempts import retry_after
from core.rules.planning.conditions import Circumstances, asks_for_failures, holds
from core.rules.planning.order import Ready, Skipped, Waits, may_start, run_order


def run_actions(
    world: World,
    workspace: Workspace,
    plan: Plan,
    beat: int,
    mark: RunningMark,
    progress: TellProgress,
    at_once: AtOnce,
) -> tuple[list[Occurrence], str | None]:
    """Run every planned action and `run:` task. Return how they ended, and the id of the CRITICAL
    action that stopped the beat, if one did."""
    actions = _Actions(world, workspace, plan, beat, mark, progress, at_once)
    return actions.run(), actions.stopped_by


class _Actions:
    def __init__(
        self,
        world: World,
        workspace: Workspace,
        plan: Plan,
        beat: int,
        mark: RunningMark,
        progress: TellProgress,
        at_once: AtOnce,
    ) -> None:
        self.world = world
        self.workspace = workspace
        self.plan = plan
        self.beat = beat
        self.mark = mark
        self.progress = progress
        self.at_once = at_once  # announces what failed

        self.done: list[Occurrence] = []
        self.outcomes: dict[str, Outcome] = {}
        self.results: dict[str, str] = {}
        self.pending: set[str] = set()  # failed with attempts left, or running in the background
        self.stopped_by: str | None = None  # the id of the CRITICAL action that failed

        self.known = {action.id: action for action in reversed(workspace.document.actions)}
        self.planned = {item.id: item for item in plan.runs if item.kind is ItemKind.ACTION}
        self.variables = Variables(plan.now, plan.next_wake, world.secret)
        self.variables.outcomes = self.outcomes
        self.approved = StartCheck(world, workspace)
        past = world.ledger.items.all()
        self.past = {
            name: past[key]
            for name in self.known
            if (key := item_key(ItemKind.ACTION, name)) in past
        }

    def run(self) -> list[Occurrence]:
        actions = self.workspace.document.actions
        due = run_order(
            [one for one in actions if one.id in self.planned and self.known[one.id] is one]
        )
        for action in due:
            if action.priority is Priority.BG:
                self._start_in_background(action)

        messages = [action for action in due if _channel_beyond_the_desktop(action)]
        for action in due:
            if action.priority is not Priority.BG and action not in messages:
                self._consider(action)

        self._send_messages([action for action in messages if self._may_run(action)])
        return [*self.done, *self._run_tasks()]

    def _run_tasks(self) -> list[Occurrence]:
        if all(item.kind is not ItemKind.TASK for item in self.plan.runs):
            return []

        from core.engine.tasks import run_tasks  # imported here: it brings all that verifies

        return run_tasks(
            self.world,
            self.workspace,
            self.plan,
            self.beat,
            self.progress,
            self.variables,
            self.at_once,
            self.stopped_by,
        )

    # -- one action --------------------------------------------------------------------------------

    def _consider(self, action: Action) -> None:
        """Run it, unless something keeps it from running; that is recorded."""
        if not self._may_run(action):
            return

        started = self._begin(action)
        if started is None:
            return

        self.progress(action.id, None)
        with (
            self.mark.executing(action.id),
            showing_lines(self.world, started.item, self.variables) as show,
        ):
            try:
                call = Call(action, self.beat, self.plan.now, self.variables.look_up, show)
                done = run_action(self.world, call)
            except HeartbeatError as error:
                done = raised(error)

        self._end(action, started, done)

    def _may_run(self, action: Action) -> bool:
        item = self.planned[action.id]
        if self.world.cancelled.is_set():
            return False
        if self.stopped_by is not None and not _reports_failures(action):
            return self._hold(item, Wait(WaitReason.STOPPED_BY, (self.stopped_by,)))

        if (
            action.priority is Priority.LOW
            and self._elapsed() > self.world.settings.beat_budget.total_seconds()
        ):
            return self._hold(item, Wait(WaitReason.TIME_USED_UP))

        match may_start(action, self.outcomes, self.past, self.known, self.pending):
            case Skipped(reason, cause):
                return self._skip(item, reason, cause)
            case Waits(wait):
                return self._hold(item, wait)
            case Ready():
                return self._conditions_hold(action, item)
            case never:
                assert_never(never)

    def _conditions_hold(self, action: Action, item: Planned) -> bool:
        """Whether its condition is true and it is approved; if not, what it waits for is kept."""
        true = holds(action.condition, self._circumstances()) if action.condition else True
        if isinstance(true, Problem):
            undecided = Wait(WaitReason.UNDECIDED, (true.message, action.condition or ""))
            return self._hold(item, undecided, Outcome.NEEDS_CLARIFICATION)
        if not true:
            reason = f"its condition is not true: {action.condition}"
            return self._skip(item, reason, ("condition", action.condition or ""))

        unapproved = self.approved.reason_to_wait(item.key)
        return self._hold(item, unapproved, Outcome.NEEDS_APPROVAL) if unapproved else True

    def _begin(self, action: Action) -> Occurrence | None:
        """Claim it and record its start, in one commit; None if its slot was taken before."""
        with self.world.ledger.together():
            claimed = self._claim(self.planned[action.id])
            return self.world.ledger.occurrences.start(claimed, self._now()) if claimed else None

    def _claim(self, item: Planned) -> Occurrence | None:
        """Take the slot, or now if a clock that was far ahead has already used the slot."""
        assert item.slot
        ledger = self.world.ledger
        now = self.plan.now
        claimed = ledger.occurrences.claim(occurrence_of(item, item.slot, self.beat), now)
        last_slot = self.past[item.id].last_slot if claimed is None else None
        if last_slot is None or last_slot >= item.slot:
            return claimed

        return ledger.occurrences.claim(occurrence_of(item, now, self.beat), now)

    def _end(self, action: Action, started: Occurrence, done: Done) -> None:
        now = self._now()
        may_retry = done.outcome in FAILURES and started.attempts < action.retry
        finished = self.world.ledger.occurrences.finish(
            started,
            done.outcome,
            now,
            result=self.variables.as_record(done.result),
            error=self.variables.as_record(done.error),
            cause=self.variables.as_records(done.cause),
            retry_at=now + retry_after(action, started.attempts) if may_retry else None,
        )

        self._note(action, finished)
        if may_retry:
            self.pending.add(action.id)

        report = report_of(finished)
        self.progress(action.id, report)
        if done.outcome is Outcome.FAILED:
            self.at_once(report, now)

        if action.priority is Priority.CRITICAL and done.outcome in FAILURES:
            self.stopped_by = action.id

    def _note(self, action: Action, ended: Occurrence) -> None:
        assert ended.outcome
        self.done.append(ended)
        self.outcomes[action.id] = ended.outcome
        self.results[action.id] = ended.result
        self.variables.last_error = ended.error or self.variables.last_error

    # -- what is not run ---------------------------------------------------------------------------

    def _hold(self, item: Planned, wait: Wait, outcome: Outcome = Outcome.WAITING) -> bool:
        assert item.slot
        held = self.world.ledger.occurrences.wait(
            occurrence_of(item, item.slot, self.beat), outcome, wait, self.plan.now
        )
        self.done.append(held)
        self.outcomes[item.id] = outcome

        return False

    def _skip(self, item: Planned, reason: str, cause: Cause) -> bool:
        assert item.slot
        skipped = self.world.ledger.occurrences.skip(
            occurrence_of(item, item.slot, self.beat), reason, cause, self.plan.now
        )
        self._note(self.known[item.id], skipped)

        return False

    # -- messages and background -------------------------------------------------------------------

    def _send_messages(self, actions: list[Action]) -> None:
        """Send one message per channel and beat: what several actions say goes together."""
        in_order = sorted(actions, key=_channel_beyond_the_desktop)
        for channel, group in groupby(in_order, key=_channel_beyond_the_desktop):
            started: list[tuple[Action, Occurrence]] = []
            notices: list[Notice] = []
            for action in group:
                begun = self._begin(action)
                if begun is None:
                    continue

                try:
                    message = _message(action)
                    notices.append(
                        message.notice(action.name, action.params, self.variables.look_up)
                    )
                except HeartbeatError as error:
                    self._end(action, begun, raised(error))
                else:
                    started.append((action, begun))

            if not notices:
                continue

            text = "\n".join(
                one.message if len(notices) == 1 else f"{one.title}: {one.message}"
                for one in notices
            )

            urgencies = [_message(action).urgency(action.params) for action, _ in started]
            urgency = max(urgencies, key=lambda one: one.level)
            problem = self.world.messenger.send(
                channel, Notice(NoticeKind.ACTION, notices[0].title, text), urgency
            )
            done = after_sending(problem)
            for action, begun in started:
                self._end(action, begun, done)

    def _start_in_background(self, action: Action) -> None:
        """Start it in a process of its own, which records how it ends; a later beat writes that
        into the file."""
        item = self.planned[action.id]
        # Recovery has closed every run that is over, so what is unfinished is still running.
        unfinished = self.world.ledger.occurrences.unfinished()
        if any(one.item == item.key for one in unfinished):
            self._hold(item, Wait(WaitReason.STILL_RUNNING))
        elif self._may_run(action) and (started := self._begin(action)):
            self.world.background.start(started)
            self.pending.add(action.id)
            self.progress(action.id, None)

    # -- circumstances -----------------------------------------------------------------------------

    def _circumstances(self) -> Circumstances:
        return Circumstances(
            now=self.plan.now,
            outcomes=self.outcomes,
            priorities={name: action.priority for name, action in self.known.items()},
            results=self.results,
            file_exists=lambda name: self.world.files.exists(self.world.root, name),
            last={
                name: known.last_outcome for name, known in self.past.items() if known.last_outcome
            },
        )

    def _now(self) -> datetime:
        return local_now(self.world, self.workspace)

    def _elapsed(self) -> float:
        return (self.world.clock.now() - self.plan.now).total_seconds()


def _sends(action: Action) -> bool:
    return action.type is not None and action.type.message is not None


def _reports_failures(action: Action) -> bool:
    """Whether it sends a message if others fail: it may run in a beat that was stopped."""
    return _sends(action) and asks_for_failures(action.condition)


def _message(action: Action) -> MessageParts:
    """Of an action that sends one."""
    assert action.type
    assert action.type.message

    return action.type.message


def _channel_beyond_the_desktop(action: Action) -> str:
    """The channel that takes its message out of the machine; empty if there is none."""
    channel = _message(action).channel(action.params) if _sends(action) else DESKTOP
    return "" if channel == DESKTOP else channel
