"""`hourly`: at every local :00."""

from collections.abc import Iterator
from datetime import datetime, time

from core.model.light_dataclass import light_dataclass
from core.rules.timing.schedule import HOUR, ScheduleWord, WallClock
from core.rules.timing.times import is_digits


@light_dataclass(frozen=True, slots=True)
class Hourly(WallClock):
    def text(self) -> str:
        return "hourly"

    def sentence(self) -> str:
        return "Every hour, on the hour"

    def time_of_day(self) -> time | None:
        return None

    def is_rhythm(self) -> bool:
        return True

    def next_wall(self, wall: datetime) -> datetime:
        return wall.replace(minute=0, second=0, microsecond=0) + HOUR


def _read(_: str) -> Hourly:
    return Hourly()


def _suggest(rest: str) -> Iterator[str]:
    yield f"cron:'{rest} * * * *'" if is_digits(rest) else "hourly"


HOURLY = ScheduleWord(
    name="hourly", example="hourly", stands_alone=True, read=_read, suggest=_suggest
)
