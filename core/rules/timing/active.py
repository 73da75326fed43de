"""Active hours: one window per day, such as `09:00-18:00 mon-fri`, without its last instant; the
days are those on which a window opens.

A window lies between two instants, found by the same rules as slots: it opens and closes once per
day also when clocks change.
"""

from datetime import date, datetime, time, timedelta, tzinfo
from itertools import count

from core.model.diagnostic import Problem
from core.model.schedule import ALL_DAYS, DAY_NAMES, ActiveHours
from core.rules.printable import quoted
from core.rules.timing.times import corrected_days, corrected_time, read_time
from core.rules.timing.zones import in_zone, instant_of, wall_clock

LONGEST_TEXT = 100
DAY = timedelta(days=1)
HINT = "Write them like `09:00-18:00 mon-fri`."


def read_active(text: str, called: str = "active hours") -> ActiveHours | Problem:
    """The active hours, or what to write instead; `called` is what a person calls them."""
    text = text.strip()
    if len(text) > LONGEST_TEXT:
        return Problem(f"{quoted(text)} is too long for {called}.", HINT)

    active = _read(text, called)
    if not isinstance(active, Problem):
        return active

    meant = _meant(text)
    if isinstance(_read(meant, called), Problem):
        return active

    return Problem(active.message, f"Write `{meant}`.")


def is_active(active: ActiveHours, instant: datetime, zone: tzinfo) -> bool:
    """Whether the instant lies in a window; one that opened yesterday may still be open."""
    today = wall_clock(instant, zone).date()
    for day in (today - DAY, today):
        if day.weekday() not in active.days:
            continue

        opens, closes = _window(active, day, zone)
        if opens <= instant < closes:
            return True

    return False


def next_active(active: ActiveHours, instant: datetime, zone: tzinfo) -> datetime:
    """The instant itself where it is active, else the instant at which the next window opens."""
    if is_active(active, instant, zone):
        return in_zone(instant, zone)

    today = wall_clock(instant, zone).date()
    days = (today + number * DAY for number in count())
    windows = (_window(active, day, zone) for day in days if day.weekday() in active.days)

    return next(in_zone(opens, zone) for opens, closes in windows if instant < opens < closes)


def _window(active: ActiveHours, day: date, zone: tzinfo) -> tuple[datetime, datetime]:
    """When the window of a day opens and closes; it closes on the next day where it spans
    midnight."""
    last_day = day if active.end > active.start else day + DAY
    opens = instant_of(datetime.combine(day, active.start), zone)
    closes = instant_of(datetime.combine(last_day, active.end), zone)
    return opens, closes


def _read(text: str, called: str) -> ActiveHours | Problem:
    hours, _, days_text = text.partition(" ")
    start_text, _, end_text = hours.partition("-")
    start = read_time(start_text)
    end = time.min if end_text == "24:00" else read_time(end_text)
    if isinstance(start, Problem) or isinstance(end, Problem):
        return Problem(f"{quoted(text)} are not {called}.", HINT)

    if start_text == end_text:
        return Problem(
            f"{quoted(hours)} has no beginning and no end.",
            "Write two different times, such as `09:00-18:00`.",
        )

    days = _read_days(days_text)
    return days if isinstance(days, Problem) else ActiveHours(start, end, days)


def _read_days(text: str) -> frozenset[int] | Problem:
    if not text:
        return ALL_DAYS

    for name in text.lower().replace("-", ",").split(","):
        if name not in DAY_NAMES:
            return Problem(
                f"{quoted(name)} is not a day of the week.", f"Days are {', '.join(DAY_NAMES)}."
            )

    names = corrected_days(text).split(",")  # a range becomes its single days
    if any("-" in name for name in names):
        return Problem(
            f"{quoted(text)} are not days of the week.",
            "Write them like `mon-fri` or `mon,wed,fri`.",
        )

    return frozenset(DAY_NAMES.index(name) for name in names)


def _meant(text: str) -> str:
    """What was probably meant by `9-18`, `09:00 – 18:00`, `mon-fri 09:00-18:00` or `9am to 5pm
    weekdays`."""
    plain = (
        text.lower()
        .replace("–", "-")
        .replace(" to ", "-")
        .replace("weekdays", "mon-fri")
        .replace("weekends", "sat-sun")
        .replace(" -", "-")
        .replace("- ", "-")
        .replace(", ", ",")
    )

    hours = next((word for word in plain.split() if word[0] in "0123456789"), "")
    days = "".join(word for word in plain.split() if word != hours)
    start, _, end = hours.partition("-")
    end = end if end == "24:00" else corrected_time(end)

    return f"{corrected_time(start)}-{end} {_short_days(days)}".rstrip()


def _short_days(text: str) -> str:
    """`monday-friday` as `mon-fri`."""
    return ",".join("-".join(name[:3] for name in part.split("-")) for part in text.split(","))


def is_quiet(hours: str, now: datetime) -> bool:
    """Whether now lies in the quiet hours of the settings; `now` is in the person's zone."""
    quiet = read_active(hours) if hours else None
    if quiet is None or isinstance(quiet, Problem) or now.tzinfo is None:
        return False

    return is_active(quiet, now, now.tzinfo)
