"""`startup`: once per start of the resident."""

from collections.abc import Iterator
from datetime import datetime, time, tzinfo

from core.model.light_dataclass import light_dataclass, replace
from core.model.schedule import Due
from core.rules.timing.schedule import HOWEVER_LATE, DecisionPoint, Recorded, Schedule, ScheduleWord
from core.rules.timing.zones import in_zone


@light_dataclass(frozen=True, slots=True)
class Startup(Schedule):
    def text(self) -> str:
        return "startup"

    def sentence(self) -> str:
        return "At every start of Heartbeat"

    def advice(self) -> None:
        return None

    def happens_once(self) -> bool:
        return False

    def named_instant(self, _: tzinfo) -> None:
        return None

    def counts_from_last_start(self) -> bool:
        return False

    def counts_from_resident_start(self) -> bool:
        return True

    def time_of_day(self) -> time | None:
        return None

    def is_slot_shown(self, _: datetime) -> None:
        return None

    def next_slot(self, _: datetime, __: tzinfo) -> None:
        return None

    def due(self, point: DecisionPoint, recorded: Recorded) -> Due:
        started = recorded.resident_start
        latest = recorded.latest
        if started is None:
            return Due("it runs only when Heartbeat starts", None)
        if latest and latest >= started and not point.was_set_back_behind(latest):
            return Due("it has already run since Heartbeat started", None)
        if recorded.first_seen and recorded.first_seen > started:
            why = "it was added after Heartbeat started; it runs the next time Heartbeat starts"
            return Due(why, None)

        decided = point.has_come(in_zone(started, point.zone), None, HOWEVER_LATE)
        if not decided.slot:
            return decided

        return replace(decided, why="Heartbeat has started", late=False)


def _read(_: str) -> Startup:
    return Startup()


def _suggest(_: str) -> Iterator[str]:
    yield "startup"


STARTUP = ScheduleWord("startup", "startup", True, _read, _suggest)
