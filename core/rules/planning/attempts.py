"""When an action is tried again: after a failure by itself, or because the person wrote PENDING.
Pure."""

from datetime import UTC, datetime, timedelta, tzinfo

from core.model.document import Action, ActionStatus
from core.model.ledger import ItemPast
from core.model.occurrence import Outcome
from core.rules.timing.schedule import Schedule

LONGEST_RETRY = timedelta(minutes=15)


def retry_after(action: Action, attempt: int) -> timedelta:
    """How long after a failed attempt the next one comes: doubling, at most 15 minutes."""
    longest = max(LONGEST_RETRY, action.retry_delay)
    doubled: int = 2 ** min(attempt - 1, 16)
    return min(action.retry_delay * doubled, longest)


def has_attempts_left(action: Action, past: ItemPast | None) -> bool:
    """Whether an attempt failed and another one is left, also after `retry` was lowered."""
    return bool(past and past.retry_at and past.attempts < action.retry)


def next_attempt(action: Action, past: ItemPast | None) -> int:
    """The number of the next attempt: more than 1 where one failed and another one is left."""
    return past.attempts + 1 if past and has_attempts_left(action, past) else 1


def is_wanted_again(action: Action, schedule: Schedule | None, past: ItemPast) -> bool:
    """Whether the person wrote PENDING next to the instant of the *latest* run. Next to an older
    instant it is an old copy of the file.

    After a recurring action has succeeded the program itself writes PENDING there, and the
    schedule may have changed since."""
    if action.status is not ActionStatus.PENDING or past.last_finished is None:
        return False
    is_recurring = schedule is not None and not schedule.happens_once()
    if past.last_outcome is Outcome.COMPLETED and is_recurring:
        return False
    if past.last_finished < past.first_seen:
        return False

    return shows_end(action, past.last_finished)


def shows_end(action: Action, finished: datetime) -> bool:
    """Whether its lines say that it last ended then. They show no fractions of a second, and
    earlier versions wrote them in UTC."""
    end = finished.replace(microsecond=0)
    written = [one.value for one in action.fields if one.key in ("completed_at", "failed_at")]
    return any(_is_instant(text, end) for text in written)


def _is_instant(text: str, instant: datetime) -> bool:
    try:
        read = datetime.fromisoformat(text)
    except ValueError:
        return False

    return read.tzinfo is not None and read == instant


def instant_text(instant: datetime, zone: tzinfo = UTC) -> str:
    """An instant as the file shows it: in its zone, to the second."""
    local = instant.astimezone(zone).replace(microsecond=0)
    return local.isoformat() if local.utcoffset() else f"{local:%Y-%m-%dT%H:%M:%SZ}"
