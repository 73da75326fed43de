"""Decides for every item of a workspace whether it runs now, and why or why not. Pure: the ledger's memory comes in."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import field, replace
from datetime import UTC, date, datetime, time, timedelta, tzinfo
from functools import lru_cache

from core.model.diagnostic import Problem
from core.model.document import Action, ActionStatus, Document, Priority, Prompt, Task
from core.model.item import PLAIN_ID, REVIEW_ID, Kind, item_key
from core.model.memory import ItemMemory
from core.model.occurrence import Outcome
from core.model.plan import Decision, ModelHold, Plan, Planned, Wish
from core.model.progress import Progress
from core.model.schedule import ActiveHours, At, Due, Every, Schedule, Startup
from core.model.settings import Settings
from core.model.value import dataclass
from core.model.workspace import Workspace
from core.rules.checking.progress import exhausted_tasks, times
from core.rules.conditions import names_beside, problem_with
from core.rules.ordering import STILL_RUNNING, UNDECIDED, Waits, may_start, stop_reason
from core.rules.timing.active import is_active, next_active, read_active
from core.rules.timing.due import SET_BACK, due, local_day, read_catch_up
from core.rules.timing.expressions import normalized, read_schedule
from core.rules.timing.moments import moment_text
from core.rules.timing.slots import next_slot
from core.rules.timing.zones import in_zone, read_zone

LONGEST_RETRY = timedelta(minutes=15)
LOOK_AGAIN = timedelta(seconds=30)  # at what is running


@dataclass(frozen=True, slots=True)
class Moment:
    """What is known beside the workspace: the time, the ledger's memory, the settings, and why there is a beat."""

    now: datetime
    zone: tzinfo  # the system's; the file's wins
    wish: Wish
    settings: Settings
    memory: Mapping[str, ItemMemory]
    last_tick: datetime | None = None
    model_hold: ModelHold | None = None  # why no model is asked; None: one may be
    postponed: Mapping[str, datetime] = field(default_factory=dict)  # what waits only for its minute: item, slot
    left: Mapping[str, str] = field(default_factory=dict)  # what an earlier beat left undone: item, LEFT's reason
    running: Collection[str] = ()  # BG actions whose slot has come while they run
    reviews_sent: int = 0  # today
    unapproved: Mapping[str, str] = field(default_factory=dict)  # items that may not run, and why
    progress: Progress = field(default_factory=Progress)


def zone_of(document: Document, system: tzinfo) -> tzinfo:
    """The file's zone, else the system's. One that cannot be read holds the document back, so it is not used."""
    named = document.frontmatter.text("timezone")
    zone = read_zone(named) if named else system
    return system if isinstance(zone, Problem) else zone


def active_hours_of(document: Document) -> ActiveHours | None:
    """The file's active hours; those that cannot be read hold the document back."""
    text = document.frontmatter.text("active")
    found = read_active(text) if text else None
    return None if isinstance(found, Problem) else found


def due_for_model(workspace: Workspace, plan: Plan) -> list[Planned]:
    """What the plan would let a model do."""
    by_command = {task.id for task in workspace.document.tasks if task.run}
    return [
        item
        for item in plan.runs
        if item.kind is not Kind.ACTION and not (item.kind is Kind.TASK and item.id in by_command)
    ]


def has_model_work(workspace: Workspace) -> bool:
    """Whether anything in it is for a model, due or not."""
    document = workspace.document
    is_plain = document.format == "plain" and bool(document.context)
    return bool(workspace.prompts or document.review or is_plain) or any(not task.run for task in document.tasks)


def schedules_of(workspace: Workspace) -> dict[str, str]:
    """Every item's key with its normalized schedule (nothing without one): what the ledger keeps first sights by."""
    document = workspace.document
    # Reversed: of two actions with one id the first is the one that runs.
    found = {item_key(Kind.ACTION, one.id): one.schedule for one in reversed(document.actions)}
    found |= {item_key(Kind.TASK, one.id): one.schedule for one in document.tasks}
    found |= {item_key(Kind.PROMPT, one.id): one.schedule for one in workspace.prompts}
    return {key: _normalized(text) for key, text in found.items()}


@lru_cache(maxsize=256)
def _schedule(text: str) -> Schedule | Problem:
    """A beat asks four times for each; reading them would be a good part of its plans."""
    return read_schedule(text)


@lru_cache(maxsize=256)
def _normalized(text: str | None) -> str:
    schedule = _schedule(text) if text else None
    return "" if schedule is None else "unreadable" if isinstance(schedule, Problem) else normalized(schedule)


