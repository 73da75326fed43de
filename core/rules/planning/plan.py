"""Decides for every item of a workspace whether it runs now, and why or why not. Pure: the time and
what the ledger knows of the past come in."""

from collections.abc import Iterable
from datetime import date, datetime, time, timedelta

from core.model.diagnostic import Problem
from core.model.document import Action, ActionStatus, Document, Prompt, Task
from core.model.item import PLAIN_ID, REVIEW_ID, ItemKind
from core.model.ledger import ItemPast
from core.model.light_dataclass import replace
from core.model.occurrence import Outcome
from core.model.plan import Decision, Held, Plan, Planned
from core.model.schedule import Due
from core.model.waiting import DueSince, Wait, WaitReason, Why, words_of
from core.model.workspace import Workspace
from core.rules.checking.progress import exhausted_tasks, times
from core.rules.planning.attempts import has_attempts_left, is_wanted_again, next_attempt
from core.rules.planning.holds import Holds, blocked
from core.rules.planning.plan_input import PlanInput, active_hours_of, written_schedule
from core.rules.timing.active import is_active, next_active
from core.rules.timing.due import due, read_catch_up
from core.rules.timing.instant_words import instant_words
from core.rules.timing.schedule import SET_BACK, Schedule
from core.rules.timing.words import Every
from core.rules.timing.zones import in_zone, zone_of


def due_for_model(workspace: Workspace, plan: Plan) -> list[Planned]:
    """What the plan would let a model do."""
    by_command = {task.id for task in workspace.document.tasks if task.run}
    return [
        item
        for item in plan.runs
        if item.kind is not ItemKind.ACTION
        and not (item.kind is ItemKind.TASK and item.id in by_command)
    ]


def has_model_work(workspace: Workspace) -> bool:
    """Whether anything in it is for a model, due or not."""
    document = workspace.document
    return bool(workspace.prompts or document.review or document.is_plain_item) or any(
        not task.run for task in document.tasks
    )


def make_plan(workspace: Workspace, given: PlanInput) -> Plan:
    """The plan for now. Items are in the order: actions, tasks, prompts, the plain file, the
    review."""
    planner = _Planner(workspace.document, given)
    items = planner.holds.hold(list(planner.items(workspace)))

    # An approval makes a plan by itself: nothing wakes for what waits for one.
    wakes = [
        item.next for item in items if item.next and item.held_as is not Outcome.NEEDS_APPROVAL
    ]

    return Plan(
        now=planner.now,
        items=tuple(items),
        next_wake=min(wakes, default=None) if given.settings.enabled else None,
        tick=planner.tick.slot,
        late=planner.tick.late or planner.late,
        model_hold=given.model_hold,
    )


