"""`notify`: a message to the person, on the desktop or over another channel."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.actions.runnable import Call, Done, RunnableType, after_sending
from core.model.action_type import (
    LookUp,
    MessageParts,
    Params,
    missing_in,
    no_flaws,
    runs_no_file,
    text_in,
)
from core.rules.variables import filled, secrets_in

if TYPE_CHECKING:
    from core.model.report import Notice, Urgency
    from core.ports.world import World


def _missing(params: Params) -> tuple[str, ...]:
    return missing_in(params, "message")


def _needs_approval(params: Params) -> bool:
    """Whether the message leaves the machine or shows a secret."""
    from core.model.settings import DESKTOP

    if _channel(params) != DESKTOP:
        return True

    return any(secrets_in(value) for value in params.values() if isinstance(value, str))


def _reach(params: Params, _: bool) -> tuple[str, ...]:
    return (f"sends its text over the channel {_channel(params)}",)


def _summary(params: Params) -> str:
    return f"notifies “{text_in(params, 'message')}”"


def _channel(params: Params) -> str:
    from core.model.settings import DESKTOP

    return text_in(params, "channel") or DESKTOP


def _urgency(params: Params) -> Urgency:
    from core.model.report import Urgency

    return Urgency.read(text_in(params, "urgency"))


def _notice(name: str, params: Params, look_up: LookUp) -> Notice:
    from core.model.report import Notice, NoticeKind

    title = filled(text_in(params, "title"), look_up) or name
    return Notice(NoticeKind.ACTION, title, filled(text_in(params, "message"), look_up))


def _run(world: World, call: Call) -> Done:
    params = call.action.params
    notice = _notice(call.action.name, params, call.look_up)
    problem = world.messenger.send(_channel(params), notice, _urgency(params))
    return after_sending(problem)


NOTIFY = RunnableType(
    name="notify",
    keys=("title", "message", "urgency", "channel"),
    table_keys=(),
    command_keys=(),
    implied_by=(),
    missing=_missing,
    flaws=no_flaws,
    needs_approval=_needs_approval,
    candidates=runs_no_file,
    reach=_reach,
    summary=_summary,
    displaces_files=False,
    message=MessageParts(_channel, _urgency, _notice),
    run=_run,
)
