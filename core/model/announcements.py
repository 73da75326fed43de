"""What is worth telling, and what the announcer remembers of what it told. Frozen values, no IO."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime

from core.model.report import Notice
from core.model.value import dataclass

# The keys of troubles; those of an item are `failure:`, `contradiction:` or EXHAUSTED and the item's key.
APPROVAL, MODEL, REFUSED, SCORE_DROP = "approval", "model", "refused", "score_drop"
BUDGET, PROVIDER = "budget", "provider"
FAILURE, CONTRADICTION, EXHAUSTED = "failure:", "contradiction:", "exhausted:"
MESSAGE = "message:"  # no trouble: a word of the model's for the person


@dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is wrong now. The same key with other words has changed."""

    key: str  # such as `failure:action:backup`
    notice: Notice
    is_urgent: bool = False  # told in quiet hours too
    says_when_over: bool = True
    sameness: str = ""  # what makes it another trouble, where that is not its message

    @property
    def words(self) -> str:
        return self.sameness or self.notice.message


@dataclass(frozen=True, slots=True)
class Told:
    """A trouble that the person knows of, or will know of with the next digest."""

    words: str
    title: str
    says_when_over: bool = True


@dataclass(frozen=True, slots=True)
class Announcements:
    """All that the announcer remembers."""

    told: Mapping[str, Told] = field(default_factory=dict)  # a trouble's key -> what was told of it
    held: Mapping[str, Notice] = field(default_factory=dict)  # a trouble's key -> for the next digest
    sent: tuple[datetime, ...] = ()  # when something was sent in the last hour
    snoozed: Mapping[str, datetime] = field(default_factory=dict)  # a trouble's key -> until when
    delivered: tuple[tuple[datetime, str], ...] = ()  # what the person was told in the last day


@dataclass(frozen=True, slots=True)
class Message:
    notice: Notice
    urgency: str = "normal"
    trouble: str = ""  # the key of what it is about, for the buttons
    tells: Mapping[str, Notice] = field(default_factory=dict)  # by key: to be held where nobody hears it
