"""What can be wrong, so that the person is told of it: the kinds of trouble, and their keys."""

from enum import StrEnum

from core.model.light_dataclass import light_dataclass


class TroubleKind(StrEnum):
    """The ledger keeps these words, and a notification's buttons carry them."""

    APPROVAL = "approval"
    MODEL = "model"  # none is set up
    REFUSED = "refused"  # HEARTBEAT.md is not read
    FILE_ERRORS = "errors"
    NEVER_RUNS = "never_runs"  # lines of HEARTBEAT.md that look like something to do
    SCORE_DROP = "score_drop"
    BUDGET = "budget"
    PROVIDER = "provider"
    CHILD = "child"  # beats do not work
    OWNER = "owner"  # another machine runs the workspace
    AWAY = "away"  # the workspace's folder is not there
    LEDGER = "ledger"  # it was damaged and set aside
    APPROVALS_FILE = "approvals"  # it cannot be believed
    VIEWS = "views"  # what a day came to could not be written
    GATE = "gate"  # of a prompt
    SERVER = "server"  # a tool server does not start
    FAILURE = "failure"  # of an item
    CONTRADICTION = "contradiction"  # of an item
    EXHAUSTED = "exhausted"  # an item has used up its attempts
    MESSAGE = "message"  # not a trouble: something that the model says to the person
    AGENT = "agent"  # the same, while it is at work


@light_dataclass(frozen=True, slots=True)
class TroubleKey:
    """What a trouble is. Only the ledger and the buttons of a notification have it as text."""

    kind: TroubleKind
    # The key of the item, the id of the prompt or the name of the server; of a message: what tells
    # it from others.
    about: str = ""

    @property
    def text(self) -> str:
        return f"{self.kind}:{self.about}" if self.about else str(self.kind)


def read_trouble_key(text: str) -> TroubleKey | None:
    """Read the text of a key; None if it is not one. Nothing else takes such a text apart."""
    kind, _, about = text.partition(":")
    return TroubleKey(TroubleKind(kind), about) if kind in KINDS else None


KINDS = frozenset(TroubleKind)
