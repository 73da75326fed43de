"""Cron expressions: five fields by Vixie's rules. cronsim knows the calendar; zones.py alone knows
clock changes.

cronsim is slow to import and most files have no cron expression, so it is imported where one is
used. It is asked for wall-clock times only: with a zone it loses times around changes that are
not of a whole hour (Lord Howe, Chatham).
"""

from collections.abc import Iterator
from datetime import datetime, time

from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.rules.printable import quoted
from core.rules.timing.schedule import ScheduleWord, WallClock
from core.rules.timing.times import corrected_time

EXAMPLE = "cron:'*/5 * * * *'"
RANGES = "Minutes go from 0 to 59, hours 0 to 23, days 1 to 31, months 1 to 12, weekdays 0 to 7"
# A calendar without a zone. It repeats every 28 years, so what does not come in cronsim's 50 years
# never comes.
SOME_DAY = datetime(2000, 1, 1)  # noqa: DTZ001 - the zone is left out on purpose


@light_dataclass(frozen=True, slots=True)
class Cron(WallClock):
    fields: str  # five, in upper case, one space between them; known to be readable

    def text(self) -> str:
        return f"cron:'{self.fields}'"

    def sentence(self) -> str:
        from cronsim import CronSim

        return str(CronSim(self.fields, SOME_DAY).explain())

    def time_of_day(self) -> time | None:
        return None

    def is_rhythm(self) -> bool:
        """Vixie's rule: with a `*` at the start of minute or hour it is not a time of day but a
        rhythm."""
        minute, hour = self.fields.split()[:2]
        return minute.startswith("*") or hour.startswith("*")

    def next_wall(self, wall: datetime) -> datetime:
        """There always is one: read_cron refuses expressions that never come."""
        from cronsim import CronSim

        return next(CronSim(self.fields, wall))


def read_cron(text: str) -> Cron | Problem:
    from cronsim import CronSim, CronSimError

    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]

    fields = text.upper().split()
    if len(fields) != 5:
        found = "is 1" if len(fields) == 1 else f"are {len(fields)}"
        message = f"A cron expression has five fields, and here {found}."
        return Problem(message, f"Minute, hour, day, month and weekday, such as `{EXAMPLE}`.")

    expression = " ".join(fields)
    try:
        if next(CronSim(expression, SOME_DAY), None):
            return Cron(expression)
    except CronSimError as error:
        if _fits(fields):  # so it is a day that the month never has
            return _never_comes(expression)

        message = f"The {str(error).removeprefix('Bad ')} of {quoted(expression)} is not valid."
        return Problem(message, f"{RANGES}.")

    return _never_comes(expression)


def _fits(fields: list[str]) -> bool:
    """Whether each field is right by itself, next to others that allow everything."""
    from cronsim import CronSim, CronSimError

    try:
        for place, field in enumerate(fields):
            alone = ["*"] * 5
            alone[place] = field
            CronSim(" ".join(alone), SOME_DAY)
    except CronSimError:
        return False

    return True


def _never_comes(expression: str) -> Problem:
    return Problem(
        f"{quoted(expression)} never occurs.", "Check its day, month and weekday together."
    )


def _suggest(rest: str) -> Iterator[str]:
    yield f"cron:{corrected_time(rest)}"


CRON = ScheduleWord("cron", EXAMPLE, False, read_cron, _suggest)
