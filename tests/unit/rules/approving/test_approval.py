"""Whether what executes is what was approved, and what `approval = "owner"` adds."""

from collections.abc import Mapping
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from core.model.approval import (
    UNREADABLE,
    ApprovedBy,
    Candidate,
    Executable,
    ExecutableKind,
    Reviewed,
    ReviewState,
    Script,
)
from core.model.ledger import Inspection
from core.model.occurrence import Beat, BeatReason
from core.rules.approving.approval import (
    approval_of,
    approved_by_saving,
    inspection_of,
    review,
    waits_for_approval,
)

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
RUN = Candidate("run.sh", False)
ONE = Executable(
    key="action:one",
    kind=ExecutableKind.ACTION,
    title="One",
    file="HEARTBEAT.md",
    line=3,
    fields=(("type", "shell"), ("command", "./run.sh")),
    reach=(),
    commands=("./run.sh",),
    candidates=(RUN, Candidate("data.csv", False)),
    needed_by=("action:one",),
)
SCRIPT = {RUN: Script("run.sh", "aa")}


def reviewed(
    executable: Executable, scripts: Mapping[Candidate, Script], place: str = "/w"
) -> Reviewed:
    """Beside the approval of ONE with SCRIPT in /w."""
    approval = approval_of(review(ONE, SCRIPT, "/w", {}), NOW, ApprovedBy.PERSON)
    return review(executable, scripts, place, {ONE.key: approval})


def test_an_unchanged_executable_is_approved() -> None:
    one = reviewed(ONE, SCRIPT)
    assert (one.standing, one.waits) == (ReviewState.APPROVED, False)


def test_its_line_file_and_title_do_not_matter() -> None:
    assert (
        reviewed(replace(ONE, title="Two", line=99, file="heartbeat.md"), SCRIPT).standing
        is ReviewState.APPROVED
    )


def test_what_was_never_approved_is_new() -> None:
    assert review(ONE, SCRIPT, "/w", {}).standing is ReviewState.NEW


@pytest.mark.parametrize(
    "fields",
    [
        (("type", "shell"), ("command", "./run.sh now")),
        (("type", "shell"), ("command", "./run.sh"), ("env.A", "1")),
        (("type", "shell"),),
    ],
)
def test_another_field_is_a_change_shown_next_to_what_was_approved(
    fields: tuple[tuple[str, str], ...],
) -> None:
    one = reviewed(replace(ONE, fields=fields), SCRIPT)
    assert one.standing is ReviewState.CHANGED
    assert one.before is not None
    assert one.before.fields == ONE.fields


@pytest.mark.parametrize(
    "scripts", [{RUN: Script("run.sh", "bb")}, {}, {**SCRIPT, ONE.candidates[1]: Script("d", "cc")}]
)
def test_other_bytes_of_a_script_one_less_or_one_more_are_a_change_of_scripts(
    scripts: Mapping[Candidate, Script],
) -> None:
    assert reviewed(ONE, scripts).standing is ReviewState.SCRIPT_CHANGED


def test_an_approval_does_not_hold_at_another_path() -> None:
    one = reviewed(ONE, SCRIPT, "/moved")
    assert (one.standing, one.waits) == (ReviewState.MOVED, True)
    (wait,) = waits_for_approval([one]).values()
    assert wait.sentence == "it was approved before this folder was moved"


def test_what_changed_with_the_move_is_a_change_and_not_a_move() -> None:
    other = replace(ONE, fields=(("type", "shell"), ("command", "./run.sh now")))
    assert reviewed(other, SCRIPT, "/moved").standing is ReviewState.CHANGED
    for scripts in ({}, {RUN: Script("run.sh", "bb")}):
        assert reviewed(ONE, scripts, "/moved").standing is ReviewState.SCRIPT_CHANGED
    unreadable = {RUN: Script("run.sh", UNREADABLE)}
    assert reviewed(ONE, unreadable, "/moved").standing is ReviewState.UNREADABLE


def test_a_script_that_cannot_be_read_is_never_approved() -> None:
    unreadable = {RUN: Script("run.sh", UNREADABLE)}
    assert review(ONE, unreadable, "/w", {}).standing is ReviewState.UNREADABLE
    assert reviewed(ONE, unreadable).standing is ReviewState.UNREADABLE


def test_an_item_waits_for_the_first_of_its_parts_that_is_not_approved() -> None:
    probe = replace(ONE, key="probe:p", kind=ExecutableKind.PROBE, needed_by=("task:a", "task:b"))
    waits = waits_for_approval([reviewed(ONE, SCRIPT), review(probe, {}, "/w", {})])
    sentences = {item: wait.sentence for item, wait in waits.items()}
    assert sentences == dict.fromkeys(("task:a", "task:b"), "its probe waits for your approval")


# approval = "owner"

SINCE = NOW - timedelta(hours=1)
BEAT = Beat(7, BeatReason.TIMER, 1, NOW - timedelta(minutes=30), NOW - timedelta(minutes=29))
NEW = review(ONE, SCRIPT, "/w", {})


def inspection(**changes: object) -> Inspection:
    """One without ONE, while the process of SINCE was watching, after beat 7."""
    return replace(Inspection(SINCE, 7, {"action:other": "ff"}), **changes)  # type: ignore[arg-type]


def test_what_was_saved_while_somebody_watched_and_no_beat_ran_is_approved() -> None:
    assert approved_by_saving([NEW], inspection(), SINCE, [BEAT]) == (NEW,)


def test_a_changed_line_is_approved_by_saving() -> None:
    assert approved_by_saving([NEW], inspection(seen={ONE.key: "before"}), SINCE, [BEAT]) == (NEW,)


def test_a_moved_folder_approves_nothing_by_being_saved() -> None:
    moved = reviewed(ONE, SCRIPT, "/moved")
    assert approved_by_saving([moved], inspection(), SINCE, [BEAT]) == ()


@pytest.mark.parametrize(
    ("before", "since", "beats"),
    [
        pytest.param(None, SINCE, [BEAT], id="a first sight"),
        pytest.param(inspection(), None, [BEAT], id="not watched now"),
        pytest.param(inspection(watched_since=None), None, [BEAT], id="never watched"),
        pytest.param(
            inspection(watched_since=SINCE - timedelta(days=1)),
            SINCE,
            [BEAT],
            id="changed while it was off",
        ),
        pytest.param(inspection(beat=6), SINCE, [BEAT], id="a beat ran since the last look"),
        pytest.param(
            inspection(beat=8),
            SINCE,
            [BEAT, replace(BEAT, number=8, finished=None)],
            id="a beat is running",
        ),
        pytest.param(inspection(seen={ONE.key: NEW.digest}), SINCE, [BEAT], id="it waited before"),
    ],
)
def test_a_first_sight_what_changed_while_off_and_what_changed_during_a_beat_wait(
    before: Inspection | None, since: datetime | None, beats: list[Beat]
) -> None:
    assert approved_by_saving([NEW], before, since, beats) == ()


def test_a_look_remembers_everything_that_executes_and_the_newest_beat() -> None:
    assert inspection_of([NEW], SINCE, [BEAT]) == Inspection(SINCE, 7, {ONE.key: NEW.digest})
