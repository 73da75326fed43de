"""One batch per beat: what is due for a model goes to it in one request, and what it claims is
checked.

Law: while the batch is with the model the beat holds the model's lock instead of the workspace's,
so that other beats can run. Every occurrence is committed as started before the request, and as
ended right after it.
"""

from collections.abc import Mapping
from datetime import datetime
from functools import cached_property

from core.engine.batch.content import batch_of
from core.engine.batch.done import BatchDone
from core.engine.batch.model import OTHER_BATCH, reviews_sent
from core.engine.history import report_of
from core.engine.local_time import local_now
from core.engine.plan import occurrence_of
from core.engine.verify import (
    Claimed,
    Measured,
    Verifier,
    changed_files,
    file_changes,
    with_judgements,
)
from core.model.agent import BatchEnding, BatchResult, Limits, ModelChoice, ModelUse, Usage
from core.model.document import Task
from core.model.evidence import Claim
from core.model.gate import GateResult
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind
from core.model.light_dataclass import light_dataclass, replace
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import BeatRequest, Plan, Planned
from core.model.report import Notice, NoticeKind, TellProgress
from core.model.waiting import Wait, WaitReason
from core.model.workspace import Workspace
from core.ports.processes import HeldLock
from core.ports.world import World
from core.rules.budgeting import limits_of
from core.rules.checking.progress import line_marks, with_lines_kept
from core.rules.checking.touching import with_folders
from core.rules.planning.plan import due_for_model
from core.rules.prices import cost_of, price_of
from core.rules.printable import one_line
from core.rules.redacting import without_tokens
from core.rules.reporting.batch_endings import (
    LONGEST_PROBLEM,
    cause_of,
    claim_of,
    other_outcome,
    review_message,
    task_outcome,
)
from core.rules.reporting.delivering import is_delivered
from core.rules.reporting.session import message_in
from core.rules.residing.next_step import is_paused

SAYS = "The model says"  # its words, which are not checked


@light_dataclass(frozen=True, slots=True)
class Begun:
    """A batch whose items are started in the ledger; its lock is ours."""

    lock: HeldLock
    choice: ModelChoice
    limits: Limits
    items: tuple[Planned, ...]
    started: Mapping[str, Occurrence]  # by key


