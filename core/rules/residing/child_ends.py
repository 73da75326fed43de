"""How a child of the resident ended, as one value. Pure.

| end | what the resident does then |
|---|---|
| BUSY | plans again when the other beat is over, and asks again for what the person wanted |
| CANCELLED | plans again, and starts nothing by itself for a while |
| CRASHED, GOT_NOWHERE | announces it once, rests for longer and longer, and plans again |
| WENT_WELL | forgets its rests, and watches what the plan found |
"""

from enum import StrEnum

from core.model.holder import BUSY

FINE = 0  # the exit code of a child that did its work


class ChildKind(StrEnum):
    PLAN = "plan"
    BEAT = "beat"


class ChildEnd(StrEnum):
    BUSY = "busy"  # it found another beat at work
    CANCELLED = "cancelled"  # the person wanted it to end, whatever its exit code
    CRASHED = "crashed"
    GOT_NOWHERE = "got nowhere"  # what was due still is
    WENT_WELL = "went well"


def end_of(
    kind: ChildKind, exit_code: int, *, is_cancelled: bool, left_work_undone: bool
) -> ChildEnd:
    if exit_code == BUSY:
        return ChildEnd.BUSY
    if is_cancelled and kind is ChildKind.BEAT:
        return ChildEnd.CANCELLED
    if exit_code != FINE:
        return ChildEnd.CRASHED

    return ChildEnd.GOT_NOWHERE if left_work_undone else ChildEnd.WENT_WELL
