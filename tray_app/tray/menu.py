"""What the tray's menu says: a pure function of the status and the moment; it knows no desktop."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum

from core.model.status import State, Status


class Act(StrEnum):
    RUN = "run"
    PAUSE = "pause"
    RESUME = "resume"
    OPEN = "open"
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Command:
    """What the person asked for. `argument` of a pause: a duration, `tomorrow`, or nothing for "until resumed"."""

    act: Act
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Entry:
    id: str  # stays the same whatever the label says, so that an open menu survives a change
    label: str
    command: Command | None = None
    enabled: bool = True
    checked: bool | None = None  # none: not a check box
    default: bool = False  # done by a plain click where a desktop has no menus
    children: tuple["Entry", ...] = ()


PAUSES = (
    Entry("pause-30m", "30 minutes", Command(Act.PAUSE, "30m")),
    Entry("pause-1h", "1 hour", Command(Act.PAUSE, "1h")),
    Entry("pause-tomorrow", "Until tomorrow", Command(Act.PAUSE, "tomorrow")),
    Entry("pause", "Until resumed", Command(Act.PAUSE)),
)


def entries(status: Status, now: datetime) -> tuple[Entry, ...]:
    paused = status.state is State.PAUSED
    return (
        Entry("state", state_line(status, now), enabled=False),
        Entry("run", "Run now", Command(Act.RUN), enabled=status.state is not State.RUNNING),
        Entry("resume", "Resume", Command(Act.RESUME)) if paused else Entry("pause-for", "Pause for", children=PAUSES),
        Entry("open", "Open HEARTBEAT.md", Command(Act.OPEN), default=True),
        Entry("quit", "Quit", Command(Act.QUIT)),
    )


def state_line(status: Status, now: datetime) -> str:
    return sentence(status, next_beat(status, now), now)


def tooltip(status: Status, now: datetime) -> str:
    """Like the state line, but with the clock time: it stays on the screen without being asked for again."""
    return f"Heartbeat: {lower_first(sentence(status, next_beat_at(status, now), now))}"


def sentence(status: Status, coming: str, now: datetime) -> str:
    match status.state:
        case State.RUNNING:
            return "A beat is running"
        case State.PAUSED:
            return f"Paused until {moment(status.paused_until, now)}" if status.paused_until else "Paused until resumed"
        case State.STOPPED:
            return "Stopped"
        case State.ATTENTION:
            return f"{needs_you(status.approvals_waiting)} · {lower_first(coming)}"
        case State.ERROR:
            return f"The last beat failed · {lower_first(coming)}"
        case State.IDLE:
            return coming


def needs_you(approvals: int) -> str:
    match approvals:
        case 0:
            return "Needs you"
        case 1:
            return "1 approval waits for you"
        case _:
            return f"{approvals} approvals wait for you"


def next_beat(status: Status, now: datetime) -> str:
    wait = status.next_beat - now if status.next_beat else timedelta()
    if not timedelta() < wait < timedelta(days=1):
        return next_beat_at(status, now)
    return "Next beat in " + ("under a minute" if wait < timedelta(minutes=1) else hours_and_minutes(wait))


def next_beat_at(status: Status, now: datetime) -> str:
    if status.next_beat is None:
        return "Nothing scheduled"
    return "Next beat is due" if status.next_beat <= now else f"Next beat {moment(status.next_beat, now)}"


def hours_and_minutes(wait: timedelta) -> str:
    """Rounded up: "in 1 min" is never already over."""
    hours, minutes = divmod(-(-wait // timedelta(minutes=1)), 60)
    return " ".join(f"{count} {unit}" for count, unit in ((hours, "h"), (minutes, "min")) if count)


def moment(when: datetime, now: datetime) -> str:
    """A clock time in the zone of `now`, with as much of the date as it takes to be clear."""
    when = when.astimezone(now.tzinfo)
    days = (when.date() - now.date()).days
    if days == 0:
        return f"{when:%H:%M}"
    return f"{when:%a %H:%M}" if 0 < days < 7 else f"{when:%a} {when.day} {when:%b %H:%M}"


def lower_first(words: str) -> str:
    return words[0].lower() + words[1:]
