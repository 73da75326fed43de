"""What executes, and what the person has approved of it. Frozen values, no IO."""

from collections.abc import Mapping
from dataclasses import field
from datetime import datetime
from enum import StrEnum
from typing import NamedTuple

from core.model.value import dataclass

Fields = tuple[tuple[str, str], ...]  # names and values, in the order in which they are shown


class ExecutableKind(StrEnum):
    ACTION = "action"
    GATE = "gate"  # of a prompt
    RUN = "run"  # the command that does a task
    CHECK = "check"  # a `cmd:` or `http:` hint of a task
    PROBE = "probe"
    SERVER = "mcp"


class Candidate(NamedTuple):
    """A word of a command that may name a file of the workspace."""

    path: str  # relative to the workspace, or absolute
    is_run: bool  # it stands where its content is run, whatever it looks like


class Script(NamedTuple):
    """A file of the workspace that a command runs."""

    name: str
    digest: str  # sha256 of its bytes; UNREADABLE; or, for a link that leaves the workspace, OUTSIDE


UNREADABLE = ""
OUTSIDE = "outside"  # the name then holds the link's target: that is what was approved, not its content


@dataclass(frozen=True, slots=True)
class Executable:
    key: str  # its kind and id: unique in a workspace
    kind: ExecutableKind
    title: str
    file: str  # where it stands, relative to the workspace
    line: int  # 0: the file as a whole
    fields: Fields  # all that decides what it does
    candidates: tuple[Candidate, ...] = ()
    needed_by: tuple[str, ...] = ()  # the keys of the items that cannot run without it

    @property
    def id(self) -> str:
        return self.key.partition(":")[2]


class ApprovedBy(StrEnum):
    PERSON = "person"
    INIT = "init"  # the program wrote it itself
    SAVING = "saving"  # approval = "owner"


@dataclass(frozen=True, slots=True)
class Approval:
    """What was approved under a key."""

    key: str
    digest: str
    fields: Fields
    scripts: tuple[Script, ...]
    at: datetime
    by: ApprovedBy


class Standing(StrEnum):
    APPROVED = "approved"
    NEW = "new"
    CHANGED = "changed"
    SCRIPT_CHANGED = "script_changed"
    UNREADABLE = "unreadable"  # a script that it names cannot be read, so nobody can approve it


@dataclass(frozen=True, slots=True)
class Judged:
    """An executable as it is now, beside what was approved."""

    executable: Executable
    scripts: tuple[Script, ...]
    digest: str
    standing: Standing
    before: Approval | None

    @property
    def key(self) -> str:
        return self.executable.key

    @property
    def waits(self) -> bool:
        return self.standing is not Standing.APPROVED


@dataclass(frozen=True, slots=True)
class Given:
    """The approvals that count. Where there is trouble, none does."""

    approvals: Mapping[str, Approval] = field(default_factory=dict)
    trouble: str = ""
    hint: str = ""
    is_locked: bool = False  # the trouble: the key of the seal cannot be reached at the moment; nothing is broken


@dataclass(frozen=True, slots=True)
class SealHome:
    """Where the key of the seal lives."""

    key_file: str = ""  # empty: in the keyring
    why: str = ""  # the keyring cannot be used