def make_plan(workspace: Workspace, moment: Moment) -> Plan:
    """The plan of this moment. Items appear in the order: actions, tasks, prompts, the plain file, the review."""
    planner = _Planner(workspace.document, moment)
    items = [planner.held_unless_approved(item) for item in planner.items(workspace)]
    items = [planner.held_while_running(item) for item in planner.held_until_tick(items)]
    items = planner.with_readable_conditions(items)
    items = _with_dependencies(items, workspace.document, moment)
    # An approval makes a plan by itself: nothing wakes for what waits for one.
    wakes = [item.next for item in items if item.next and item.held_as is not Outcome.NEEDS_APPROVAL]
    return Plan(
        now=planner.now,
        items=tuple(items),
        next_wake=min(wakes, default=None) if moment.settings.enabled else None,
        tick=planner.tick.slot,
        late=planner.tick.late or planner.late,
        model_hold=moment.model_hold,
    )


def _with_dependencies(items: list[Planned], document: Document, moment: Moment) -> list[Planned]:
    """An action whose dependency neither has run nor runs now waits for it, instead of being tried again and again."""
    actions = {action.id: action for action in reversed(document.actions)}
    running = {item.id for item in items if item.kind is Kind.ACTION and item.decision is Decision.RUN}
    memory = {name: moment.memory[key] for name in actions if (key := item_key(Kind.ACTION, name)) in moment.memory}
    expected = dict.fromkeys(running, Outcome.COMPLETED)
    result: list[Planned] = []
    for item in items:
        action = actions.get(item.id) if item.kind is Kind.ACTION and item.decision is Decision.RUN else None
        found = may_start(action, expected, memory, actions) if action else None
        if isinstance(found, Waits):
            item = replace(item, decision=Decision.WAIT, reason=found.reason, held_as=Outcome.WAITING)
        result.append(item)
    return result


