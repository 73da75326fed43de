"""What the tray's menu says: a pure function of the status and the moment; it knows no desktop."""

from collections.abc import Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from core.model.announcements import REFUSED
from core.model.status import RecentBeat, State, Status
from tray_app.tray.commands import Act, Command, answers_to


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

MOST_NEEDS = 10
LONGEST_LABEL = 60


def entries(status: Status, now: datetime) -> tuple[Entry, ...]:
    running, paused = status.state is State.RUNNING, status.state is State.PAUSED
    return (
        Entry("state", state_line(status, now), enabled=False),
        Entry("cancel", "Cancel", Command(Act.CANCEL)) if running else Entry("run", "Run now", Command(Act.RUN)),
        Entry("resume", "Resume", Command(Act.RESUME)) if paused else Entry("pause-for", "Pause for", children=PAUSES),
        *needs(status),
        Entry("open", "Open HEARTBEAT.md", Command(Act.OPEN), default=True),
        *recent(status, now),
        Entry("key", "Set API key…", Command(Act.SET_KEY)),
        *start_at_login(status),
        Entry("quit", "Quit", Command(Act.QUIT)),
    )


def needs(status: Status) -> Iterator[Entry]:
    """A click does the first thing that the notification of the same trouble offers."""
    found = tuple(
        Entry(f"need-{need.trouble}", shortened(need.title), answers_to(need.trouble)[0].command)
        for need in status.needs[:MOST_NEEDS]
    )
    if found:
        yield Entry("needs", f"Needs you ({len(status.needs)})", children=found)


def recent(status: Status, now: datetime) -> Iterator[Entry]:
    beats = tuple(
        Entry(f"beat-{place}", beat_line(beat, now), Command(Act.RECEIPT, str(beat.number)))
        for place, beat in enumerate(status.recent)
    )
    if beats:
        yield Entry("recent", "Recent", children=beats)


def beat_line(beat: RecentBeat, now: datetime) -> str:
    counts = [f"{count} {word}" for count, word in ((beat.completed, "kept"), (beat.failed, "failed")) if count]
    return f"{moment(beat.started, now)} · {', '.join(counts) or 'nothing ran'}"


def start_at_login(status: Status) -> Iterator[Entry]:
    if status.starts_at_login is not None:
        wanted = "off" if status.starts_at_login else "on"
        yield Entry("login", "Start at login", Command(Act.AUTOSTART, wanted), checked=status.starts_at_login)


def state_line(status: Status, now: datetime) -> str:
    return sentence(status, next_beat(status, now), now) + kept_today(status)


def kept_today(status: Status) -> str:
    return "" if status.score.kept is None else f" · kept {round(status.score.kept * 100)} % today"


def tooltip(status: Status, now: datetime) -> str:
    """Like the state line, but with the clock time: it stays on the screen without being asked for again. Below it the
    last beats, the newest last."""
    words = f"Heartbeat: {lower_first(sentence(status, next_beat_at(status, now), now))}{kept_today(status)}"
    marks = "".join("✗" if beat.failed else "✓" for beat in reversed(status.recent))
    return f"{words}\n{marks}" if marks else words


def sentence(status: Status, coming: str, now: datetime) -> str:
    match status.state:
        case State.RUNNING:
            return "A beat is running"
        case State.PAUSED:
            return f"Paused until {moment(status.paused_until, now)}" if status.paused_until else "Paused until resumed"
        case State.STOPPED:
            return "Stopped"
        case State.ATTENTION:
            return f"{needs_you(status)} · {lower_first(coming)}"
        case State.ERROR:
            is_refused = any(need.trouble == REFUSED for need in status.needs)
            return f"{'HEARTBEAT.md is not read' if is_refused else 'The last beat failed'} · {lower_first(coming)}"
        case State.IDLE:
            return coming


def needs_you(status: Status) -> str:
    match status.needs:
        case ():
            return "Something needs you"
        case (only,):
            return shortened(only.title)
        case several:
            return f"{len(several)} things need you"


def shortened(words: str) -> str:
    return words if len(words) <= LONGEST_LABEL else words[: LONGEST_LABEL - 1] + "…"


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
