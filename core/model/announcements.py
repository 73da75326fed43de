"""What to announce to the person, and what has been announced. Frozen values, no IO."""

from collections.abc import Mapping
from datetime import datetime

from core.model.cause import Cause
from core.model.light_dataclass import field, light_dataclass, replace
from core.model.report import Notice, NoticeKind, Urgency
from core.model.trouble import TroubleKey


@light_dataclass(frozen=True, slots=True)
class Trouble:
    """Something that is wrong now. With the same key and another sameness, it has changed."""

    key: TroubleKey
    notice: Notice
    sameness: Cause  # as long as this stays, it is the same trouble, whatever its message says
    is_urgent: bool = False  # announced in quiet hours too
    says_when_over: bool = True
    is_denial: bool = False  # a verdict that denies what was said


@light_dataclass(frozen=True, slots=True)
class Announced:
    """A trouble that the person knows of, or will know of with the next digest."""

    sameness: Cause | None  # None: an earlier version kept its message instead
    title: str
    says_when_over: bool = True

    def is_about(self, first: str) -> bool:
        """Say whether what it is recognized by begins with this word."""
        return self.sameness is not None and self.sameness[:1] == (first,)

    def is_same(self, trouble: Trouble) -> bool:
        """Say whether the person knows of exactly this. What an earlier version announced counts
        as the same: better once too little than everything again after an update."""
        return self.sameness is None or self.sameness == trouble.sameness


@light_dataclass(frozen=True, slots=True)
class Announcements:
    """All that the announcer remembers."""

    # The mappings are by a trouble's key.
    announced: Mapping[TroubleKey, Announced] = field(default_factory=dict)
    held: Mapping[TroubleKey, Notice] = field(default_factory=dict)  # for the next digest
    sent: tuple[datetime, ...] = ()  # when something was sent in the last hour
    snoozed: Mapping[TroubleKey, datetime] = field(default_factory=dict)  # until when
    delivered: tuple[tuple[datetime, str], ...] = ()  # what was delivered in the last day


@light_dataclass(frozen=True, slots=True)
class Message:
    notice: Notice
    urgency: Urgency = Urgency.NORMAL
    trouble: TroubleKey | None = None  # what it is about, for the buttons
    # By key: what it says, to be held for the next digest where it cannot be delivered.
    tells: Mapping[TroubleKey, Notice] = field(default_factory=dict)


def with_name(message: Message, workspace: str) -> Message:
    """The message with the name of the workspace that it comes from, as it is shown."""
    return replace(message, notice=named_notice(message.notice, workspace))


def named_notice(notice: Notice, workspace: str) -> Notice:
    """What happened stays first: a desktop cuts long titles at their end. The words of a `notify`
    action are the person's own and stay as they are."""
    if notice.kind is NoticeKind.ACTION:
        return notice

    return replace(notice, title=f"{notice.title.rstrip('.')} · {workspace}")