class _Planner:
    def __init__(self, document: Document, moment: Moment) -> None:
        self.document = document
        self.moment = moment
        self.zone = zone_of(document, moment.zone)
        self.now = in_zone(moment.now, self.zone)
        self.active = active_hours_of(document)
        catch_up = read_catch_up(moment.settings.catch_up)
        self.catch_up = timedelta.max if isinstance(catch_up, Problem) else catch_up
        self.by_name = frozenset(moment.wish.items)
        self.exhausted = exhausted_tasks(document, moment.progress)
        self.attempts = {one.task_id: one.attempts for one in moment.progress.tasks}
        self.late = False
        self.tick = self._tick()

    def items(self, workspace: Workspace) -> Iterable[Planned]:
        taken: set[str] = set()
        for action in self.document.actions:
            if action.id in taken:  # it has no slot: in the ledger, the id is that of the first
                yield Planned(action.id, Kind.ACTION, Decision.BLOCKED, action.unclear)
            else:
                yield self._action(action)
            taken.add(action.id)
        for task in self.document.tasks:
            yield self._task(task)
        for prompt in workspace.prompts:
            yield self._prompt(prompt)
        if self.document.format == "plain" and self.document.active and self.document.context:
            yield self._for_model(self._at_tick(Planned(PLAIN_ID, Kind.PLAIN, Decision.WAIT, "")))
        if self.document.review:
            yield self._review()

    # -- one kind each ------------------------------------------------------------------------------------------

    def _action(self, action: Action) -> Planned:
        item = Planned(action.id, Kind.ACTION, Decision.WAIT, "")
        memory = self.moment.memory.get(item.key)
        if action.unclear:
            return self._blocked(item, action.unclear)
        if self._is_named(item):
            asked = self._now(item, self._following(action.schedule))
            return replace(asked, attempt=_attempt(action, memory))
        if self.by_name:
            return replace(item, reason="you asked for others")
        if self.document.held and action.schedule:
            return self._blocked(item, self.document.held)
        schedule = _schedule(action.schedule) if action.schedule else None
        assert not isinstance(schedule, Problem), "an unreadable schedule makes the action unclear"
        planned = self._once(item, action, memory) if schedule is None else self._scheduled(item, schedule, memory)
        if planned.decision is Decision.RUN or memory is None:
            return planned
        if memory.retry_at and memory.attempts < action.retry:
            return self._retry(planned, action, memory)
        if _again(action, schedule, memory):
            return self._if_active(replace(planned, slot=self.now), "you wrote PENDING again")
        return planned

    def _task(self, task: Task) -> Planned:
        item = Planned(task.id, Kind.TASK, Decision.WAIT, "")
        if task.checked:
            return replace(item, decision=Decision.SKIP, reason="it is ticked")
        if task.unclear:
            return self._blocked(item, task.unclear)
        if task.id in self.exhausted:
            reason = f"it failed {times(task.max_attempts)}; change its line, or: heartbeat retry {task.id}"
            return replace(item, decision=Decision.SKIP, reason=reason)
        attempt = self.attempts.get(task.id, 0) + 1
        if task.run:
            return replace(self._due_or_tick(item, task.schedule), attempt=attempt)
        return replace(self._for_model(self._due_or_put_off(item, task.schedule)), attempt=attempt)

    def _prompt(self, prompt: Prompt) -> Planned:
        item = Planned(prompt.id, Kind.PROMPT, Decision.WAIT, "")
        if prompt.unclear:
            return self._blocked(item, prompt.unclear)
        planned = self._due_or_put_off(item, prompt.schedule)
        # Without a model a gate is asked at the ticks only: what it lets in stays due, and a slot would come back.
        return planned if prompt.gate and not prompt.schedule else self._for_model(planned)

    def _review(self) -> Planned:
        item = self._at_tick(Planned(REVIEW_ID, Kind.REVIEW, Decision.WAIT, ""))
        if item.decision is Decision.RUN and self.moment.reviews_sent >= self.moment.settings.review.max_per_day:
            tomorrow = datetime.combine(self.now.date() + timedelta(days=1), time(), self.zone)
            reason = "today's message has been sent"
            return replace(item, decision=Decision.SKIP, reason=reason, slot=None, next=tomorrow)
        return self._for_model(item)

    def _due_or_put_off(self, item: Planned, text: str | None) -> Planned:
        """What no model could be had for is due again at the next tick, also where its own next slot is far."""
        planned = self._due_or_tick(item, text)
        memory = self.moment.memory.get(item.key)
        if planned.decision is Decision.RUN or not memory or memory.last_outcome is not Outcome.WAITING:
            return planned
        again = self._at_tick(item)
        if again.decision is Decision.RUN:
            return again
        return replace(planned, next=min(filter(None, (planned.next, again.next)), default=None))

    def _due_or_tick(self, item: Planned, text: str | None) -> Planned:
        schedule = _schedule(text) if text else None
        if schedule is None or isinstance(schedule, Problem):
            return self._at_tick(item)
        if self._is_named(item):
            return self._now(item, self._following(text))
        if self.by_name:
            return replace(item, reason="you asked for others")
        if self.document.held:
            return self._blocked(item, self.document.held)
        return self._scheduled(item, schedule, self.moment.memory.get(item.key))

    # -- when ---------------------------------------------------------------------------------------------------

    def _once(self, item: Planned, action: Action, memory: ItemMemory | None) -> Planned:
        """An action without a schedule runs once; the ledger, not the file, says whether it has."""
        if memory is None or memory.last_outcome is None:
            if memory and memory.last_slot and action.status in _NOT_YET_RUN:
                return self._at_tick(item)  # it was skipped, and is looked at again
            if action.status in _NOT_YET_RUN:
                seen = min(memory.first_seen, self.now) if memory else self.now  # a clock may have been ahead
                return self._if_active(replace(item, slot=seen), "it has not run yet")
            return replace(item, decision=Decision.SKIP, reason=f"its status is {action.status}")
        reason = _ENDED.get(memory.last_outcome, "it has run")
        if memory.last_outcome is Outcome.COMPLETED and action.status is ActionStatus.PENDING:
            reason = f"it has run; to run it again: heartbeat run {action.id}"
        return replace(item, decision=Decision.SKIP, reason=reason)

    def _scheduled(self, item: Planned, schedule: Schedule, memory: ItemMemory | None) -> Planned:
        started = self.moment.wish.resident_start
        if isinstance(schedule, Startup) and started and memory and memory.last_slot == started:
            # Whatever the clock says: set back far behind the start, it would look as if that were still to come.
            return replace(item, decision=Decision.SKIP, reason="has had its run since Heartbeat started")
        found = due(
            schedule,
            self.now,
            self.zone,
            memory.last_start if memory else None,
            memory.last_slot if memory else None,
            memory.first_seen if memory else None,
            self.catch_up,
            last_day=_last_day(schedule, memory) if memory else None,
            active=self.active,
            resident_start=started,
        )
        self.late = self.late or found.late
        planned = replace(
            item, reason=found.reason, next=found.next, missed=found.missed, counts_from=found.counts_from
        )
        slot = found.slot or found.waiting
        if isinstance(schedule, Startup) and slot and memory and memory.last_slot and memory.last_slot >= slot:
            # A clock far ahead has recorded its last run, and this one could not be told from it.
            planned = replace(planned, counts_from=slot - timedelta.resolution)
        if found.slot:
            return replace(planned, decision=Decision.RUN, slot=found.slot)
        if found.waiting:
            return replace(planned, slot=found.waiting, held_as=Outcome.WAITING)
        return replace(planned, decision=Decision.WAIT if found.next else Decision.SKIP)

    def _retry(self, planned: Planned, action: Action, memory: ItemMemory) -> Planned:
        assert memory.retry_at
        attempt = _attempt(action, memory)
        was_set_back = memory.last_finished is not None and memory.last_finished - self.now > SET_BACK
        retry_at = self.now if was_set_back else memory.retry_at
        if retry_at <= self.now:
            held = self._if_active(replace(planned, slot=retry_at), f"attempt {attempt} after a failure")
            return replace(held, attempt=attempt, next=held.next or planned.next)
        following = min(filter(None, (planned.next, retry_at)))
        return replace(planned, decision=Decision.WAIT, reason="it failed and is tried again later", next=following)

    def _at_tick(self, item: Planned) -> Planned:
        if self._is_named(item):
            return self._now(item, self.tick.next)
        if self.by_name:
            return replace(item, reason="you asked for others")
        if self.moment.wish.is_tick:  # it uses up a tick that is due, so that the timer does not bring it again
            asked = replace(item, slot=self.tick.slot or self.now, next=self.tick.next)
            return self._if_active(asked, "you asked for a beat")
        if self.document.held:
            return self._blocked(item, self.document.held)
        put_off = self.moment.postponed.get(item.key)
        if put_off and not self.tick.slot:
            return replace(item, decision=Decision.RUN, reason="its minute is over", slot=put_off, next=self.tick.next)
        decision = Decision.RUN if self.tick.slot else Decision.WAIT
        return replace(item, decision=decision, reason=self.tick.reason, slot=self.tick.slot, next=self.tick.next)

    def _tick(self) -> Due:
        """The interval's ticks behave like `every:`; the first comes at once."""
        last = self.moment.last_tick
        every = Every(self.moment.settings.interval)
        found = due(every, self.now, self.zone, last, last, None, timedelta.max, active=self.active)
        if found.slot:
            return replace(found, reason="the first tick" if last is None else f"the tick of {found.slot:%H:%M}")
        return replace(found, reason=f"not before the tick of {found.next:%H:%M}") if found.next else found

    def _if_active(self, item: Planned, reason: str) -> Planned:
        if self.active and not is_active(self.active, self.now, self.zone):
            opens = next_active(self.active, self.now, self.zone)
            when = f"{opens:%H:%M}" if opens.date() == self.now.date() else moment_text(opens, self.now)
            waits = f"{reason}; waits for the active hours at {when}"
            return replace(item, decision=Decision.WAIT, reason=waits, next=opens, held_as=Outcome.WAITING)
        return replace(item, decision=Decision.RUN, reason=reason)

    def _now(self, item: Planned, following: datetime | None) -> Planned:
        return replace(item, decision=Decision.RUN, reason="you asked for it", slot=self.now, next=following)

    def _following(self, text: str | None) -> datetime | None:
        """The slot after a start by hand."""
        schedule = _schedule(text) if text else None
        return None if schedule is None or isinstance(schedule, Problem) else next_slot(schedule, self.now, self.zone)

    # -- what is in the way -------------------------------------------------------------------------------------

    def _blocked(self, item: Planned, why: str) -> Planned:
        return replace(item, decision=Decision.BLOCKED, reason=why, slot=self.now, held_as=Outcome.NEEDS_CLARIFICATION)

    def with_readable_conditions(self, items: list[Planned]) -> list[Planned]:
        actions = {action.id: action for action in reversed(self.document.actions)}
        return [
            self._blocked(item, problem.message)
            if item.kind is Kind.ACTION
            and item.decision is Decision.RUN
            and (condition := actions[item.id].condition)
            and (problem := problem_with(condition, names_beside(actions)))
            else item
            for item in items
        ]

    def held_unless_approved(self, item: Planned) -> Planned:
        why = self.moment.unapproved.get(item.key)
        is_due = item.decision is Decision.RUN or item.held_as is Outcome.NEEDS_MODEL
        if why is None or not is_due:
            return item
        return replace(item, decision=Decision.BLOCKED, reason=why, held_as=Outcome.NEEDS_APPROVAL)

    def held_while_running(self, item: Planned) -> Planned:
        if item.decision is not Decision.RUN or item.key not in self.moment.running:
            return item
        later = self.now + LOOK_AGAIN
        return replace(item, decision=Decision.WAIT, reason=STILL_RUNNING, next=later, held_as=Outcome.WAITING)

    def held_until_tick(self, items: list[Planned]) -> list[Planned]:
        """What a beat left undone waits for the next tick; after a CRITICAL failure also for that action's next try."""
        if not self.moment.left or self.by_name or self.tick.slot or self.moment.wish.is_tick:
            return items
        critical = {one.id for one in self.document.actions if one.priority is Priority.CRITICAL}
        stopping = {stop_reason(one.id): one for one in items if one.kind is Kind.ACTION and one.id in critical}
        return [self._held(item, self.moment.left.get(item.key, ""), stopping) for item in items]

    def _held(self, item: Planned, reason: str, stopping: Mapping[str, Planned]) -> Planned:
        critical = stopping.get(reason)
        is_free = critical.decision is Decision.RUN if critical else not reason.startswith(UNDECIDED)
        if is_free or item.decision is not Decision.RUN:
            return item
        following = min(filter(None, (self.tick.next, critical.next if critical else None)), default=None)
        outcome = Outcome.WAITING if critical else Outcome.NEEDS_CLARIFICATION
        decision = Decision.WAIT if critical else Decision.BLOCKED
        return replace(item, decision=decision, reason=reason, next=following, held_as=outcome)

    def _for_model(self, item: Planned) -> Planned:
        hold = self.moment.model_hold
        if item.decision is not Decision.RUN or hold is None:
            return item
        decision = Decision.BLOCKED if hold.outcome is Outcome.NEEDS_MODEL else Decision.WAIT
        # Nothing wakes for a slot that would only wait: at the next tick there may be a model.
        following = hold.until or self.tick.next
        return replace(item, decision=decision, reason=hold.reason, held_as=hold.outcome, next=following)

    def _is_named(self, item: Planned) -> bool:
        return item.id in self.by_name or item.key in self.by_name


