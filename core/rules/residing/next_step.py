"""What the resident does next. Pure: a situation and the time come in, one step goes
out."""

from datetime import datetime, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.model.ledger import Pause, PlanNote, RunRequest
from core.model.light_dataclass import light_dataclass
from core.model.occurrence import BeatReason
from core.rules.timing.zones import read_zone

FIRST_REST = timedelta(seconds=1)
LONGEST_REST = timedelta(minutes=10)


@light_dataclass(frozen=True, slots=True)
class Situation:
    child_at_work: bool
    plan_wanted: bool  # a file, the settings or the clock changed, or the process has just started
    note: PlanNote | None  # what the last plan left
    pause: Pause | None
    request: RunRequest | None
    rest_until: datetime | None = None  # after a child that crashed or got nowhere
    is_elsewhere: bool = False  # another machine has taken the workspace over
    is_away: bool = False  # the workspace's folder is not there


@light_dataclass(frozen=True, slots=True)
class StartPlan:
    pass


@light_dataclass(frozen=True, slots=True)
class StartBeat:
    reason: BeatReason


@light_dataclass(frozen=True, slots=True)
class Sleep:
    """Until that time or until something happens; None: nothing is due by itself."""

    until: datetime | None


Step = StartPlan | StartBeat | Sleep


def next_step(situation: Situation, now: datetime) -> Step:
    """The first of these that applies."""
    if situation.child_at_work or situation.is_away:
        return Sleep(None)

    request = situation.request
    if request and not request.by_agent:  # the person waits for it: also while resting or paused
        return StartBeat(BeatReason.PERSON)
    if situation.is_elsewhere:
        return Sleep(None)

    return _step_by_itself(situation, now)


def _step_by_itself(situation: Situation, now: datetime) -> Step:
    if situation.rest_until and now < situation.rest_until:
        return Sleep(situation.rest_until)
    if situation.plan_wanted or situation.note is None:
        return StartPlan()
    if situation.pause and is_paused(situation.pause, now):
        return Sleep(situation.pause.until)
    if situation.request:
        return StartBeat(BeatReason.AGENT)

    wake = situation.note.next_wake
    if wake is None or not situation.note.is_enabled:
        return Sleep(None)

    return StartBeat(BeatReason.TIMER) if wake <= now else Sleep(wake)


def is_paused(pause: Pause, now: datetime) -> bool:
    return pause.until is None or now < pause.until


def wake_after(pause: Pause | None, wake: datetime | None, now: datetime) -> datetime | None:
    """When the next beat comes by itself: not before a pause is over."""
    if wake is None or pause is None or not is_paused(pause, now):
        return wake
    return max(wake, pause.until) if pause.until else None


def noted_zone(note: PlanNote | None, system: tzinfo) -> tzinfo:
    """The zone of the workspace, as the last plan read it in the file; else the system's."""
    zone = read_zone(note.timezone) if note and note.timezone else system
    return system if isinstance(zone, Problem) else zone


def rest_after(failures: int) -> timedelta:
    """How long to wait after so many children in a row that crashed or got nowhere."""
    doubled: int = 2 ** min(failures - 1, 20)
    return min(FIRST_REST * doubled, LONGEST_REST)
