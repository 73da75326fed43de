"""What a person can ask the tray for, and which of it a notification offers as buttons. Pure."""

from enum import StrEnum
from typing import assert_never

from core.model.light_dataclass import light_dataclass
from core.model.trouble import TroubleKey, TroubleKind


class ResidentAction(StrEnum):
    """What the resident does itself."""

    RUN = "run"  # everything that a tick would run, or the item named
    CANCEL = "cancel"
    PAUSE = "pause"  # for a duration, until `tomorrow`, or, without an argument, until resumed
    RESUME = "resume"
    SNOOZE = "snooze"  # the trouble whose key this is, for an hour
    QUIT = "quit"


class MenuAction(StrEnum):
    """What a separate process does: see tray_app/menu_action.py."""

    OPEN = "open"  # HEARTBEAT.md
    CANCEL = "cancel"  # beats of terminals, and what does not answer the resident
    RECEIPT = "receipt"  # of a beat (its number), of an item's last run, or of the `last` beat
    APPROVE = "approve"
    SET_KEY = "key"
    AUTOSTART = "autostart"  # on or off


@light_dataclass(frozen=True, slots=True)
class MenuCommand:
    act: ResidentAction | MenuAction
    argument: str = ""


@light_dataclass(frozen=True, slots=True)
class Button:
    label: str
    command: MenuCommand


OPEN = Button("Open", MenuCommand(MenuAction.OPEN))
LAST_RECEIPT = Button("Open", MenuCommand(MenuAction.RECEIPT, "last"))
APPROVE = Button("Approve…", MenuCommand(MenuAction.APPROVE))
SET_KEY = Button("Set API key…", MenuCommand(MenuAction.SET_KEY))


def answers_to(trouble: TroubleKey | None) -> tuple[Button, ...]:
    """The buttons for a trouble; a click on the notification itself does what the first one does.

    None of them approves anything: a person must see first what they approve."""
    if trouble is None:
        return (OPEN,)

    snooze = Button("Snooze 1 h", MenuCommand(ResidentAction.SNOOZE, trouble.text))
    return _answers_to_known(trouble, snooze)


def _answers_to_known(key: TroubleKey, snooze: Button) -> tuple[Button, ...]:
    receipt = Button("Open", MenuCommand(MenuAction.RECEIPT, key.about))
    match key.kind:
        case TroubleKind.FAILURE | TroubleKind.CONTRADICTION:
            return (
                receipt,
                Button("Run again", MenuCommand(ResidentAction.RUN, key.about)),
                snooze,
            )
        case TroubleKind.EXHAUSTED:
            return (receipt, snooze)
        case TroubleKind.MESSAGE:
            return (LAST_RECEIPT,)
        case TroubleKind.SCORE_DROP:
            return (LAST_RECEIPT, snooze)
        case TroubleKind.APPROVAL:
            return (APPROVE, snooze)
        case TroubleKind.MODEL:
            return (SET_KEY, snooze)
        case (
            TroubleKind.REFUSED
            | TroubleKind.FILE_ERRORS
            | TroubleKind.NEVER_RUNS
            | TroubleKind.BUDGET
            | TroubleKind.PROVIDER
            | TroubleKind.CHILD
            | TroubleKind.OWNER
            | TroubleKind.AWAY
            | TroubleKind.LEDGER
            | TroubleKind.APPROVALS_FILE
            | TroubleKind.VIEWS
            | TroubleKind.GATE
            | TroubleKind.SERVER
            | TroubleKind.AGENT
        ):
            return (OPEN, snooze)
        case _:
            assert_never(key.kind)