_ENDED = {
    Outcome.COMPLETED: "it is done",
    Outcome.FAILED: "it failed; write PENDING to run it again",
    Outcome.INTERRUPTED: "it was interrupted; write PENDING to run it again",
    Outcome.SKIPPED: "it was undone; `heartbeat run` with its id does it again",
}


# A file that came from elsewhere may hold any status; these say that the action is still to be done.
_NOT_YET_RUN = (ActionStatus.PENDING, ActionStatus.SKIPPED, ActionStatus.NEEDS_CLARIFICATION)


def _last_day(schedule: Schedule, memory: ItemMemory) -> date | None:
    if memory.last_slot is None or memory.last_slot_zone is None:
        return None
    return local_day(schedule, memory.last_slot.astimezone(memory.last_slot_zone))


def _attempt(action: Action, memory: ItemMemory | None) -> int:
    """The number of the next try: more than 1 where one failed and another is left, also after `retry` was lowered."""
    return memory.attempts + 1 if memory and memory.retry_at and memory.attempts < action.retry else 1


def _again(action: Action, schedule: Schedule | None, memory: ItemMemory) -> bool:
    """PENDING beside the instant of the *latest* run: the person's "again". An older instant is an old copy.

    After a success of a recurring action the program itself writes so, and the schedule may have changed since."""
    if action.status is not ActionStatus.PENDING or memory.last_finished is None:
        return False
    if memory.last_outcome is Outcome.COMPLETED and not isinstance(schedule, At | None):
        return False
    return memory.last_finished >= memory.first_seen and instant_text(memory.last_finished) in instants_shown(action)


def instants_shown(action: Action) -> set[str]:
    """When the action last ended, as its lines say."""
    return {field.value for field in action.fields if field.key in ("completed_at", "failed_at")}


def instant_text(moment: datetime) -> str:
    """An instant as it stands in the file: UTC, to the second."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def retry_after(action: Action, attempt: int) -> timedelta:
    """How long after a failed attempt the next one comes: doubling, at most 15 minutes."""
    longest = max(LONGEST_RETRY, action.retry_delay)
    doubled: int = 2 ** min(attempt - 1, 16)
    return min(action.retry_delay * doubled, longest)
