"""One batch a beat: what is due for a model goes to it at once, and what it claims is checked (SPEC 5, step 8 and 9).

While it is with the model the beat holds the model's lock instead of the workspace's, so that others may beat. Every
occurrence is committed as started before the request, and as ended right after it.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace
from datetime import datetime
from functools import cached_property

from core.engine.asking import BESIDE, reviews_sent
from core.engine.batch_content import batch_of
from core.engine.judging import judged
from core.engine.planning import occurrence_of
from core.engine.reports import report_of
from core.engine.verifying import Claimed, Measured, Progress, Verifier, file_changes
from core.engine.world import World
from core.model.agent import BatchEnding, BatchResult, Limits, ModelChoice, ModelUse, Usage
from core.model.evidence import Claim
from core.model.gate import GateResult
from core.model.holder import Holder
from core.model.item import Kind, identifier_of_key, item_key
from core.model.occurrence import BeatReason, Occurrence, Outcome
from core.model.plan import Plan, Planned, Wish
from core.model.report import Notice
from core.model.workspace import Workspace
from core.ports import HeldLock
from core.rules.budgeting import limits_of
from core.rules.checking.progress import line_marks, with_lines_kept
from core.rules.ordering import stop_reason
from core.rules.planning import due_for_model
from core.rules.prices import cost_of, price_of
from core.rules.redacting import without_tokens
from core.rules.reporting.batch_endings import claim_of, other_outcome, review_message, task_outcome
from core.rules.reporting.final_text import message_in
from core.rules.residing import is_paused
from core.rules.writing.harmless import one_line

SAYS = "The model says"  # its words, which nobody has checked


@dataclass(frozen=True, slots=True)
class Begun:
    """A batch whose items are started in the ledger; its lock is ours."""

    lock: HeldLock
    choice: ModelChoice
    limits: Limits
    items: tuple[Planned, ...]
    started: Mapping[str, Occurrence]  # by key


@dataclass
class BatchDone:
    """What came of it."""

    ended: list[Occurrence] = field(default_factory=list)
    usage: Usage | None = None  # None: no model was asked
    messages: list[Notice] = field(default_factory=list)  # for the person
    wants_run: tuple[str, ...] = ()


@dataclass
class BatchWork:
    world: World
    workspace: Workspace  # as the beat read it: what is checked, and how, was decided before the model began
    plan: Plan
    wish: Wish
    beat: int
    gates: Mapping[str, GateResult]  # of the prompts that are in
    progress: Progress
    done: BatchDone = field(default_factory=BatchDone)
    measured: list[Measured] = field(default_factory=list)

    @cached_property
    def verifier(self) -> Verifier:
        return Verifier(self.world, self.workspace, self.beat, self.plan.now, self.progress)

    # -- before, with the workspace's lock ----------------------------------------------------------------------

    def begin(self, stopped_by: str) -> Begun | None:
        """Take the model's lock and start the items; None where there are none, or all of them have to wait."""
        due = due_for_model(self.workspace, self.plan)
        items = [item for item in due if item.kind is not Kind.PROMPT or item.id in self.gates]
        if not items or self.world.cancelled.is_set():
            return None
        why = self._reason_to_wait(stopped_by)
        lock = None if why else self.world.model_lock.acquire("batch", self.world.clock.now())
        if lock is None or isinstance(lock, Holder):
            self._hold(items, why or BESIDE)
            return None
        assert self.plan.model, "what is due for a model was planned with one"
        started = self._start(items, self.plan.model)
        if not started:
            lock.release()
            return None
        price = price_of(self.plan.model.provider, self.plan.model.model, self.world.settings.prices)
        today = self._now().date()
        todays = self.world.ledger.model_uses(first_day=today, last_day=today)
        limits = limits_of(self.world.settings.budget, todays, price)
        begun = tuple(item for item in items if item.key in started)
        return Begun(lock, self.plan.model, limits, begun, started)

    def _reason_to_wait(self, stopped_by: str) -> str:
        if stopped_by:
            return stop_reason(stopped_by)
        pause = self.world.ledger.paused()  # it may have come while the actions ran
        paused = pause is not None and is_paused(pause, self._now()) and self.wish.reason is not BeatReason.PERSON
        return "paused" if paused else ""

    def _hold(self, items: list[Planned], reason: str) -> None:
        for item in items:
            assert item.slot
            occurrence = occurrence_of(item, item.slot, self.beat)
            self.done.ended.append(self.world.ledger.wait(occurrence, Outcome.WAITING, reason, self.plan.now))

    def _start(self, items: list[Planned], choice: ModelChoice) -> dict[str, Occurrence]:
        ledger, now = self.world.ledger, self._now()
        started: dict[str, Occurrence] = {}
        with ledger.together():
            for item in items:
                assert item.slot
                claimed = ledger.claim(occurrence_of(item, item.slot, self.beat), self.plan.now)
                if claimed:  # else somebody has taken this slot before
                    started[item.key] = ledger.start(claimed, now)
            if started:
                ledger.keep_model_use(
                    ModelUse(self.beat, now, now.date(), choice.provider, choice.model, tuple(started))
                )
        return started

    # -- with the model, without the workspace's lock -----------------------------------------------------------

    def work(self, begun: Begun) -> None:
        """Ask the model, record how every item ended, and find out what is so."""
        world, verifier = self.world, self.verifier
        tasks = {task.id: task for task in self.workspace.document.tasks}
        for item in begun.items:
            self.progress(item.id, None)
            if item.kind is Kind.TASK:
                verifier.look_before(tasks[item.id])
        before = world.file_look.fingerprints()
        batch = batch_of(world, self.workspace, begun.items, self.gates, self._now())
        result = world.agent.work(batch, begun.limits, world.cancelled)
        usage = self._priced(result.usage, begun.choice.provider, begun.choice.model)
        self._keep_use(begun, result, usage)
        files = file_changes(before, world.file_look.fingerprints())
        claims = {item.key: claim_of(result, item.id) for item in begun.items if item.kind is Kind.TASK}
        ended = self._finish(begun, result, claims)
        claimed = [
            Claimed(tasks[item.id], ended[item.key], claims[item.key], result.acts, files)
            for item in begun.items
            if item.kind is Kind.TASK
        ]
        self.measured, judge_usage = judged(world, [verifier.measure(one) for one in claimed], begun.limits, usage)
        if judge_usage.requests:
            settings, choice = world.settings.verifier, begun.choice
            provider, model = settings.provider or choice.provider, settings.model or choice.model
            usage += self._priced(judge_usage, provider, model)
            self._keep_use(begun, result, usage)
        self.done.usage = usage
        self.done.wants_run = result.wants_run
        self.done.ended += [ended[item.key] for item in begun.items if item.kind is not Kind.TASK]
        self._say(begun, result, ended)

    def _finish(self, begun: Begun, result: BatchResult, claims: Mapping[str, Claim]) -> dict[str, Occurrence]:
        """Commit after the effect, at once: also where nobody gives us the workspace's lock again."""
        ended: dict[str, Occurrence] = {}
        now = self._now()
        required = {task.id for task in self.workspace.document.tasks if task.required}
        with self.world.ledger.together():
            for item in begun.items:
                if item.kind is Kind.TASK:
                    outcome, text = task_outcome(claims[item.key], result, is_required=item.id in required)
                else:
                    outcome, text = other_outcome(item.kind, result, only_review=_only_review(begun))
                went_well = outcome in (Outcome.COMPLETED, Outcome.SKIPPED)
                result_text, error = (text, "") if went_well else ("", one_line(text))
                started = begun.started[item.key]
                ended[item.key] = self.world.ledger.finish(started, outcome, now, result=result_text, error=error)
        for item in begun.items:
            if item.kind is not Kind.TASK:
                self.progress(item.id, report_of(ended[item.key]))
        return ended

    def _say(self, begun: Begun, result: BatchResult, ended: Mapping[str, Occurrence]) -> None:
        """Gather what is for the person. A review's message counts for its day before it is sent."""
        review = next((ended[item.key] for item in begun.items if item.kind is Kind.REVIEW), None)
        text = message_in(result.text) if result.ending is BatchEnding.FINISHED else ""
        only_review = _only_review(begun)
        kinds = {item.kind for item in begun.items}
        if text and not only_review and (kinds & {Kind.TASK, Kind.PROMPT} or self.world.settings.deliver == "notify"):
            self.done.messages.append(Notice("message", SAYS, without_tokens(text)))
        message = review_message(result, only_review=only_review)
        if review and message and reviews_sent(self.world, self._now()) < self.world.settings.review.max_per_day:
            self.world.ledger.notify(review)
            self.done.messages.append(Notice("review", SAYS, without_tokens(message)))

    def _keep_use(self, begun: Begun, result: BatchResult, usage: Usage) -> None:
        (mine,) = [one for one in self.world.ledger.model_uses(limit=1) if one.beat == self.beat]
        self.world.ledger.keep_model_use(
            replace(
                mine,
                usage=usage,
                ending=result.ending,
                finished=self._now(),
                problem=one_line(result.problem),
                retry_after=result.retry_after,
            )
        )

    def _priced(self, usage: Usage, provider: str, model: str) -> Usage:
        if usage.usd is not None:
            return usage
        return replace(usage, usd=cost_of(usage, price_of(provider, model, self.world.settings.prices)))

    # -- after, with the workspace's lock again -----------------------------------------------------------------

    def record(self, workspace: Workspace) -> BatchDone:
        """Verdicts, points, evidence, progress; `workspace` is as it is now."""
        ledger = self.world.ledger
        self.done.ended += self.verifier.record(self.measured)
        lines, lines_now = line_marks(self.workspace.document), line_marks(workspace.document)
        if lines != lines_now:
            ledger.save_progress(with_lines_kept(ledger.progress(), lines, lines_now))
        return self.done

    def _now(self) -> datetime:
        return self.world.local(self.world.clock.now(), self.workspace)


def _only_review(begun: Begun) -> bool:
    return all(item.kind is Kind.REVIEW for item in begun.items)


def ask_for_run(world: World, workspace: Workspace, wish: Wish, names: Collection[str], now: datetime) -> None:
    """The beat that the model wants right after this one. One that a model asked for may not ask for the next: they
    would never end."""
    items = [item_key(Kind.TASK, task.id) for task in workspace.document.tasks]
    items += [item_key(Kind.ACTION, action.id) for action in workspace.document.actions]
    items += [item_key(Kind.PROMPT, prompt.id) for prompt in workspace.prompts]
    wanted = [key for key in items if key in names or identifier_of_key(key) in names]
    if wanted and wish.reason is not BeatReason.AGENT:
        world.ledger.request_run(wanted, now, by_agent=True)
