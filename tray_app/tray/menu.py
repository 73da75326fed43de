"""The entries of the tray's menu and the tooltip: pure functions of the status and of now."""

from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path
from typing import assert_never

from core.model.light_dataclass import light_dataclass
from core.model.status import RecentBeat, Status, WorkspaceState
from core.model.trouble import TroubleKind
from core.rules.printable import printable
from core.rules.scoring.words import kept_of_day
from core.rules.timing.instant_words import short_instant_words
from core.rules.workspace_names import workspace_name
from tray_app.tray.commands import MenuAction, MenuCommand, ResidentAction, answers_to


@light_dataclass(frozen=True, slots=True)
class Entry:
    id: str  # stays the same whatever the label says, so that an open menu survives a change
    label: str
    command: MenuCommand | None = None
    enabled: bool = True
    checked: bool | None = None  # None: not a check box
    default: bool = False  # what a plain click does on a desktop without menus
    children: tuple["Entry", ...] = ()


PAUSES = (
    Entry("pause-30m", "30 minutes", MenuCommand(ResidentAction.PAUSE, "30m")),
    Entry("pause-1h", "1 hour", MenuCommand(ResidentAction.PAUSE, "1h")),
    Entry("pause-tomorrow", "Until tomorrow", MenuCommand(ResidentAction.PAUSE, "tomorrow")),
    Entry("pause", "Until resumed", MenuCommand(ResidentAction.PAUSE)),
)

PAUSE = Entry("pause-for", "Pause for", children=PAUSES)
RESUME = Entry("resume", "Resume", MenuCommand(ResidentAction.RESUME))
RUN = Entry("run", "Run now", MenuCommand(ResidentAction.RUN))
CANCEL = Entry("cancel", "Cancel", MenuCommand(ResidentAction.CANCEL))

MOST_NEEDS = 10
MOST_RUNNING = 3
LONGEST_LABEL = 60
OF_AN_ITEM = (TroubleKind.FAILURE, TroubleKind.CONTRADICTION)


def entries(status: Status, now: datetime) -> tuple[Entry, ...]:
    return (
        Entry("state", f"{name_of(status)} · {state_line(status, now)}", enabled=False),
        *(
            Entry(f"running-{place}", line, enabled=False)
            for place, line in enumerate(running_lines(status, now))
        ),
        *kept_today(status),
        CANCEL if status.state is WorkspaceState.RUNNING else RUN,
        RESUME if status.state is WorkspaceState.PAUSED else PAUSE,
        *needs(status),
        Entry("open", "Open HEARTBEAT.md", MenuCommand(MenuAction.OPEN), default=True),
        *recent(status, now),
        Entry("key", "Set API key…", MenuCommand(MenuAction.SET_KEY)),
        *start_at_login(status),
        Entry("quit", "Quit", MenuCommand(ResidentAction.QUIT)),
    )


def needs(status: Status) -> Iterator[Entry]:
    """A click does what the first button of the notification about the same trouble does."""
    found = tuple(
        Entry(
            f"need-{need.trouble.text}", shortened(need.title), answers_to(need.trouble)[0].command
        )
        for need in status.needs[:MOST_NEEDS]
    )
    if found:
        yield Entry("needs", f"Needs you ({len(status.needs)})", children=found)


def recent(status: Status, now: datetime) -> Iterator[Entry]:
    beats = tuple(
        Entry(
            f"beat-{place}", beat_line(beat, now), MenuCommand(MenuAction.RECEIPT, str(beat.number))
        )
        for place, beat in enumerate(status.recent)
    )
    if beats:
        yield Entry("recent", "Recent", children=beats)


def beat_line(beat: RecentBeat, now: datetime) -> str:
    counts = []
    if beat.kept:
        counts.append(f"{beat.kept} kept")
    if beat.not_kept:
        counts.append(f"{beat.not_kept} not kept")

    words = ", ".join(counts) or without_promises(beat)
    return f"{short_instant_words(beat.started, now)} · {words}"


def without_promises(beat: RecentBeat) -> str:
    """A prompt is answered or fails, and promises nothing."""
    if beat.failed:
        return "failed"

    return "answered" if beat.completed else "unclear or skipped"


def beat_mark(beat: RecentBeat) -> str:
    if beat.not_kept or beat.failed:
        return "✗"

    return "✓" if beat.kept or beat.completed else "·"


def start_at_login(status: Status) -> Iterator[Entry]:
    if status.starts_at_login is not None:
        wanted = "off" if status.starts_at_login else "on"
        yield Entry(
            "login",
            "Start at login",
            MenuCommand(MenuAction.AUTOSTART, wanted),
            checked=status.starts_at_login,
        )


