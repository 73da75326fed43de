"""What `heartbeat status` says first: whether it keeps watch, and then how the workspace is doing."""

import pytest

from core.model.status import Status, WorkspaceState
from tests.stage import at
from tray_app.cli.status import NOT_WATCHED, lines

NOW = at("16 10:00")


@pytest.mark.parametrize(
    ("state", "words"),
    [
        (WorkspaceState.IDLE, None),
        (WorkspaceState.RUNNING, "a beat is running"),
        (WorkspaceState.ATTENTION, "something needs you"),
        (WorkspaceState.ERROR, "the last beat had an error"),
    ],
)
def test_a_watched_workspace_says_so_whatever_its_state(
    state: WorkspaceState, words: str | None
) -> None:
    first, *rest = lines(Status("/workspace", state, is_watched=True), NOW)
    assert first == "/workspace\n  watching"
    assert (f"  {words}" in rest) == (words is not None)


def test_a_pause_and_a_beat_by_hand_do_not_hide_that_nothing_keeps_watch() -> None:
    status = Status("/workspace", WorkspaceState.STOPPED, is_paused=True)
    assert [*lines(status, NOW)][:2] == [
        f"/workspace\n  {NOT_WATCHED}",
        "  paused until you resume it",
    ]
    running = Status("/workspace", WorkspaceState.RUNNING)
    assert [*lines(running, NOW)][:2] == [f"/workspace\n  {NOT_WATCHED}", "  a beat is running"]
