"""Announces each trouble once, again when it changes, and once when it is over. Pure: what was
announced before comes in, and what to remember goes out.

There is a limit of messages per hour; what is above it, and what comes in quiet hours, is held for
one digest. Neither applies to the answer to what the person asked for by hand.
"""

from collections.abc import Collection, Mapping, Sequence
from datetime import datetime, timedelta
from types import MappingProxyType

from core.model.announcements import Announced, Announcements, Message, Trouble
from core.model.light_dataclass import replace
from core.model.report import Notice, NoticeKind, Urgency
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.endings import over_notice
from core.rules.announcing.events import Closing, told_together

HOUR = timedelta(hours=1)
DAY = timedelta(days=1)
MOST_DELIVERED = 20  # messages of the last day that are remembered
LONGEST_DELIVERED = 200  # characters of each
MOST_ANNOUNCED = 500  # troubles remembered; the oldest are forgotten first
MOST_HELD = 50  # where no channel accepts anything; the oldest are forgotten first
MOST_NAMED = 5  # in a digest


def announce(
    before: Announcements,
    troubles: Sequence[Trouble],
    settled: Collection[TroubleKey],
    now: datetime,
    *,
    is_quiet: bool,
    per_hour: int,
    messages: Mapping[TroubleKey, Notice] = MappingProxyType({}),
    forgotten: Collection[TroubleKey] = (),
    by_hand: bool = False,
    closing: Closing | None = None,
    keeps_held: bool = False,
) -> tuple[Announcements, list[Message]]:
    """What to remember, and what to say now. `settled` are the keys of troubles that are
    certainly over, `forgotten` those that are over without a word. `messages` are not troubles:
    each comes in once and is said once. `closing` is the model's last message. With `keeps_held`,
    what was held before stays so: it may be over by now, which only a whole beat finds out."""
    snoozed = {key: until for key, until in before.snoozed.items() if until > now}
    announced = {key: one for key, one in before.announced.items() if key not in forgotten}
    held = {key: one for key, one in before.held.items() if key not in forgotten}

    fresh = _news([one for one in troubles if one.key not in snoozed], announced, held)
    denials = {one.key for one in troubles if one.is_denial}
    words = TroubleKey(TroubleKind.MESSAGE, f"{now.isoformat()}:closing")
    fresh = told_together(fresh, denials, closing, words)
    fresh |= _endings(settled, announced, held)
    fresh |= {key: Message(notice, trouble=key) for key, notice in messages.items()}

    sent = tuple(instant for instant in before.sent if now - HOUR < instant <= now)
    answers = [replace(one, tells={key: one.notice}) for key, one in fresh.items() if by_hand]
    kept, due = (held, {}) if keeps_held else ({}, held)
    limited, held = _within({} if by_hand else fresh, due, max(per_hour - len(sent), 0), is_quiet)
    held = {**kept, **held}
    said = [*answers, *limited]

    delivered = [one for one in before.delivered if now - DAY < one[0] <= now]
    delivered += [(now, _as_delivered(one.notice)) for one in said]
    after = Announcements(
        announced=dict(list(announced.items())[-MOST_ANNOUNCED:]),
        held=held,
        sent=(*sent, *[now] * len(limited)),
        snoozed=snoozed,
        delivered=tuple(delivered[-MOST_DELIVERED:]),
    )
    return after, said


def _news(
    troubles: Sequence[Trouble],
    announced: dict[TroubleKey, Announced],
    held: dict[TroubleKey, Notice],
) -> dict[TroubleKey, Message]:
    """What is new or has changed; `announced` and `held` are brought up to date."""
    fresh: dict[TroubleKey, Message] = {}
    for trouble in troubles:
        known = announced.get(trouble.key)
        if known and known.is_same(trouble):
            announced[trouble.key] = replace(known, sameness=trouble.sameness)
            continue

        announced.pop(trouble.key, None)  # so that it is the newest
        announced[trouble.key] = Announced(
            trouble.sameness, trouble.notice.title, trouble.says_when_over
        )
        held.pop(trouble.key, None)
        urgency = Urgency.CRITICAL if trouble.is_urgent else Urgency.NORMAL
        fresh[trouble.key] = Message(trouble.notice, urgency, trouble.key)

    return fresh


