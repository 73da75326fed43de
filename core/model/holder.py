"""Who has a lock."""

from datetime import datetime

from core.model.value import dataclass


@dataclass(frozen=True, slots=True)
class Holder:
    pid: int  # 0 where the holder could not be read
    since: datetime | None
    purpose: str
