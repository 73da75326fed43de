"""Until when the resident starts nothing by itself. Pure.

| rest | begins when | ends early when |
|---|---|---|
| after_failure | a child crashed or got nowhere | a file or the clock changes, a wake, a success |
| for_other_beat | a child found another beat at work | that beat ends, a wake |
| after_cancel | the person cancelled a beat | a file or the clock changes |
"""

from datetime import datetime

from core.model.light_dataclass import light_dataclass


@light_dataclass(frozen=True, slots=True)
class Rests:
    after_failure: datetime | None = None
    for_other_beat: datetime | None = None
    after_cancel: datetime | None = None

    @property
    def until(self) -> datetime | None:
        """When the next beat may start by itself, where no other beat is at work."""
        return later(self.after_failure, self.after_cancel)

    def is_for_other_beat(self, now: datetime) -> bool:
        return self.for_other_beat is not None and now < self.for_other_beat


def later(one: datetime | None, other: datetime | None) -> datetime | None:
    return max(filter(None, (one, other)), default=None)
