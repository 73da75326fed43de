"""Runs the actions of a beat, each committed to the ledger before its effect and after it."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime
from itertools import groupby

from core.engine.action_types import DESKTOP, URGENCIES, Done, channel_of, do, notice_of, urgency_of
from core.engine.approving import StartCheck
from core.engine.planning import occurrence_of
from core.engine.reports import report_of
from core.engine.tasks import run_tasks
from core.engine.variables import Variables
from core.engine.world import World
from core.engine.write_back import RunningMark
from core.model.diagnostic import Problem
from core.model.document import Action, ActionType, Priority
from core.model.errors import HeartbeatError
from core.model.item import Kind, item_key
from core.model.occurrence import Occurrence, Outcome
from core.model.plan import Plan, Planned
from core.model.report import ItemReport, Notice
from core.model.workspace import Workspace
from core.rules.conditions import Circumstances, asks_for_failures, holds
from core.rules.ordering import STILL_RUNNING, UNDECIDED, Skipped, Waits, may_start, run_order, stop_reason
from core.rules.planning import retry_after

FAILURES = (Outcome.FAILED, Outcome.INTERRUPTED)

Progress = Callable[[str, ItemReport | None], None]


def run_actions(
    world: World, workspace: Workspace, plan: Plan, beat: int, mark: RunningMark, progress: Progress
) -> tuple[list[Occurrence], str]:
    """What became of every action and `run:` task that was to run, and the CRITICAL action that stopped the beat."""
    actions = _Actions(world, workspace, plan, beat, mark, progress)
    return actions.run(), actions.stopped_by


@dataclass
class _Actions:
    world: World
    workspace: Workspace
    plan: Plan
    beat: int
    mark: RunningMark
    progress: Progress
    done: list[Occurrence] = field(default_factory=list)
    outcomes: dict[str, Outcome] = field(default_factory=dict)
    results: dict[str, str] = field(default_factory=dict)
    pending: set[str] = field(default_factory=set)  # failed with attempts left, or running in the background
    stopped_by: str = ""  # the CRITICAL action that failed

    def __post_init__(self) -> None:
        self.known = {action.id: action for action in reversed(self.workspace.document.actions)}
        self.planned = {item.id: item for item in self.plan.runs if item.kind is Kind.ACTION}
        self.variables = Variables(self.plan.now, self.plan.next_wake, self.world.secret)
        self.variables.outcomes = self.outcomes
        self.approved = StartCheck(self.world, self.workspace)
        memory = self.world.ledger.items()
        self.memory = {name: memory[key] for name in self.known if (key := item_key(Kind.ACTION, name)) in memory}

    def run(self) -> list[Occurrence]:
        actions = self.workspace.document.actions
        due = run_order([one for one in actions if one.id in self.planned and self.known[one.id] is one])
        for action in due:
            if action.priority is Priority.BG:
                self._start_in_background(action)
        messages = [action for action in due if self._leaves_the_machine(action)]
        for action in due:
            if action.priority is not Priority.BG and action not in messages:
                self._consider(action)
        self._send_messages([action for action in messages if self._may_run(action)])
        tasks = run_tasks(
            self.world, self.workspace, self.plan, self.beat, self.progress, self.variables, self.stopped_by
        )
        return [*self.done, *tasks]

    # -- one action ---------------------------------------------------------------------------------------------

    def _consider(self, action: Action) -> None:
        """Run it, unless something is in the way; what is in the way is recorded."""
        if not self._may_run(action):
            return
        started = self._begin(action)
        if started is None:
            return
        self.progress(action.id, None)
        with self.mark.executing(action.id):
            try:
                done = do(self.world, action, self.beat, self.plan.now, self.variables.look_up)
            except HeartbeatError as error:  # a secret that the keyring does not give
                done = Done(Outcome.FAILED, error=error.message)
        self._end(action, started, done)

    def _may_run(self, action: Action) -> bool:
        item = self.planned[action.id]
        if self.world.cancelled.is_set():
            return False
        if self.stopped_by and not (action.type is ActionType.NOTIFY and asks_for_failures(action.condition)):
            return self._hold(item, stop_reason(self.stopped_by))
        if action.priority is Priority.LOW and self._elapsed() > self.world.settings.beat_budget.total_seconds():
            return self._hold(item, "the beat's time is used up")
        match may_start(action, self.outcomes, self.memory, self.known, self.pending):
            case Skipped(reason):
                return self._skip(item, reason)
            case Waits(reason):
                return self._hold(item, reason)
        true = holds(action.condition, self._circumstances()) if action.condition else True
        if isinstance(true, Problem):
            return self._hold(item, f"{UNDECIDED}{true.message}", Outcome.NEEDS_CLARIFICATION)
        if not true:
            return self._skip(item, f"its condition is not true: {action.condition}")
        why = self.approved.reason_to_wait(item.key)
        return self._hold(item, why, Outcome.NEEDS_APPROVAL) if why else True

    def _begin(self, action: Action) -> Occurrence | None:
        """Claim it and record its start, in one commit; None where somebody has taken this slot before."""
        with self.world.ledger.together():
            claimed = self._claim(self.planned[action.id])
            return self.world.ledger.start(claimed, self._now()) if claimed else None

    def _claim(self, item: Planned) -> Occurrence | None:
        """Take the slot; one that a clock far ahead has used, and that lies before us again, gives way to now."""
        assert item.slot
        ledger, now = self.world.ledger, self.plan.now
        claimed = ledger.claim(occurrence_of(item, item.slot, self.beat), now)
        last_slot = ledger.items()[item.key].last_slot if claimed is None else None
        if last_slot is None or last_slot >= item.slot:
            return claimed
        return ledger.claim(occurrence_of(item, now, self.beat), now)

    def _end(self, action: Action, started: Occurrence, done: Done) -> None:
        now = self._now()
        may_retry = done.outcome in FAILURES and started.attempts < action.retry
        finished = self.world.ledger.finish(
            started,
            done.outcome,
            now,
            result=self.variables.as_record(done.result),
            error=self.variables.as_record(done.error),
            retry_at=now + retry_after(action, started.attempts) if may_retry else None,
        )
        self._note(action, finished)
        if may_retry:
            self.pending.add(action.id)
        self.progress(action.id, report_of(finished))
        if action.priority is Priority.CRITICAL and done.outcome in FAILURES:
            self.stopped_by = action.id

    def _note(self, action: Action, ended: Occurrence) -> None:
        assert ended.outcome
        self.done.append(ended)
        self.outcomes[action.id] = ended.outcome
        self.results[action.id] = ended.result
        self.variables.last_error = ended.error or self.variables.last_error

    # -- what is not run ----------------------------------------------------------------------------------------

    def _hold(self, item: Planned, reason: str, outcome: Outcome = Outcome.WAITING) -> bool:
        assert item.slot
        held = self.world.ledger.wait(occurrence_of(item, item.slot, self.beat), outcome, reason, self.plan.now)
        self.done.append(held)
        self.outcomes[item.id] = outcome
        return False

    def _skip(self, item: Planned, reason: str) -> bool:
        assert item.slot
        skipped = self.world.ledger.skip(occurrence_of(item, item.slot, self.beat), reason, self.plan.now)
        self._note(self.known[item.id], skipped)
        return False

    # -- messages and background --------------------------------------------------------------------------------

    @staticmethod
    def _leaves_the_machine(action: Action) -> bool:
        return action.type is ActionType.NOTIFY and channel_of(action) != DESKTOP

    def _send_messages(self, actions: list[Action]) -> None:
        """One message a channel and beat: what several actions have to say goes together."""
        for channel, group in groupby(sorted(actions, key=channel_of), key=channel_of):
            started: list[tuple[Action, Occurrence]] = []
            notices: list[Notice] = []
            for action in group:
                begun = self._begin(action)
                if begun is None:
                    continue
                try:
                    notices.append(notice_of(action, self.variables.look_up))
                except HeartbeatError as error:  # a secret that the keyring does not give
                    self._end(action, begun, Done(Outcome.FAILED, error=error.message))
                else:
                    started.append((action, begun))
            if not notices:
                continue
            text = "\n".join(one.message if len(notices) == 1 else f"{one.title}: {one.message}" for one in notices)
            urgency = max((urgency_of(action) for action, _ in started), key=URGENCIES.index)
            problem = self.world.messenger.send(channel, Notice("action", notices[0].title, text), urgency)
            done = Done(Outcome.FAILED, error=problem) if problem else Done(Outcome.COMPLETED, "OK")
            for action, begun in started:
                self._end(action, begun, done)

    def _start_in_background(self, action: Action) -> None:
        """Start it beside the beat; its own process records how it ends, and a later beat writes that into the file."""
        item = self.planned[action.id]
        if any(one.item == item.key for one in self.world.ledger.unfinished()):  # recovery ended all that is over
            self._hold(item, STILL_RUNNING)
        elif self._may_run(action) and (started := self._begin(action)):
            self.world.background.start(started)
            self.pending.add(action.id)
            self.progress(action.id, None)

    # -- circumstances ------------------------------------------------------------------------------------------

    def _circumstances(self) -> Circumstances:
        return Circumstances(
            now=self.plan.now,
            outcomes=self.outcomes,
            priorities={name: action.priority for name, action in self.known.items()},
            results=self.results,
            file_exists=lambda name: self.world.files.exists(self.world.root, name),
            last={name: known.last_outcome for name, known in self.memory.items() if known.last_outcome},
        )

    def _now(self) -> datetime:
        return self.world.local(self.world.clock.now(), self.workspace)

    def _elapsed(self) -> float:
        return (self.world.clock.now() - self.plan.now).total_seconds()
