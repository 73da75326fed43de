"""Active hours: one half-open window a day, `09:00-18:00 mon-fri`; the days are those on which a window opens.

A window is a stretch of instants, by the same rules as slots: it opens and closes once a day also when clocks change.
"""

from datetime import date, datetime, time, timedelta, tzinfo
from itertools import count

from core.model.diagnostic import Problem
from core.model.schedule import ALL_DAYS, DAY_NAMES, WEEKDAYS, WEEKENDS, ActiveHours
from core.rules.timing.expressions import read_time
from core.rules.timing.mending import quoted
from core.rules.timing.suggestions import mended_days, mended_time
from core.rules.timing.zones import in_zone, instant_of, wall_clock

LONGEST_TEXT = 100
DAY = timedelta(days=1)
HINT = "Write them like `09:00-18:00 mon-fri`."


def read_active(text: str) -> ActiveHours | Problem:
    text = text.strip()
    if len(text) > LONGEST_TEXT:
        return Problem(f"{quoted(text)} is too long for active hours.", HINT)
    active, meant = _read(text), _meant(text)
    if isinstance(active, Problem) and not isinstance(_read(meant), Problem):
        return Problem(active.message, f"Write `{meant}`.")
    return active


def active_text(active: ActiveHours) -> str:
    """The one way to write it; it reads back as the same hours."""
    whole_day = active.start == active.end
    hours = f"{active.start:%H:%M}-" + ("24:00" if whole_day else f"{active.end:%H:%M}")
    names = {ALL_DAYS: "", WEEKDAYS: " mon-fri", WEEKENDS: " sat-sun"}
    days = names.get(active.days)
    return hours + (" " + ",".join(DAY_NAMES[day] for day in sorted(active.days)) if days is None else days)


def is_active(active: ActiveHours, moment: datetime, zone: tzinfo) -> bool:
    yesterday = wall_clock(moment, zone).date() - DAY
    windows = (_window(active, day, zone) for day in (yesterday, yesterday + DAY) if day.weekday() in active.days)
    return any(opens <= moment < closes for opens, closes in windows)


def next_active(active: ActiveHours, moment: datetime, zone: tzinfo) -> datetime:
    """The moment itself where it is active, else the instant at which the next window opens."""
    if is_active(active, moment, zone):
        return in_zone(moment, zone)
    today = wall_clock(moment, zone).date()
    days = (today + number * DAY for number in count())
    windows = (_window(active, day, zone) for day in days if day.weekday() in active.days)
    return next(in_zone(opens, zone) for opens, closes in windows if opens > moment and opens < closes)


def _window(active: ActiveHours, day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    last_day = day if active.end > active.start else day + DAY
    opens = instant_of(datetime.combine(day, active.start), zone)
    return opens, instant_of(datetime.combine(last_day, active.end), zone)


def _read(text: str) -> ActiveHours | Problem:
    hours, _, days_text = text.partition(" ")
    start_text, _, end_text = hours.partition("-")
    start = read_time(start_text)
    end = time.min if end_text == "24:00" else read_time(end_text)
    if isinstance(start, Problem) or isinstance(end, Problem):
        return Problem(f"{quoted(text)} are not active hours.", HINT)
    if start_text == end_text:
        return Problem(f"{quoted(hours)} has no beginning and no end.", "Leave it out where every hour is active.")
    days = _read_days(days_text)
    return days if isinstance(days, Problem) else ActiveHours(start, end, days)


def _read_days(text: str) -> frozenset[int] | Problem:
    if not text:
        return ALL_DAYS
    for name in text.lower().replace("-", ",").split(","):
        if name not in DAY_NAMES:
            return Problem(f"{quoted(name)} is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}.")
    names = mended_days(text).split(",")  # ranges as single days
    if any("-" in name for name in names):
        return Problem(f"{quoted(text)} are not days of the week.", "Write them like `mon-fri` or `mon,wed,fri`.")
    return frozenset(DAY_NAMES.index(name) for name in names)


def _meant(text: str) -> str:
    """What was probably meant by `9-18`, `09:00 – 18:00`, `mon-fri 09:00-18:00` or `9am to 5pm weekdays`."""
    plain = text.lower().replace("–", "-").replace(" to ", "-").replace("weekdays", "mon-fri")
    plain = plain.replace("weekends", "sat-sun").replace(" -", "-").replace("- ", "-").replace(", ", ",")
    hours = next((word for word in plain.split() if word[0] in "0123456789"), "")
    days = "".join(word for word in plain.split() if word != hours)
    start, _, end = hours.partition("-")
    end = end if end == "24:00" else mended_time(end)
    return f"{mended_time(start)}-{end} {_short_days(days)}".rstrip()


def _short_days(text: str) -> str:
    """`monday-friday` as `mon-fri`."""
    return ",".join("-".join(name[:3] for name in part.split("-")) for part in text.split(","))


def is_quiet(hours: str, now: datetime) -> bool:
    """Whether the moment lies in the quiet hours of the settings; `now` is in the person's zone."""
    quiet = read_active(hours) if hours else None
    if quiet is None or isinstance(quiet, Problem) or now.tzinfo is None:
        return False
    return is_active(quiet, now, now.tzinfo)
