"""Which machine runs a workspace that several machines share through a sync folder."""

from datetime import datetime

from core.model.value import dataclass


@dataclass(frozen=True, slots=True)
class Machine:
    id: str  # made once on each machine; names may change or be the same
    name: str  # what a person calls it


@dataclass(frozen=True, slots=True)
class Owner:
    machine: Machine
    since: datetime