class _Planner:
    """Decides when each item starts; what holds a due item back is the business of `Holds`."""

    def __init__(self, document: Document, given: PlanInput) -> None:
        self.document = document
        self.given = given
        self.zone = zone_of(document, given.zone)
        self.now = in_zone(given.now, self.zone)
        self.active = active_hours_of(document)
        catch_up = read_catch_up(given.settings.catch_up)
        self.catch_up = timedelta.max if isinstance(catch_up, Problem) else catch_up
        self.by_name = frozenset(given.request.items)
        self.exhausted = exhausted_tasks(document, given.progress)
        self.attempts = {one.task_id: one.attempts for one in given.progress.tasks}
        self.late = False
        self.tick = self._tick()
        self.holds = Holds(document, given, self.now, self.tick)

    def items(self, workspace: Workspace) -> Iterable[Planned]:
        taken: set[str] = set()
        for action in self.document.actions:
            if action.id in taken:  # no slot: in the ledger this id belongs to the first one
                words = str(action.unclear or "")
                yield Planned(action.id, ItemKind.ACTION, Decision.BLOCKED, words)
            else:
                yield self._action(action)

            taken.add(action.id)

        for task in self.document.tasks:
            yield self._task(task)

        for prompt in workspace.prompts:
            yield self._prompt(prompt)

        if self.document.is_plain_item:
            plain = self._at_tick(Planned(PLAIN_ID, ItemKind.PLAIN, Decision.WAIT, ""))
            yield self.holds.for_model(plain)

        if self.document.review:
            yield self._review()

    # -- one kind each -----------------------------------------------------------------------------

    def _action(self, action: Action) -> Planned:
        item = Planned(action.id, ItemKind.ACTION, Decision.WAIT, "")
        past = self.given.past.get(item.key)
        if action.unclear:
            return blocked(item, action.unclear, self.now)

        if self._is_named(item):
            asked = self._now(item, self._following(action.schedule))
            return replace(asked, attempt=next_attempt(action, past))

        if self.by_name:
            return replace(item, because="you asked for other items")
        if self.document.held and action.schedule:
            return self._file_is_unclear(item)

        return self._action_by_itself(item, action, past)

    def _action_by_itself(self, item: Planned, action: Action, past: ItemPast | None) -> Planned:
        """By its schedule, after a failure, or because the person wrote PENDING."""
        schedule = written_schedule(action.schedule)
        assert not isinstance(schedule, Problem), "an unreadable schedule makes the action unclear"
        if schedule is None:
            planned = self._once(item, action, past)
        else:
            planned = self._scheduled(item, schedule, past)

        if planned.decision is Decision.RUN or past is None:
            return planned
        if has_attempts_left(action, past):
            return self._retry(planned, action, past)
        if is_wanted_again(action, schedule, past):
            return self._if_active(replace(planned, slot=self.now), DueSince.WRITTEN_AGAIN)

        return planned

    def _task(self, task: Task) -> Planned:
        item = Planned(task.id, ItemKind.TASK, Decision.WAIT, "")
        if task.checked:
            return replace(
                item, decision=Decision.SKIP, because="it is ticked; untick it to run it"
            )
        if task.unclear:
            return blocked(item, task.unclear, self.now)

        if task.id in self.exhausted:
            reason = (
                f"it failed {times(task.max_attempts)}; change its line, or: heartbeat retry "
                f"{task.id}"
            )
            return replace(item, decision=Decision.SKIP, because=reason)

        attempt = self.attempts.get(task.id, 0) + 1
        if task.run:
            return replace(self._due_or_tick(item, task.schedule), attempt=attempt)

        return replace(
            self.holds.for_model(self._due_or_put_off(item, task.schedule)), attempt=attempt
        )

    def _prompt(self, prompt: Prompt) -> Planned:
        item = Planned(prompt.id, ItemKind.PROMPT, Decision.WAIT, "")
        if prompt.unclear:
            return blocked(item, prompt.unclear, self.now)

        planned = self._due_or_put_off(item, prompt.schedule)
        # Without a model, a gate without a schedule is asked at every tick. A scheduled prompt is
        # held back instead: its slot would stay due, and its gate would be asked in every beat.
        return planned if prompt.gate and not prompt.schedule else self.holds.for_model(planned)

    def _review(self) -> Planned:
        item = self._at_tick(Planned(REVIEW_ID, ItemKind.REVIEW, Decision.WAIT, ""))
        most = self.given.settings.review.max_per_day
        if item.decision is Decision.RUN and self.given.reviews_sent >= most:
            tomorrow = datetime.combine(self.now.date() + timedelta(days=1), time(), self.zone)
            reason = "today's message has been sent"
            return replace(item, decision=Decision.SKIP, because=reason, slot=None, next=tomorrow)

        return self.holds.for_model(item)

    def _due_or_put_off(self, item: Planned, text: str | None) -> Planned:
        """What waited because there was no model is due again at the next tick, also where its
        own next slot is far away."""
        planned = self._due_or_tick(item, text)
        past = self.given.past.get(item.key)
        has_waited = past is not None and past.last_outcome is Outcome.WAITING
        if planned.decision is Decision.RUN or not has_waited:
            return planned

        again = self._at_tick(item)
        if again.decision is Decision.RUN:
            return again

        return replace(planned, next=min(filter(None, (planned.next, again.next)), default=None))

    def _due_or_tick(self, item: Planned, text: str | None) -> Planned:
        schedule = written_schedule(text)
        if schedule is None or isinstance(schedule, Problem):
            return self._at_tick(item)
        if self._is_named(item):
            return self._now(item, self._following(text))
        if self.by_name:
            return replace(item, because="you asked for other items")
        if self.document.held:
            return self._file_is_unclear(item)

        return self._scheduled(item, schedule, self.given.past.get(item.key))

    # -- when --------------------------------------------------------------------------------------

    def _once(self, item: Planned, action: Action, past: ItemPast | None) -> Planned:
        """An action without a schedule runs once; the ledger, not the file, says whether it has."""
        if past is None or past.last_outcome is None:
            if past and past.last_slot and action.status in _NOT_YET_RUN:
                return self._at_tick(item)  # it was skipped, and may run now

            if action.status in _NOT_YET_RUN:
                # The smaller one: a clock may have been ahead.
                seen = min(past.first_seen, self.now) if past else self.now
                return self._if_active(replace(item, slot=seen), DueSince.NEVER_RAN)

            return replace(item, decision=Decision.SKIP, because=f"its status is {action.status}")

        reason = _ENDED.get(past.last_outcome, "it has run").format(id=action.id)
        if past.last_outcome is Outcome.COMPLETED and action.status is ActionStatus.PENDING:
            reason = f"it has run; to run it again: heartbeat run {action.id}"

        return replace(item, decision=Decision.SKIP, because=reason)

    def _scheduled(self, item: Planned, schedule: Schedule, past: ItemPast | None) -> Planned:
        started = self.given.request.resident_start
        is_at_start = schedule.counts_from_resident_start()
        last_slot = past.last_slot if past else None
        if is_at_start and started and last_slot == started:
            # Whatever the clock says: if it was set back far behind the start of the resident, that
            # start would seem to be still to come.
            reason = "it has already run since Heartbeat started"
            return replace(item, decision=Decision.SKIP, because=reason)

        found = self._due(schedule, past)
        self.late = self.late or found.late
        counts_from = found.counts_from
        slot = found.slot or found.waiting
        if is_at_start and slot and last_slot and last_slot >= slot:
            # The last run was recorded by a clock far ahead; this one would look like the same run.
            counts_from = slot - timedelta.resolution

        because = _held_until_active(found.why)
        decision = Decision.WAIT if found.next else Decision.SKIP
        if found.slot:
            decision = Decision.RUN
        elif found.waiting:
            decision = item.decision

        return replace(
            item,
            decision=decision,
            because=because,
            slot=slot or item.slot,
            next=found.next,
            missed=found.missed,
            counts_from=counts_from,
        )

    def _due(self, schedule: Schedule, past: ItemPast | None) -> Due:
        return due(
            schedule,
            self.now,
            self.zone,
            past.last_start if past else None,
            past.last_slot if past else None,
            past.first_seen if past else None,
            self.catch_up,
            last_day=_last_day(schedule, past) if past else None,
            active=self.active,
            resident_start=self.given.request.resident_start,
        )

    def _retry(self, planned: Planned, action: Action, past: ItemPast) -> Planned:
        assert past.retry_at
        attempt = next_attempt(action, past)
        finished = past.last_finished
        was_set_back = finished is not None and finished - self.now > SET_BACK
        retry_at = self.now if was_set_back else past.retry_at

        if retry_at <= self.now:
            retried = replace(planned, slot=retry_at)
            retried = self._if_active(retried, DueSince.ATTEMPT, str(attempt))
            return replace(retried, attempt=attempt, next=retried.next or planned.next)

        return _tried_later(planned, retry_at)

    def _at_tick(self, item: Planned) -> Planned:
        if self._is_named(item):
            return self._now(item, self.tick.next)
        if self.by_name:
            return replace(item, because="you asked for other items")

        if self.given.request.is_tick:
            # It uses up a tick that is due, so that the timer does not bring it again.
            asked = replace(item, slot=self.tick.slot or self.now, next=self.tick.next)
            return self._if_active(asked, DueSince.ASKED)

        if self.document.held:
            return self._file_is_unclear(item)

        put_off = self.given.postponed.get(item.key)
        if put_off and not self.tick.slot:
            return replace(
                item,
                decision=Decision.RUN,
                because="its minute is over",
                slot=put_off,
                next=self.tick.next,
            )

        decision = Decision.RUN if self.tick.slot else Decision.WAIT
        return replace(
            item,
            decision=decision,
            because=_held_until_active(self.tick.why),
            slot=self.tick.slot,
            next=self.tick.next,
        )

    def _tick(self) -> Due:
        """The interval's ticks behave like `every:`; the first comes at once."""
        last = self.given.last_tick
        every = Every(self.given.settings.interval)
        found = due(every, self.now, self.zone, last, last, None, timedelta.max, active=self.active)

        if found.slot:
            reason = "the first tick" if last is None else f"the tick of {found.slot:%H:%M}"
            return replace(found, why=reason)
        if found.next:
            return replace(found, why=f"not before the tick of {found.next:%H:%M}")

        return found

    def _if_active(self, item: Planned, since: DueSince, what: str = "") -> Planned:
        """The item as one that starts now, or when the active hours begin."""
        if not self.active or is_active(self.active, self.now, self.zone):
            return replace(item, decision=Decision.RUN, because=words_of(since, what))

        opens = next_active(self.active, self.now, self.zone)
        is_today = opens.date() == self.now.date()
        when = f"{opens:%H:%M}" if is_today else instant_words(opens, self.now)
        held = Held(Outcome.WAITING, Wait(WaitReason.ACTIVE_HOURS, (since, what, when)))
        return replace(item, decision=Decision.WAIT, because=held, next=opens)

    def _now(self, item: Planned, following: datetime | None) -> Planned:
        return replace(
            item, decision=Decision.RUN, because="you asked for it", slot=self.now, next=following
        )

    def _following(self, text: str | None) -> datetime | None:
        """The slot after a start by hand."""
        schedule = written_schedule(text)
        if schedule is None or isinstance(schedule, Problem):
            return None

        return schedule.slot_after(self.now, self.zone)

    def _file_is_unclear(self, item: Planned) -> Planned:
        assert self.document.held
        return blocked(item, self.document.held, self.now, WaitReason.FILE_UNCLEAR)

    def _is_named(self, item: Planned) -> bool:
        return item.id in self.by_name or item.key in self.by_name


