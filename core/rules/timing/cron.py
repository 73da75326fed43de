"""Cron expressions: five fields by Vixie's rules. cronsim knows the calendar; zones.py alone knows clock changes.

cronsim is slow to import and most files have no cron expression, so it is imported where one is used. It is asked
for wall-clock times only: with a zone it loses times around changes that are not of a whole hour (Lord Howe, Chatham).
"""

from datetime import datetime

from core.model.diagnostic import Problem
from core.model.schedule import Cron
from core.rules.timing.mending import quoted

EXAMPLE = "cron:'*/5 * * * *'"
# A calendar without a zone. It repeats every 28 years, so what does not come in cronsim's 50 years never comes.
SOME_DAY = datetime(2000, 1, 1)  # noqa: DTZ001


def read_cron(text: str) -> Cron | Problem:
    from cronsim import CronSim, CronSimError

    if len(text) > 1 and text[0] == text[-1] and text[0] in "'\"":
        text = text[1:-1]
    fields = text.upper().split()
    if len(fields) != 5:
        message = f"A cron expression has five fields, and here are {len(fields)}."
        return Problem(message, f"Minute, hour, day, month and weekday, such as `{EXAMPLE}`.")
    expression = " ".join(fields)
    try:
        if next(CronSim(expression, SOME_DAY), None):
            return Cron(expression)
    except CronSimError as error:
        if _fits(fields):  # each by itself: it is a day that this month never has
            return _never_comes(expression)
        message = f"The {str(error).removeprefix('Bad ')} of {quoted(expression)} does not fit."
        return Problem(
            message, "Minutes go from 0 to 59, hours 0 to 23, days 1 to 31, months 1 to 12, weekdays 0 to 7."
        )
    return _never_comes(expression)


def _fits(fields: list[str]) -> bool:
    """Whether each field is right beside others that allow everything."""
    from cronsim import CronSim, CronSimError

    try:
        for place, field in enumerate(fields):
            CronSim(" ".join(field if place == other else "*" for other in range(5)), SOME_DAY)
    except CronSimError:
        return False
    return True


def _never_comes(expression: str) -> Problem:
    return Problem(f"{quoted(expression)} never comes.", "Look at its day, month and weekday together.")


def next_match(cron: Cron, wall: datetime) -> datetime:
    """The first matching wall-clock time after a naive one; read_cron has made sure that there is one."""
    from cronsim import CronSim

    return next(CronSim(cron.fields, wall))


def follows_elapsed_time(cron: Cron) -> bool:
    """Vixie's rule: with a `*` at the start of minute or hour it is not a time of day but a rhythm."""
    minute, hour = cron.fields.split()[:2]
    return minute.startswith("*") or hour.startswith("*")


def cron_words(cron: Cron) -> str:
    from cronsim import CronSim

    return str(CronSim(cron.fields, SOME_DAY).explain())
