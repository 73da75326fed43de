"""Leaves a message to the tray, which can show buttons with it."""

from collections.abc import Callable

from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.holder import Purpose
from core.ports.ledger import Ledger
from core.ports.processes import Lock


def leave_to_tray(
    message: Message, resident: Lock, ledger: Callable[[], Ledger], wake: Callable[[int], None]
) -> bool:
    """Whether a tray is running, and got it. The ledger is opened only then."""
    holder = resident.holder()
    if holder is None or holder.purpose is not Purpose.TRAY:
        return False

    try:
        ledger().announcements.leave_message(message)
    except HeartbeatError:  # also on a full disk the message is shown, in another way
        return False

    wake(holder.pid)
    return True