_AGAIN = "to run it again: heartbeat retry {id}, or write PENDING"
_ENDED = {
    Outcome.COMPLETED: "it is done",
    Outcome.FAILED: f"it failed; {_AGAIN}",
    Outcome.INTERRUPTED: f"it was interrupted; {_AGAIN}",
    Outcome.SKIPPED: "it was undone; to run it again: heartbeat run {id}",
}

# A file that came from elsewhere may have any status; these mean that the action is still to be
# done.
_NOT_YET_RUN = (ActionStatus.PENDING, ActionStatus.SKIPPED, ActionStatus.NEEDS_CLARIFICATION)


def _held_until_active(why: Why) -> str | Held:
    """What waits for the active hours is held back."""
    return Held(Outcome.WAITING, why) if isinstance(why, Wait) else why


def _tried_later(planned: Planned, retry_at: datetime) -> Planned:
    """The item, waiting for its next attempt. A slot of its schedule that waits for
    the active hours stays held back."""
    waits = Wait(WaitReason.RETRY)
    held_as = planned.held_as
    return replace(
        planned,
        decision=Decision.WAIT,
        because=Held(held_as, waits) if held_as else waits.sentence,
        next=min(filter(None, (planned.next, retry_at))),
    )


def _last_day(schedule: Schedule, past: ItemPast) -> date | None:
    if past.last_slot is None or past.last_slot_zone is None:
        return None
    return schedule.local_day(past.last_slot.astimezone(past.last_slot_zone))
