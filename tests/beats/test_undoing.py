"""`heartbeat undo` takes back what the undone run left in HEARTBEAT.md: the verdicts of a model's
tasks, and a line under `## Completed Today`."""

from dataclasses import replace
from pathlib import Path

from core.engine.undo import undo
from core.model.agent import Batch, BatchEnding, BatchResult
from core.model.evidence import Act, Claim, Said, Touched
from core.model.file_work import AGENT, Undone
from tests.fakes.files import digest
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage, action, actions

MODEL = "## Tasks\n- [ ] mail | Fetch | verify: mails > {}\n\n## Probes\n- mails: count\n"
LINE = "  - heartbeat: verified, 10 points (2026-11-16 10:00)"
WORK = Act("run_command(fetch)", "3", touched=Touched(True, ("fetch",), None))


def with_model(wanted: int = 0) -> Stage:
    """A stage whose model writes a file in each batch and says that it is done."""
    stage = Stage(f"---\nstatus: idle\nlast_error: null\n---\n{MODEL.format(wanted)}")
    stage.settings = replace(stage.settings, write_back="verdicts")
    stage.agent.chosen = CHOICE
    stage.processes.prints["count"] = "3"

    def work(_: Batch) -> BatchResult:
        folder = stage.undo.open(len(stage.agent.batches), AGENT)
        folder.keep(Path("report.md"), digest("new"))
        stage.file_worker.files["report.md"] = "new"
        claim = Claim(Said.DONE, "done", {})
        return BatchResult(BatchEnding.FINISHED, {"mail": claim}, acts=(WORK,), usage=USED)

    stage.agent.script = work
    return stage


def undone(stage: Stage, beat: int | None = None) -> Undone:
    done = undo(stage.world(), beat, None)
    assert isinstance(done, Undone)
    return done


def verdicts(stage: Stage) -> list[str]:
    return [line for line in stage.files.text.splitlines() if "heartbeat:" in line]


def test_the_verdict_of_an_undone_run_goes_and_that_is_said() -> None:
    stage = with_model()
    before = stage.files.text
    stage.run("16 10:00")
    assert verdicts(stage) == [LINE]

    assert undone(stage).file == "HEARTBEAT.md"
    assert "report.md" not in stage.file_worker.files
    assert verdicts(stage) == []
    assert stage.files.text.endswith(before.partition("---\n## Tasks")[2])


def test_an_error_of_an_undone_run_leaves_the_frontmatter() -> None:
    stage = with_model(wanted=5)
    stage.run("16 10:00")
    assert "status: error" in stage.files.text
    undone(stage)
    assert "status: idle" in stage.files.text
    assert "last_error: null" in stage.files.text


def test_the_verdict_of_another_run_stays() -> None:
    stage = with_model()
    stage.run("16 10:00")
    stage.files.save(stage.files.text.replace("10 points", "5 points"))  # of another run
    assert undone(stage).file is None
    assert verdicts(stage) == [LINE.replace("10 points", "5 points")]


def test_the_verdict_of_a_run_task_stays_where_a_models_work_is_undone() -> None:
    stage = with_model()
    stage.files.save(
        stage.files.text.replace("## Probes", "- [ ] own | Own | run: true\n## Probes")
    )
    stage.run("16 10:00")
    assert len(verdicts(stage)) == 2
    undone(stage)
    (line,) = verdicts(stage)
    own, mail = stage.files.text.index("] own"), stage.files.text.index("] mail")
    assert mail < own < stage.files.text.index(line)


def test_the_line_of_an_earlier_run_of_the_day_comes_back() -> None:
    block = action("save", "schedule: every:1h").replace("type: shell", "type: file")
    block = block.replace("command: save", "operation: write\n- path: a.txt\n- content: x")
    stage = Stage(actions(block))
    stage.run("16 10:00", "save")
    first = [line for line in stage.files.text.splitlines() if line.startswith("- [x] save")]
    assert len(first) == 1
    stage.run("16 11:00", "save")
    assert first[0] not in stage.files.text

    undone(stage)
    now = [line for line in stage.files.text.splitlines() if line.startswith("- [x] save")]
    assert now == first
    undone(stage)
    assert "- [x] save" not in stage.files.text
