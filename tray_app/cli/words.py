"""Moments and durations as the commands say them."""

from datetime import datetime, timedelta

from core.rules.timing.durations import duration_words
from core.rules.timing.moments import moment_text


def moment(when: datetime | None, now: datetime) -> str:
    """A moment in the zone of `now`, as short as it is clear; nothing: "never"."""
    return moment_text(when.astimezone(now.tzinfo), now) if when else "never"


def distance(when: datetime, now: datetime) -> str:
    """ "in 20 min", "4 s ago"."""
    apart = when - now
    if apart < timedelta():
        return f"{duration_words(-apart)} ago"
    return f"in {duration_words(apart)}" if apart >= timedelta(seconds=1) else "now"


def moment_and_distance(when: datetime | None, now: datetime) -> str:
    return f"{moment(when, now)} ({distance(when, now)})" if when else "never"
