"""Whether a task has earned its points for this interval: running it again and again buys nothing.
Pure.

The interval is that of the task's own schedule, otherwise the one between two ticks.
"""

from datetime import datetime, timedelta, tzinfo

from core.model.diagnostic import Problem
from core.rules.timing.expressions import read_schedule

# A slot may be counted from a start that was this much late.
MOST_LATE = timedelta(seconds=30)
LATE_SHARE = 10  # at most this part of the interval


def has_earned(
    schedule: str | None, earned: datetime | None, slot: datetime, interval: timedelta, zone: tzinfo
) -> bool:
    """`earned` is the slot for which the task last earned points; None if it never did."""
    if earned is None or earned > slot:
        # A slot in the future was recorded by a clock that was wrong.
        return False

    read = read_schedule(schedule) if schedule else None
    following = None
    if read is not None and not isinstance(read, Problem):
        following = read.next_slot(earned, zone)

    if following is None:
        following = earned + interval

    slack = min((following - earned) / LATE_SHARE, MOST_LATE)
    return slot < following - slack
