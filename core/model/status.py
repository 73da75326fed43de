"""The status of a workspace at one instant. All that a person sees (tray, `status`, pages) is a
function of it."""

from datetime import datetime
from enum import StrEnum

from core.model.light_dataclass import light_dataclass
from core.model.trouble import TroubleKey


class WorkspaceState(StrEnum):
    IDLE = "idle"
    RUNNING = "running"  # a beat is at work
    PAUSED = "paused"
    ATTENTION = "attention"  # something waits for the person
    ERROR = "error"  # the last beat failed, or the file cannot be read
    STOPPED = "stopped"  # no resident process


@light_dataclass(frozen=True, slots=True)
class TodaysScore:
    today: int = 0
    target: int = 50
    streak: int = 0  # days in a row with the target reached
    level: str | None = None  # None before the day's first verdict
    kept: float | None = None  # promises kept / promises due, 0 to 1; None if none was due yet
    kept_count: int = 0
    due_count: int = 0


@light_dataclass(frozen=True, slots=True)
class ModelInUse:
    provider: str | None = None  # None: Heartbeat works without one
    model: str | None = None
    requests: int = 0  # today
    usd: float | None = None  # today; None if no price is known
    key_from: str | None = None  # `keyring`, or the variable that its key comes from
    problem: str | None = None  # why it gave no answer the last time, and what to do


@light_dataclass(frozen=True, slots=True)
class RecentBeat:
    number: int
    started: datetime
    kept: int  # promises, of those that were due
    not_kept: int
    completed: int = 0  # items that ended well, also where they promise nothing
    failed: int = 0


@light_dataclass(frozen=True, slots=True)
class Need:
    """Something that waits for the person."""

    trouble: TroubleKey
    title: str


@light_dataclass(frozen=True, slots=True)
class RunningItem:
    id: str
    since: datetime
    last_line: str  # of what it has printed so far, without secrets; empty if there is none


@light_dataclass(frozen=True, slots=True)
class Running:
    """What is running. Items may run in the background without a beat."""

    beat: int | None  # None before it has a number, and where no beat is running
    since: datetime
    items: tuple[RunningItem, ...] = ()  # the one that runs longest is first
    is_beat: bool = True


@light_dataclass(frozen=True, slots=True)
class Status:
    workspace: str
    state: WorkspaceState
    is_watched: bool = False  # a resident process keeps watch
    paused_until: datetime | None = None  # while paused, None means until resumed
    last_beat: datetime | None = None
    next_beat: datetime | None = None
    score: TodaysScore = TodaysScore()
    approvals_waiting: int = 0
    model: ModelInUse = ModelInUse()
    recent: tuple[RecentBeat, ...] = ()  # newest first
    needs: tuple[Need, ...] = ()
    starts_at_login: bool | None = None  # None: it was not checked
    is_paused: bool = False  # also while there is no resident process
    is_enabled: bool = True  # the settings let beats start by themselves
    run_by: str | None = None  # the name of another machine that runs this workspace
    moved_from: str | None = None  # the folder's earlier path, until the person has read of it
    running: Running | None = None
