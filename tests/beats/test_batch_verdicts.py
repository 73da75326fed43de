"""The table of verdicts in docs/spec.md, row by row, through whole beats: what a
model reports, what is so, and what follows."""

from dataclasses import dataclass

import pytest

from core.model.agent import BatchEnding, BatchResult, JudgeResult
from core.model.check import Value
from core.model.diagnostic import Problem
from core.model.evidence import Act, Claim, Judgement, Said
from core.model.occurrence import Outcome, Verdict
from core.model.progress import TaskStatus
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage

WORK, LOOK = (
    Act("run_command(fetch)", "250 queued"),
    Act("read_file(a)", "250 queued", could_do_it=False),
)
HINTS = {
    "passes": "verify: mails > 0",
    "fails": "verify: mails > 5",
    "unmeasured": "verify: mail_sent",
}
SURE, NO = (
    Judgement(Verdict.VERIFIED, quote="250 queued"),
    Judgement(Verdict.NOT_VERIFIED, quote="250 queued"),
)
LIE = Judgement(Verdict.NOT_VERIFIED, True, "250 queued")
FINISHED, LOST = BatchEnding.FINISHED, BatchEnding.UNREACHABLE
VERIFIED, NOT, UNCLEAR = Verdict.VERIFIED, Verdict.NOT_VERIFIED, Verdict.UNCLEAR
S = TaskStatus


@dataclass(frozen=True)
class Row:
    check: str
    said: Said | None
    verdict: Verdict | None
    points: int
    status: TaskStatus
    attempts: int
    contradiction: bool = False
    acts: tuple[Act, ...] = (WORK,)
    required: bool = True
    ending: BatchEnding = FINISHED
    judge: Judgement | None = None
    claims: Value = None  # what it says the number of mails is


ANY = ("passes", "fails", "unmeasured")
ROWS = [
    # passes
    Row("passes", Said.DONE, VERIFIED, 10, S.VERIFIED, 0),
    Row("passes", Said.DONE, VERIFIED, 5, S.VERIFIED, 0, required=False),
    Row("passes", Said.DONE, VERIFIED, 0, S.VERIFIED, 0, acts=(LOOK,)),
    Row("passes", Said.DONE, VERIFIED, 0, S.VERIFIED, 0, acts=()),
    # fails
    Row("fails", Said.DONE, NOT, -15, S.FAILED, 1),
    Row("fails", Said.DONE, NOT, -15, S.FAILED, 1, claims=3),
    Row("fails", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, claims=30),
    Row("fails", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, acts=(LOOK,)),
    # cannot be measured
    Row("unmeasured", Said.DONE, UNCLEAR, -2, S.PENDING, 1),
    Row("unmeasured", Said.DONE, VERIFIED, 10, S.VERIFIED, 0, judge=SURE),
    Row("unmeasured", Said.DONE, VERIFIED, 0, S.VERIFIED, 0, judge=SURE, acts=(LOOK,)),
    Row("unmeasured", Said.DONE, NOT, -15, S.FAILED, 1, judge=NO),
    Row("unmeasured", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, judge=LIE),
    # whatever the check says
    *(Row(check, Said.FAILED, None, 0, S.FAILED, 1, judge=SURE) for check in ANY),
    *(
        Row(check, said, None, 0, S.SKIPPED, 0, required=False)
        for check in ANY
        for said in (Said.SKIPPED, None)
    ),
    *(
        Row(check, said, NOT, -15, S.FAILED, 1, judge=SURE)
        for check in ANY
        for said in (Said.SKIPPED, None)
    ),
    *(
        Row(check, None, None, 0, S.PENDING, 0, required=required, ending=ending)
        for check in ANY
        for required in (True, False)
        for ending in (LOST, BatchEnding.OUT_OF_BUDGET, BatchEnding.CANCELLED)
    ),
    # what it had reported before it was lost still counts
    Row("passes", Said.DONE, VERIFIED, 10, S.VERIFIED, 0, ending=LOST),
    Row("fails", Said.DONE, NOT, -15, S.FAILED, 1, ending=BatchEnding.OUT_OF_BUDGET),
]


@pytest.mark.parametrize(
    "row", ROWS, ids=lambda row: f"{row.check}-{row.said}-{row.ending}-{row.points}"
)
def test_the_report_and_the_measurement_decide_the_verdict(row: Row) -> None:
    requirement = "required" if row.required else "optional"
    line = f"- [ ] mail | Read the mail | {requirement} | {HINTS[row.check]}\n"
    stage = Stage(f"## Tasks\n\n{line}\n## Probes\n\n- mails: count\n")
    stage.agent.chosen = CHOICE
    stage.processes.prints["count"] = "3"
    facts: dict[str, Value] = {} if row.claims is None else {"mails": row.claims}
    reports = {"mail": Claim(row.said, "all read", facts)} if row.said else {}
    stage.agent.script = lambda _: BatchResult(row.ending, reports, row.acts, usage=USED)
    if row.judge:
        judgement = row.judge
        stage.agent.judge_script = lambda _: JudgeResult({"mail": judgement}, USED)
    report = stage.beat("16 10:00")
    (item,) = report.items
    (task,) = stage.ledger.tasks.progress().tasks
    assert (item.verdict, item.points, item.contradiction) == (
        row.verdict,
        row.points,
        row.contradiction,
    )
    assert (task.status, task.attempts) == (row.status, row.attempts)
    assert report.score.today == row.points
    assert stage.agent.judge_calls == (row.check == "unmeasured" and row.said is Said.DONE)


@pytest.mark.parametrize(
    ("ending", "outcome"),
    [
        (BatchEnding.UNREACHABLE, Outcome.WAITING),
        (BatchEnding.OUT_OF_BUDGET, Outcome.WAITING),
        (BatchEnding.CANCELLED, Outcome.INTERRUPTED),
    ],
)
def test_how_it_ended_without_a_report_is_in_the_ledger(
    ending: BatchEnding, outcome: Outcome
) -> None:
    stage = Stage("## Tasks\n\n- [ ] mail | Mail\n")
    stage.agent.chosen = CHOICE
    hung = Problem("it hung.", "Start it again.")
    stage.agent.script = lambda _: BatchResult(ending, problem=hung, usage=USED)
    stage.beat("16 10:00")
    (one,) = stage.ledger.occurrences.history(item="task:mail")
    assert (one.outcome, "it hung. Start it again." in one.error) == (outcome, True)
    assert stage.ledger.model_use.history(limit=1)[0].problem == "it hung. Start it again."
