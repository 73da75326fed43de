"""Messages to the person: within what may be told in an hour and in quiet hours, like everything that is told."""

import itertools
from dataclasses import replace

from core.agent.built_in import TEXT, BuiltIn, Record, RefusedError
from core.agent.ground import Ground
from core.model.announcements import Message, Trouble
from core.model.report import Notice
from core.rules.announcing.announcer import announce
from core.rules.permitting.known_tags import NOTIFY, SEND_AFTER_READING
from core.rules.planning import zone_of
from core.rules.timing.active import is_quiet
from core.rules.timing.zones import in_zone
from core.rules.writing.harmless import one_line

DESKTOP = "desktop"
LONGEST_TITLE, LONGEST_MESSAGE = 80, 500
KIND = "agent"


def message_tools(ground: Ground, record: Record) -> tuple[BuiltIn, ...]:
    numbers = itertools.count(1)
    notify = BuiltIn(
        "notify",
        "Tell the person something that matters.",
        {"title": TEXT, "message": TEXT},
        NOTIFY,
        lambda given: _notify(ground, record, _notice(given["title"], given["message"]), next(numbers)),
    )
    return (notify,)


def _notice(title: str, message: str) -> Notice:
    return Notice(KIND, one_line(title, LONGEST_TITLE) or "Heartbeat", one_line(message, LONGEST_MESSAGE))


def _notify(ground: Ground, record: Record, notice: Notice, number: int) -> str:
    now = in_zone(ground.clock.now(), zone_of(ground.workspace().document, ground.clock.zone()))
    key = f"{KIND}:{now.isoformat()}:{number}"  # no two messages of a model are the same trouble
    ledger = ground.open_ledger()
    try:
        with ledger.together():
            after, messages = announce(
                ledger.announcements(),
                [Trouble(key, notice, says_when_over=False)],
                (),
                now,
                is_quiet=is_quiet(ground.settings.quiet, now),
                per_hour=ground.settings.notify.per_hour,
            )
            told = {name: one for name, one in after.told.items() if name != key}
            ledger.save_announcements(replace(after, told=told))
    finally:
        ledger.close()
    if not messages:
        return "Held back for now: too much was told already, or it is a quiet hour. It will be in the next digest."
    return _send(ground, record, messages)


def _send(ground: Ground, record: Record, messages: list[Message]) -> str:
    """After something was read only the desktop gets it: a message over the network is a way out."""
    channels = ground.settings.notify.channels
    open_to = [one for one in channels if one == DESKTOP or not record.has_read or ground.grants(SEND_AFTER_READING)]
    problems = [
        problem
        for message in messages
        for channel in open_to
        if (problem := ground.messenger.send(channel, message.notice, message.urgency))
    ]
    if not open_to or len(problems) == len(messages) * len(open_to):
        reason = problems[0] if problems else f"after reading it would need {SEND_AFTER_READING}"
        raise RefusedError(f"The message was not sent: {reason}.")
    left = [one for one in channels if one not in open_to]
    return "Sent." + (f" Not to {', '.join(left)}: after reading that needs {SEND_AFTER_READING}." if left else "")