def _endings(
    settled: Collection[TroubleKey],
    announced: dict[TroubleKey, Announced],
    held: dict[TroubleKey, Notice],
) -> dict[TroubleKey, Message]:
    """What is over and was announced before, of an item once; `announced` and `held` are brought
    up to date."""
    fresh: dict[TroubleKey, Message] = {}
    items: set[str] = set()
    for key in settled:
        over = announced.pop(key, None)
        was_held = held.pop(key, None)
        is_told = not over or not over.says_when_over or was_held or key.about in items
        if over and not is_told:
            fresh[key] = Message(over_notice(key, over))
            items |= {key.about} - {""}

    return fresh


def _as_delivered(notice: Notice) -> str:
    words = f"{notice.title}: {notice.message}"
    return words if len(words) <= LONGEST_DELIVERED else words[: LONGEST_DELIVERED - 1] + "…"


def _within(
    fresh: Mapping[TroubleKey, Message],
    held: Mapping[TroubleKey, Notice],
    room: int,
    is_quiet: bool,
) -> tuple[list[Message], dict[TroubleKey, Notice]]:
    """What may be said now, the urgent ones first, and what is held back."""
    fresh = {key: replace(one, tells={key: one.notice}) for key, one in fresh.items()}
    urgent = {key: one for key, one in fresh.items() if one.urgency is Urgency.CRITICAL}
    calm = {key: one for key, one in fresh.items() if key not in urgent}
    waiting = dict(held)

    if is_quiet:
        waiting |= {key: one.notice for key, one in calm.items()}
        calm = {}

    singles = urgent | calm
    has_digest = bool(waiting) and not is_quiet
    if len(singles) + has_digest > room:
        for_digest = 0 if is_quiet else 1
        fitting = list(singles)[: max(room - for_digest, 0)]
        waiting |= {key: one.notice for key, one in singles.items() if key not in fitting}
        singles = {key: singles[key] for key in fitting}
        has_digest = room > 0 and not is_quiet

    if not has_digest:
        return list(singles.values()), waiting

    together = Message(digest(list(waiting.values())), tells=waiting)
    return [*singles.values(), together], {}


def held_again(after: Announcements, unheard: Sequence[Message]) -> Announcements:
    """What no channel accepted is part of the next digest."""
    held = dict(after.held)
    for message in unheard:
        held |= message.tells

    words = {_as_delivered(message.notice) for message in unheard}
    delivered = tuple(one for one in after.delivered if one[1] not in words)
    return replace(after, held=dict(list(held.items())[-MOST_HELD:]), delivered=delivered)


def digest(notices: Sequence[Notice]) -> Notice:
    """Several notices as one."""
    if len(notices) == 1:
        return notices[0]

    lines = [f"{one.title}: {one.message}" for one in notices[:MOST_NAMED]]
    more = len(notices) - MOST_NAMED
    if more > 0:
        lines.append(f"and {more} more")

    return Notice(NoticeKind.DIGEST, f"{len(notices)} things to know", "\n".join(lines))


def forget(announcements: Announcements, keys: Collection[TroubleKey]) -> Announcements:
    """These troubles are over, and the person knows it."""
    announced = {key: one for key, one in announcements.announced.items() if key not in keys}
    held = {key: one for key, one in announcements.held.items() if key not in keys}
    return replace(announcements, announced=announced, held=held)


def snooze(announcements: Announcements, key: TroubleKey, until: datetime) -> Announcements:
    """Say nothing about this trouble until then; if it is still there, it is announced again."""
    return replace(forget(announcements, [key]), snoozed={**announcements.snoozed, key: until})
