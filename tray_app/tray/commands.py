"""What a person can ask the tray for, and which of it answers a trouble: the buttons of a notification. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from core.model.announcements import APPROVAL, CONTRADICTION, EXHAUSTED, FAILURE, MESSAGE, MODEL, SCORE_DROP


class Act(StrEnum):
    RUN = "run"  # everything that a tick would run, or the item named
    CANCEL = "cancel"
    PAUSE = "pause"  # for a duration, until `tomorrow`, or, without an argument, until resumed
    RESUME = "resume"
    OPEN = "open"  # HEARTBEAT.md
    RECEIPT = "receipt"  # of a beat (its number), of an item's last run, or of the `last` beat
    APPROVE = "approve"
    SET_KEY = "key"
    AUTOSTART = "autostart"  # on or off
    SNOOZE = "snooze"  # the trouble named, for an hour
    QUIT = "quit"


@dataclass(frozen=True, slots=True)
class Command:
    act: Act
    argument: str = ""


@dataclass(frozen=True, slots=True)
class Button:
    label: str
    command: Command


OPEN = Button("Open", Command(Act.OPEN))
SPECIAL = {
    APPROVAL: (Button("Approve…", Command(Act.APPROVE)),),
    MODEL: (Button("Set API key…", Command(Act.SET_KEY)),),
    SCORE_DROP: (Button("Open", Command(Act.RECEIPT, "last")),),
}


def answers_to(trouble: str) -> tuple[Button, ...]:
    """The first one is also what a click on the notification itself does. None of them approves anything: to approve
    is to look at it first."""
    snooze = Button("Snooze 1 h", Command(Act.SNOOZE, trouble))
    _, _, item = trouble.partition(":")
    receipt = Button("Open", Command(Act.RECEIPT, item))
    if trouble.startswith((FAILURE, CONTRADICTION)):
        return (receipt, Button("Run again", Command(Act.RUN, item)), snooze)
    if trouble.startswith(EXHAUSTED):
        return (receipt, snooze)
    if trouble.startswith(MESSAGE):
        return (Button("Open", Command(Act.RECEIPT, "last")),)
    return (*SPECIAL.get(trouble, (OPEN,)), *((snooze,) if trouble else ()))
