"""Who has a lock."""

from dataclasses import dataclass
from datetime import datetime


@dataclass(frozen=True, slots=True)
class Holder:
    pid: int  # 0 where the holder could not be read
    since: datetime | None
    purpose: str