class BatchWork:
    def __init__(
        self,
        world: World,
        workspace: Workspace,
        plan: Plan,
        request: BeatRequest,
        beat: int,
        gates: Mapping[str, GateResult],  # of the prompts that are in
        progress: TellProgress,
    ) -> None:
        self.world = world
        # As the beat read it: what is checked, and how, was decided before the model began.
        self.workspace = workspace
        self.plan = plan
        self.request = request
        self.beat = beat
        self.gates = gates
        self.progress = progress

        self.done = BatchDone()
        self.measured: list[Measured] = []

    @cached_property
    def verifier(self) -> Verifier:
        return Verifier(self.world, self.workspace, self.beat, self.plan.now, self.progress)

    @cached_property
    def _required(self) -> frozenset[str]:
        return frozenset(task.id for task in self.workspace.document.tasks if task.required)

    # -- before, with the workspace's lock ---------------------------------------------------------

    def begin(self, stopped_by: str | None) -> Begun | None:
        """Take the model's lock and start the items; None if there are none, or all of them
        have to wait."""
        due = due_for_model(self.workspace, self.plan)
        items = [item for item in due if item.kind is not ItemKind.PROMPT or item.id in self.gates]
        if not items or self.world.cancelled.is_set():
            return None

        wait = self._reason_to_wait(stopped_by)
        if wait:
            self._hold(items, wait)
            return None

        lock = self.world.model_lock.acquire(Purpose.BATCH, self.world.clock.now())
        if isinstance(lock, Holder):
            self._hold(items, OTHER_BATCH)
            return None

        assert self.plan.model, "what is due for a model was planned with one"
        started = self._start(items, self.plan.model)
        if not started:
            lock.release()
            return None

        limits = self._limits(self.plan.model)
        begun = tuple(item for item in items if item.key in started)
        return Begun(lock, self.plan.model, limits, begun, started)

    def _limits(self, choice: ModelChoice) -> Limits:
        price = price_of(choice.provider, choice.model, self.world.settings.prices)
        today = self._now().date()
        todays = self.world.ledger.model_use.history(first_day=today, last_day=today)
        return limits_of(self.world.settings.budget, todays, price)

    def _reason_to_wait(self, stopped_by: str | None) -> Wait | None:
        """Why the model may not be asked now; None if it may."""
        if stopped_by is not None:
            return Wait(WaitReason.STOPPED_BY, (stopped_by,))
        if self.request.reason is BeatReason.PERSON:
            return None

        pause = self.world.ledger.requests.paused()  # it may have come while the actions ran
        return Wait(WaitReason.PAUSED) if pause and is_paused(pause, self._now()) else None

    def _hold(self, items: list[Planned], wait: Wait) -> None:
        for item in items:
            assert item.slot
            occurrence = occurrence_of(item, item.slot, self.beat)
            self.done.ended.append(
                self.world.ledger.occurrences.wait(occurrence, Outcome.WAITING, wait, self.plan.now)
            )

    def _start(self, items: list[Planned], choice: ModelChoice) -> dict[str, Occurrence]:
        ledger = self.world.ledger
        now = self._now()
        started: dict[str, Occurrence] = {}
        with ledger.together():
            for item in items:
                assert item.slot
                claimed = ledger.occurrences.claim(
                    occurrence_of(item, item.slot, self.beat), self.plan.now
                )
                if claimed:  # else another beat has taken this slot
                    started[item.key] = ledger.occurrences.start(claimed, now)

            if started:
                ledger.model_use.keep(
                    ModelUse(
                        self.beat, now, now.date(), choice.provider, choice.model, tuple(started)
                    )
                )

        return started

    # -- with the model, without the workspace's lock ----------------------------------------------

    def work(self, begun: Begun) -> None:
        """Ask the model, record how every item ended, and check what it claims."""
        world = self.world
        tasks = self._prepare(begun)
        before = world.file_inspector.fingerprints()
        known = with_folders(before)

        batch = batch_of(world, self.workspace, begun.items, self.gates, self._now())
        result = world.agent.work(batch, begun.limits, world.cancelled)
        usage = self._priced(result.usage, begun.choice.provider, begun.choice.model)
        self._keep_use(begun, result, usage)

        after = world.file_inspector.fingerprints()
        claims = {key: claim_of(result, task.id) for key, task in tasks.items()}
        ended = self._finish(begun, result, claims)

        files = file_changes(before, after)
        changed = changed_files(before, after)
        compared = frozenset({*before, *after})
        claimed = [
            Claimed(
                task,
                ended[key],
                claims[key],
                result.acts,
                files,
                known=known,
                changed=changed,
                compared=compared,
            )
            for key, task in tasks.items()
        ]
        measured = [self.verifier.measure(one) for one in claimed]
        self.measured, judge_usage = with_judgements(world, measured, begun.limits, usage)
        if judge_usage.requests:
            usage += self._priced(judge_usage, *self._judge(begun.choice))
            self._keep_use(begun, result, usage)

        self.done.usage = usage
        self.done.wants_run = result.wants_run
        self.done.servers = result.servers
        self.done.ended += [ended[item.key] for item in begun.items if item.key not in tasks]
        self._gather_messages(begun, result, ended)

    def _prepare(self, begun: Begun) -> dict[str, Task]:
        """Note what the checks compare with, before anything is done. Return the tasks of the
        batch, by key."""
        known = {task.id: task for task in self.workspace.document.tasks}
        tasks: dict[str, Task] = {}
        for item in begun.items:
            self.progress(item.id, None)
            if item.kind is ItemKind.TASK:
                tasks[item.key] = known[item.id]

        self.verifier.prepare(*tasks.values())
        for key, task in tasks.items():
            self.verifier.measure_before(task, key)

        return tasks

    def _judge(self, choice: ModelChoice) -> tuple[str, str]:
        """The judge's provider and model."""
        settings = self.world.settings.verifier
        return settings.provider or choice.provider, settings.model or choice.model

    def _finish(
        self, begun: Begun, result: BatchResult, claims: Mapping[str, Claim]
    ) -> dict[str, Occurrence]:
        """Commit right after the effect, even if the workspace's lock cannot be taken again."""
        ended: dict[str, Occurrence] = {}
        now = self._now()

        with self.world.ledger.together():
            for item in begun.items:
                outcome, text = self._outcome(begun, result, item, claims)
                went_well = outcome in (Outcome.COMPLETED, Outcome.SKIPPED)
                ended[item.key] = self.world.ledger.occurrences.finish(
                    begun.started[item.key],
                    outcome,
                    now,
                    result=text if went_well else "",
                    error="" if went_well else one_line(text, LONGEST_PROBLEM),
                    cause=() if went_well else cause_of(result, claims.get(item.key)),
                )

        for item in begun.items:
            if item.kind is not ItemKind.TASK:
                self.progress(item.id, report_of(ended[item.key]))

        return ended

    def _outcome(
        self, begun: Begun, result: BatchResult, item: Planned, claims: Mapping[str, Claim]
    ) -> tuple[Outcome, str]:
        """How an item ended, and the words for it."""
        if item.kind is not ItemKind.TASK:
            return other_outcome(item.kind, result, only_review=_only_review(begun))

        return task_outcome(claims[item.key], result, is_required=item.id in self._required)

    def _gather_messages(
        self, begun: Begun, result: BatchResult, ended: Mapping[str, Occurrence]
    ) -> None:
        """Collect the messages for the person. A review's message is counted before it is sent."""
        if self._is_for_person(begun):
            text = message_in(result.text) if result.ending is BatchEnding.FINISHED else ""
            if text:
                self.done.messages.append(Notice(NoticeKind.MESSAGE, SAYS, without_tokens(text)))

        review = next(
            (ended[item.key] for item in begun.items if item.kind is ItemKind.REVIEW), None
        )
        message = review_message(result, only_review=_only_review(begun))
        if review is None or not message:
            return

        if reviews_sent(self.world, self._now()) < self.world.settings.review.max_per_day:
            self.world.ledger.occurrences.notify(review)
            self.done.messages.append(Notice(NoticeKind.REVIEW, SAYS, without_tokens(message)))

    def _is_for_person(self, begun: Begun) -> bool:
        """Whether the model's last message is for the person, not the answer to a review."""
        kinds = {item.kind for item in begun.items}
        plain = self.workspace.document.context
        return is_delivered(kinds, plain, self.world.settings.deliver)

    def _keep_use(self, begun: Begun, result: BatchResult, usage: Usage) -> None:
        (mine,) = [
            one for one in self.world.ledger.model_use.history(limit=1) if one.beat == self.beat
        ]
        self.world.ledger.model_use.keep(
            replace(
                mine,
                usage=usage,
                ending=result.ending,
                finished=self._now(),
                problem=one_line(result.problem.full_text, LONGEST_PROBLEM)
                if result.problem
                else None,
                retry_after=result.retry_after,
            )
        )

    def _priced(self, usage: Usage, provider: str, model: str) -> Usage:
        if usage.usd is not None:
            return usage

        price = price_of(provider, model, self.world.settings.prices)
        return replace(usage, usd=cost_of(usage, price))

    # -- after, with the workspace's lock again ----------------------------------------------------

    def record(self, workspace: Workspace) -> BatchDone:
        """Record verdicts, points, evidence and progress; `workspace` is as it is now."""
        ledger = self.world.ledger
        self.done.ended += self.verifier.record(self.measured)
        lines = line_marks(self.workspace.document)
        lines_now = line_marks(workspace.document)
        if lines != lines_now:
            ledger.tasks.save(with_lines_kept(ledger.tasks.progress(), lines, lines_now))

        return self.done

    def _now(self) -> datetime:
        return local_now(self.world, self.workspace)


def _only_review(begun: Begun) -> bool:
    return all(item.kind is ItemKind.REVIEW for item in begun.items)
