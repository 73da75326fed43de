"""Tells each trouble once, again when it changes, and once when it is over (SPEC 10). Pure: its memory comes and goes.

At most so many messages an hour; what is too much, and what comes in quiet hours, is held for one digest.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta
from types import MappingProxyType

from core.model.announcements import Announcements, Message, Told, Trouble
from core.model.report import Notice

HOUR, DAY = timedelta(hours=1), timedelta(days=1)
MOST_DELIVERED, LONGEST_DELIVERED = 20, 200  # of what was said in the last day: messages, and characters of each
MOST_TOLD = 500  # troubles remembered; the oldest are forgotten first
MOST_HELD = 50  # where no channel ever takes anything; the oldest are forgotten first
MOST_NAMED = 5  # in a digest


def announce(
    before: Announcements,
    troubles: Sequence[Trouble],
    settled: Collection[str],
    now: datetime,
    *,
    is_quiet: bool,
    per_hour: int,
    messages: Mapping[str, Notice] = MappingProxyType({}),
) -> tuple[Announcements, list[Message]]:
    """What to say now, and what to remember. `settled` are the keys of troubles that are certainly over. `messages` are
    no troubles: whoever has one says it once."""
    snoozed = {key: until for key, until in before.snoozed.items() if until > now}
    told, held = dict(before.told), dict(before.held)
    fresh: dict[str, Message] = {}
    for trouble in troubles:
        known = told.get(trouble.key)
        if trouble.key in snoozed or (known and known.words == trouble.words):
            continue
        told.pop(trouble.key, None)  # so that it is the newest
        told[trouble.key] = Told(trouble.words, trouble.notice.title, trouble.says_when_over)
        held.pop(trouble.key, None)
        fresh[trouble.key] = Message(trouble.notice, "critical" if trouble.is_urgent else "normal", trouble.key)
    for key in settled:
        over = told.pop(key, None)
        was_held = held.pop(key, None)
        if over and over.says_when_over and not was_held:
            fresh[key] = Message(Notice("over", f"Over: {over.title}", "It is fine again."))
    fresh |= {key: Message(notice, trouble=key) for key, notice in messages.items()}
    sent = tuple(moment for moment in before.sent if now - HOUR < moment <= now)
    said, held = _within(fresh, held, max(per_hour - len(sent), 0), is_quiet)
    told = dict(list(told.items())[-MOST_TOLD:])
    recent = [one for one in before.delivered if now - DAY < one[0] <= now]
    delivered = [*recent, *((now, _as_delivered(one.notice)) for one in said)][-MOST_DELIVERED:]
    return Announcements(told, held, (*sent, *[now] * len(said)), snoozed, tuple(delivered)), said


def _as_delivered(notice: Notice) -> str:
    words = f"{notice.title}: {notice.message}"
    return words if len(words) <= LONGEST_DELIVERED else words[: LONGEST_DELIVERED - 1] + "…"


def _within(
    fresh: Mapping[str, Message], held: Mapping[str, Notice], room: int, is_quiet: bool
) -> tuple[list[Message], dict[str, Notice]]:
    """What may be said now, the urgent first, and what is held back."""
    fresh = {key: replace(one, tells={key: one.notice}) for key, one in fresh.items()}
    urgent = {key: one for key, one in fresh.items() if one.urgency == "critical"}
    calm = {key: one for key, one in fresh.items() if key not in urgent}
    waiting = dict(held)
    if is_quiet:
        waiting |= {key: one.notice for key, one in calm.items()}
        calm = {}
    singles = urgent | calm
    has_digest = bool(waiting) and not is_quiet
    if len(singles) + has_digest > room:
        fitting = list(singles)[: max(room - (0 if is_quiet else 1), 0)]
        waiting |= {key: one.notice for key, one in singles.items() if key not in fitting}
        singles = {key: singles[key] for key in fitting}
        has_digest = room > 0 and not is_quiet
    if not has_digest:
        return list(singles.values()), waiting
    return [*singles.values(), Message(digest(list(waiting.values())), tells=waiting)], {}


def held_again(after: Announcements, unheard: Sequence[Message]) -> Announcements:
    """What no channel took is told with the next digest."""
    lost = {key: notice for message in unheard for key, notice in message.tells.items()}
    held = dict(list({**after.held, **lost}.items())[-MOST_HELD:])
    words = {_as_delivered(message.notice) for message in unheard}
    return replace(after, held=held, delivered=tuple(one for one in after.delivered if one[1] not in words))


def digest(notices: Sequence[Notice]) -> Notice:
    """Several notices as one."""
    if len(notices) == 1:
        return notices[0]
    lines = [f"{one.title}: {one.message}" for one in notices[:MOST_NAMED]]
    more = len(notices) - MOST_NAMED
    return Notice(
        "digest", f"{len(notices)} things to know", "\n".join([*lines, *([f"and {more} more"] if more > 0 else [])])
    )


def snooze(announcements: Announcements, key: str, until: datetime) -> Announcements:
    """Say nothing about this trouble before that moment; what is still so then is told again."""
    told = {name: one for name, one in announcements.told.items() if name != key}
    held = {name: one for name, one in announcements.held.items() if name != key}
    return replace(announcements, told=told, held=held, snoozed={**announcements.snoozed, key: until})
