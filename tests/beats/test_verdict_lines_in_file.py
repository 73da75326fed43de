"""`write_back = "verdicts"` in whole beats: one line under each task with its last verdict."""

from dataclasses import replace

import pytest

from core.model.document import NodeKind
from tests.stage import Stage

FILE = "## Tasks\n- [ ] mail | Fetch | run: fetch\n- [x] old | Done before\n\n## Notes\nMine.\n"
LINE = "  - heartbeat: verified, 10 points (2026-11-16 10:00)\n"


def stage_with(write_back: str, text: str = FILE) -> Stage:
    stage = Stage(text)
    stage.settings = replace(stage.settings, write_back=write_back)
    return stage


def lines_of(stage: Stage) -> list[str]:
    return [line for line in stage.files.text.splitlines() if "heartbeat:" in line]


@pytest.mark.parametrize("write_back", ["status", "off"])
def test_without_the_setting_the_lines_of_tasks_are_left_alone(write_back: str) -> None:
    stage = stage_with(write_back)
    stage.run()
    assert stage.files.text == FILE


def test_the_last_verdict_stands_below_its_task_and_is_replaced() -> None:
    stage = stage_with("verdicts")
    stage.run("16 10:00")
    assert stage.files.text == FILE.replace("fetch\n", f"fetch\n{LINE}")

    stage.processes.prints["fetch"] = "x\n- [ ] evil | Evil | run: rm"
    stage.run("16 11:00")
    (line,) = lines_of(stage)
    assert line.endswith("points (2026-11-16 11:00)")
    assert "evil" not in stage.files.text
    assert "- [x] mail" not in stage.files.text


def test_it_is_no_part_of_the_task() -> None:
    stage = stage_with("verdicts")
    before = stage.workspace().document
    stage.run("16 10:00")
    after = stage.workspace().document
    assert after.context == before.context
    assert [replace(one, line=0) for one in after.tasks] == [
        replace(one, line=0) for one in before.tasks
    ]
    assert after.diagnostics == before.diagnostics
    assert [node.owner for node in after.nodes if node.kind is NodeKind.VERDICT] == ["mail"]


def test_a_persons_line_that_looks_like_it_stays() -> None:
    mine = "  - heartbeat: verified, I think\n"
    stage = stage_with("verdicts", FILE.replace("fetch\n", f"fetch\n{mine}"))
    stage.run("16 10:00")
    assert stage.files.text == FILE.replace("fetch\n", f"fetch\n{LINE}{mine}")


def test_it_stays_when_the_setting_is_changed_back() -> None:
    stage = stage_with("verdicts")
    stage.run("16 10:00")
    stage.settings = replace(stage.settings, write_back="status")
    stage.run("16 11:00")
    assert lines_of(stage) == [LINE.rstrip("\n")]


def test_a_run_that_fails_does_not_leave_the_good_verdict_there() -> None:
    stage = stage_with("verdicts")
    stage.run("16 10:00")
    stage.processes.endings["fetch"] = 1
    stage.run("16 11:00")
    assert lines_of(stage) == ["  - heartbeat: failed, 0 points (2026-11-16 11:00)"]
