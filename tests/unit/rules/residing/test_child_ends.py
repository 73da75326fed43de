"""How a child of the always-on process ended."""

import pytest

from core.rules.residing.child_ends import ChildEnd, ChildKind, end_of

BEAT, PLAN = ChildKind.BEAT, ChildKind.PLAN


@pytest.mark.parametrize(
    ("kind", "exit_code", "is_cancelled", "left_work_undone", "end"),
    [
        (BEAT, 0, False, False, ChildEnd.WENT_WELL),
        (BEAT, 0, False, True, ChildEnd.GOT_NOWHERE),
        (PLAN, 0, False, True, ChildEnd.GOT_NOWHERE),
        (BEAT, 70, False, False, ChildEnd.CRASHED),
        (BEAT, -9, False, False, ChildEnd.CRASHED),
        # however it ended: the person wanted it to
        (BEAT, -9, True, False, ChildEnd.CANCELLED),
        (BEAT, 0, True, True, ChildEnd.CANCELLED),
        # a plan is not what the person cancelled
        (PLAN, 70, True, False, ChildEnd.CRASHED),
        (PLAN, 0, True, False, ChildEnd.WENT_WELL),
        # another beat was at work: that says nothing about this one
        (BEAT, 3, True, False, ChildEnd.BUSY),
        (PLAN, 3, False, False, ChildEnd.BUSY),
    ],
)
def test_one_value_per_end(
    kind: ChildKind, exit_code: int, is_cancelled: bool, left_work_undone: bool, end: ChildEnd
) -> None:
    found = end_of(kind, exit_code, is_cancelled=is_cancelled, left_work_undone=left_work_undone)
    assert found is end
