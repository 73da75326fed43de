"""Which process has a lock, and which machine runs a workspace that several machines share."""

from datetime import datetime
from enum import StrEnum

from core.model.light_dataclass import light_dataclass

BUSY = 3  # the exit code of a process that found another one at work


class Purpose(StrEnum):
    """What a process has a lock for. The lock's file has these words."""

    BEAT = "beat"
    PLAN = "plan"
    BATCH = "batch"
    BACKGROUND = "background"  # an action
    EDIT = "edit"  # of HEARTBEAT.md, by the model
    MEMORY = "memory"  # of the model
    UNDO = "undo"
    DAEMON = "daemon"
    TRAY = "tray"
    DOCTOR = "doctor"

    @classmethod
    def read(cls, word: str) -> "Purpose | None":
        """Read what a lock's file says; None for a word of another version."""
        return next((one for one in cls if one == word), None)


@light_dataclass(frozen=True, slots=True)
class Holder:
    pid: int  # 0 if the holder could not be read
    since: datetime | None
    purpose: Purpose | None  # None: not known


@light_dataclass(frozen=True, slots=True)
class Machine:
    id: str  # made once on each machine; names may change or be the same
    name: str  # what a person calls it


OWNER_FILE = ".heartbeat/owner.json"  # in the workspace


@light_dataclass(frozen=True, slots=True)
class Owner:
    machine: Machine
    since: datetime
