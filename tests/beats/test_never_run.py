"""What a person wrote and can never run is said by every beat, and announced once per change."""

from core.model.report import NoticeKind
from core.model.trouble import TroubleKind
from tests.stage import Stage, action, actions
from tray_app.cli.run import receipt

BELOW = "\n## Completed Today\n\n### [HIGH] New\n- **id**: new\n- **command**: true\n"


def notices(stage: Stage, now: str) -> list[str]:
    report = stage.beat(now)
    return [one.title for one in report.notices if one.kind is NoticeKind.NEVER_RUNS]


def test_it_is_announced_once_and_again_when_it_changes() -> None:
    stage = Stage("## Tasks\n- [x] a\n## TODO\n- [ ] b\n")
    assert notices(stage, "16 10:00") == ["1 line can never run"]
    assert notices(stage, "17 10:00") == []
    stage.edit("- [ ] b\n", "- [ ] b\n- [ ] c\n")
    assert notices(stage, "17 10:30") == ["2 lines can never run"]
    stage.edit("# TODO", "# Notes")
    assert notices(stage, "17 11:00") == []
    stage.edit("- [ ] b\n- [ ] c\n", "b\n")
    stage.beat("17 11:30")
    assert TroubleKind.NEVER_RUNS not in {
        key.kind for key in stage.ledger.announcements.current().announced
    }


def test_every_receipt_says_it_also_where_nothing_was_due() -> None:
    stage = Stage("## Tasks\n- [x] a\n## Aufgaben\n- [ ] b\n- [ ] c\n")
    first = "\n".join(receipt(stage.beat("16 10:00"), stage.clock.now()))
    assert "2 lines can never run: Line 4: A task outside" in first
    second = "\n".join(receipt(stage.beat("16 10:30"), stage.clock.now()))
    assert "2 lines can never run: heartbeat check" in second


def test_an_action_added_below_completed_today_is_told_and_needs_no_attention() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:09:00")) + BELOW)
    assert notices(stage, "16 10:00") == ["1 line can never run"]
    assert "new" not in stage.ran


def test_the_lines_that_the_person_wrote_under_completed_today_stay_at_midnight() -> None:
    mine = "- [x] action-000: Set up the folder (08:00:00)\n- [x] backup: by hand\n"
    text = actions(action("backup", "schedule: daily:09:00"))
    stage = Stage(f"{text}\n## Completed Today\n\n{mine}")
    stage.beat("14 10:00")
    stage.beat("15 09:00")
    assert f"{mine}- [x] backup: did backup (09:00:00)\n" in stage.files.text
    stage.beat("16 09:00")
    assert mine in stage.files.text
    assert stage.files.text.count("did backup") == 1 + 1  # its `result`, and the line of the day


def test_an_action_below_completed_today_is_told_where_there_is_nothing_else() -> None:
    stage = Stage("## Completed Today\n### [HIGH] Backup\n- id: b\n- command: touch X\n")
    said = "\n".join(receipt(stage.beat("16 10:00"), stage.clock.now()))
    assert "1 line can never run: Line 2: An action under `## Completed Today`" in said
    assert stage.ran == []


def test_a_file_that_a_comment_swallows_is_told() -> None:
    stage = Stage("## Tasks\n<!-- later\n- [ ] a | b | run: true\n")
    said = "\n".join(receipt(stage.beat("16 10:00"), stage.clock.now()))
    assert "1 line can never run: Line 2: This comment is never closed" in said


def test_boxes_that_go_to_the_model_as_text_are_no_matter_for_every_beat() -> None:
    stage = Stage("## TODO\n- [ ] Call Anna\n\nMy notes: I like tea.\n")
    assert notices(stage, "16 10:00") == []
    assert stage.beat("16 10:30").never_run == 0


def test_where_all_is_inactive_the_reason_is_said() -> None:
    stage = Stage("# Mine\n\n## TODO\n- [ ] a\n")
    said = "\n".join(receipt(stage.beat("16 10:00"), stage.clock.now()))
    assert "1 line can never run: Line 4: Every line of this file is inactive" in said
