"""The tool that sends messages to the person. The limit per hour and the quiet hours apply to it
as to all announcements."""

import itertools

from core.agent.arguments import Arguments, Text
from core.agent.own_tool import own_tool
from core.agent.tool import Effect, Record, Tool, ToolRefusedError, touches_nothing
from core.agent.tool_world import ToolWorld
from core.model.announcements import Message, Trouble
from core.model.light_dataclass import replace
from core.model.report import Notice, NoticeKind
from core.model.settings import DESKTOP
from core.model.tags import NOTIFY, SEND_AFTER_READING
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.announcer import announce
from core.rules.printable import one_line
from core.rules.timing.active import is_quiet
from core.rules.timing.zones import in_zone, zone_of

LONGEST_TITLE = 80
LONGEST_MESSAGE = 500


class Notify(Arguments):
    title: Text
    message: Text


def message_tools(world: ToolWorld, record: Record) -> tuple[Tool, ...]:
    numbers = itertools.count(1)
    notify = own_tool(
        Notify,
        lambda given: _notify(world, record, _notice(given.title, given.message), next(numbers)),
        name="notify",
        description="Tell the person something that matters.",
        permission=NOTIFY,
        reads_outside=False,
        effect=Effect.OTHER,
        touches=touches_nothing,
    )
    return (notify,)


def _notice(title: str, message: str) -> Notice:
    return Notice(
        NoticeKind.AGENT,
        one_line(title, LONGEST_TITLE) or "Heartbeat",
        one_line(message, LONGEST_MESSAGE),
    )


def _notify(world: ToolWorld, record: Record, notice: Notice, number: int) -> str:
    now = in_zone(world.clock.now(), zone_of(world.workspace().document, world.clock.zone()))
    # Each message of a model is a trouble of its own.
    key = TroubleKey(TroubleKind.AGENT, f"{now.isoformat()}:{number}")
    ledger = world.open_ledger()

    try:
        with ledger.together():
            after, messages = announce(
                ledger.announcements.current(),
                [Trouble(key, notice, (str(number),), says_when_over=False)],
                (),
                now,
                is_quiet=is_quiet(world.settings.quiet, now),
                per_hour=world.settings.notify.per_hour,
            )
            announced = {name: one for name, one in after.announced.items() if name != key}
            ledger.announcements.save(replace(after, announced=announced))
    finally:
        ledger.close()

    if not messages:
        return (
            "Held back for now: too many messages this hour, or it is a quiet hour. It will be "
            "in the next digest."
        )

    return _send(world, record, messages)


def _send(world: ToolWorld, record: Record, messages: list[Message]) -> str:
    """Once something was read, only the desktop gets messages: a channel over the network is a way
    out of the machine."""
    channels = world.settings.notify.channels
    may_leave = not record.has_read or world.grants(SEND_AFTER_READING)
    allowed = [channel for channel in channels if channel == DESKTOP or may_leave]
    if not allowed:
        raise ToolRefusedError(
            f"The message was not sent: after reading it would need {SEND_AFTER_READING}."
        )

    attempts = [(message, channel) for message in messages for channel in allowed]
    sent = [
        world.messenger.send(channel, message.notice, message.urgency)
        for message, channel in attempts
    ]
    problems = [problem for problem in sent if problem]
    if len(problems) == len(attempts):
        raise ToolRefusedError(f"The message was not sent: {problems[0].reason}.")

    left_out = [channel for channel in channels if channel not in allowed]
    if left_out:
        return f"Sent. Not to {', '.join(left_out)}: after reading that needs {SEND_AFTER_READING}."

    return "Sent."
