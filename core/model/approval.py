"""What executes, and what the person has approved of it. Frozen values, no IO."""

from collections.abc import Mapping
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from core.model.cause import Cause
from core.model.diagnostic import Problem
from core.model.light_dataclass import field, light_dataclass

Fields = tuple[tuple[str, str], ...]  # names and values, in the order in which they are shown


class ExecutableKind(StrEnum):
    ACTION = "action"
    GATE = "gate"  # of a prompt
    RUN = "run"  # the command that does a task
    CHECK = "check"  # a hint of a task that runs something or asks a server
    PROBE = "probe"
    SERVER = "mcp"
    TASK = "task"  # that the model added


class Candidate(NamedTuple):
    """A word of a command that may name a file of the workspace."""

    path: str  # relative to the workspace, or absolute
    is_run: bool  # its place in the command means that its content is run


class Script(NamedTuple):
    """A file of the workspace that a command runs."""

    name: str
    digest: str  # sha256 of its bytes, or UNREADABLE, or OUTSIDE


UNREADABLE = ""
# For a link that leaves the workspace. The name then has the link's target, which is what was
# approved instead of the content.
OUTSIDE = "outside"


@light_dataclass(frozen=True, slots=True)
class Executable:
    key: str  # its kind and id: unique in a workspace
    kind: ExecutableKind
    title: str
    file: str  # that it is written in, relative to the workspace
    line: int  # 0: the file as a whole
    fields: Fields  # all that decides what it does
    reach: tuple[str, ...]  # what it can touch, one sentence each
    commands: tuple[str, ...]  # of the fields, what a shell runs
    candidates: tuple[Candidate, ...] = ()
    needed_by: tuple[str, ...] = ()  # the keys of the items that cannot run without it

    @property
    def id(self) -> str:
        return self.key.partition(":")[2]


class ApprovedBy(StrEnum):
    PERSON = "person"
    INIT = "init"  # the program wrote it itself
    SAVING = "saving"  # approval = "owner"


@light_dataclass(frozen=True, slots=True)
class Approval:
    """What was approved under a key."""

    key: str
    digest: str
    fields: Fields
    scripts: tuple[Script, ...]
    at: datetime
    by: ApprovedBy


class ReviewState(StrEnum):
    APPROVED = "approved"
    NEW = "new"
    CHANGED = "changed"
    SCRIPT_CHANGED = "script_changed"
    MOVED = "moved"  # the same as was approved, at another path
    UNREADABLE = "unreadable"  # a script that it names cannot be read, so it cannot be approved


UNAPPROVED: Mapping[str, str] = {
    ReviewState.NEW: "{} waits for your approval",
    ReviewState.CHANGED: "{} changed since you approved it",
    ReviewState.SCRIPT_CHANGED: "a script that {} names changed since you approved it",
    ReviewState.MOVED: "{} was approved before this folder was moved",
    ReviewState.UNREADABLE: "a script that {} names cannot be read",
}


def unapproved_words(standing: str, kind: str) -> str:
    """Say why an item waits for an approval, from the standing and kind of what it needs."""
    if kind == ExecutableKind.TASK:
        return "needs approval: the model added it"

    subject = "it" if kind == ExecutableKind.ACTION else f"its {kind}"
    return UNAPPROVED.get(standing, UNAPPROVED[ReviewState.NEW]).format(subject)


@light_dataclass(frozen=True, slots=True)
class Reviewed:
    """An executable as it is now, next to what was approved."""

    executable: Executable
    scripts: tuple[Script, ...]
    digest: str
    standing: ReviewState
    before: Approval | None

    @property
    def key(self) -> str:
        return self.executable.key

    @property
    def waits(self) -> bool:
        return self.standing is not ReviewState.APPROVED


@light_dataclass(frozen=True, slots=True)
class ApprovalsTrouble:
    """Why no approval counts."""

    problem: Problem
    cause: Cause  # the same as data
    # It is only that the key of the seal cannot be reached now; nothing is broken.
    is_locked: bool = False


@light_dataclass(frozen=True, slots=True)
class ValidApprovals:
    """The approvals that count; none if there is trouble."""

    approvals: Mapping[str, Approval] = field(default_factory=dict)
    trouble: ApprovalsTrouble | None = None


APPROVALS_FILE = "approvals.json"  # in the workspace's state folder
SEAL_FILE = "approval-seal.key"  # in the folder of all states
SEAL_ENTRY = "approval-seal"  # in the keyring


@light_dataclass(frozen=True, slots=True)
class SealFile:
    """The file with the key of the seal, where the keyring cannot be used."""

    path: str
    why: str  # the keyring is not used