def state_line(status: Status, now: datetime) -> str:
    return sentence(status, next_beat(status, now), now, _capitalized)


def kept_today(status: Status) -> Iterator[Entry]:
    """A line of its own: a panel cuts off the end of a long one."""
    words = kept_words_of_today(status)
    if words:
        yield Entry("kept", words, enabled=False)


def kept_words_of_today(status: Status) -> str:
    words = kept_of_day(status.score)
    return f"{words} today" if words else ""


def running_lines(status: Status, now: datetime) -> list[str]:
    """What runs, since when, and what it printed last."""
    items = status.running.items[:MOST_RUNNING] if status.running else ()
    return [
        shortened(
            f"{printable(item.id)} since {short_instant_words(item.since, now)}"
            + (f": {printable(item.last_line)}" if item.last_line else "")
        )
        for item in items
    ]


def tooltip(status: Status, now: datetime) -> str:
    """Like the state line, but with the clock time, because it stays on the screen without being
    updated. Below it are what runs, what was kept today, and the last beats, the newest last."""
    state = sentence(status, next_beat_at(status, now), now, _as_it_is)
    name = name_of(status)
    who = "Heartbeat" if name == "Heartbeat" else f"Heartbeat · {name}"
    marks = "".join(map(beat_mark, reversed(status.recent)))
    beats = f"Last beats: {marks}" if marks else ""
    below = [*running_lines(status, now), kept_words_of_today(status), beats]
    return "\n".join([f"{who}: {state}", *filter(None, below)])


def name_of(status: Status) -> str:
    """The workspace's name: several of them may have an icon each."""
    return workspace_name(Path(status.workspace))


def sentence(status: Status, coming: str, now: datetime, begun: Callable[[str], str]) -> str:
    """The state in words. `begun` makes our own words the beginning of a line; the title of a need
    begins with the name of an item or a file, which stays as it is."""
    match status.state:
        case WorkspaceState.RUNNING:
            return begun("a beat is running")
        case WorkspaceState.PAUSED:
            end = status.paused_until
            return begun(f"paused until {short_instant_words(end, now) if end else 'resumed'}")
        case WorkspaceState.STOPPED:
            return begun("stopped")
        case WorkspaceState.ATTENTION:
            return f"{needs_you(status, begun)} · {coming}"
        case WorkspaceState.ERROR:
            return f"{error_words(status, begun)} · {coming}"
        case WorkspaceState.IDLE:
            return begun(coming)
        case _:
            assert_never(status.state)


def error_words(status: Status, begun: Callable[[str], str]) -> str:
    """What failed, by its name where it is one thing."""
    if _is_refused(status):
        return "HEARTBEAT.md is not read"

    failed = [need for need in status.needs if need.trouble.kind in OF_AN_ITEM]
    return shortened(failed[0].title) if len(failed) == 1 else begun("the last beat failed")


def needs_you(status: Status, begun: Callable[[str], str]) -> str:
    if not status.needs:
        return begun("something needs you")
    if len(status.needs) == 1:
        return shortened(status.needs[0].title)

    return f"{len(status.needs)} things need you"


def _capitalized(words: str) -> str:
    return words[0].upper() + words[1:]


def _as_it_is(words: str) -> str:
    return words


def _is_refused(status: Status) -> bool:
    return any(need.trouble.kind is TroubleKind.REFUSED for need in status.needs)


def shortened(words: str) -> str:
    return words if len(words) <= LONGEST_LABEL else words[: LONGEST_LABEL - 1] + "…"


def next_beat(status: Status, now: datetime) -> str:
    wait = status.next_beat - now if status.next_beat else timedelta()
    if not timedelta() < wait < timedelta(days=1):
        return next_beat_at(status, now)

    if wait < timedelta(minutes=1):
        return "next beat in under a minute"

    return f"next beat in {hours_and_minutes(wait)}"


def next_beat_at(status: Status, now: datetime) -> str:
    if status.next_beat is None:
        return "nothing scheduled"
    if status.next_beat <= now:
        return "next beat is due"

    return f"next beat {short_instant_words(status.next_beat, now)}"


def hours_and_minutes(wait: timedelta) -> str:
    """Rounded up: "in 1 min" is never already over."""
    hours, minutes = divmod(-(-wait // timedelta(minutes=1)), 60)
    return " ".join(f"{count} {unit}" for count, unit in ((hours, "h"), (minutes, "min")) if count)
