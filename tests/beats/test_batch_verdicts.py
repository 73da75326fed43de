"""The table of verdicts in docs/spec.md, row by row, through whole beats: what a
model reports, what is so, and what follows."""

from dataclasses import dataclass, replace
from typing import Any

import pytest

from core.engine import verify
from core.engine.account import differences
from core.model.agent import BatchEnding, BatchResult, JudgeResult
from core.model.check import Value
from core.model.diagnostic import Problem
from core.model.document import Task
from core.model.evidence import Act, Claim, Judgement, Ruling, Said, Touched
from core.model.occurrence import Outcome, Verdict
from core.model.progress import TaskStatus
from core.rules.checking.verdicts import HAS_EARNED, rule
from core.rules.scoring.promises import kept_words
from tests.beats.prompt_text import prompt
from tests.fakes.files import seen
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage, action, actions, at

READ = Touched(reads=True, paths=("inbox",), writes=())
WORK = Act("run_command(fetch)", "250 queued", touched=Touched(True, ("fetch",), None))
LOOK = Act("read_file(inbox)", "250 queued", could_do_it=False, touched=READ)
JUNK = Act("write_file(junk)", "Wrote it.", touched=Touched(False, ("junk",), ("junk",)))
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
    Row("passes", Said.DONE, VERIFIED, 10, S.VERIFIED, 0, acts=(LOOK,)),
    Row("passes", Said.DONE, VERIFIED, 10, S.VERIFIED, 0, acts=(LOOK,), claims="3.0"),
    Row("passes", Said.DONE, VERIFIED, 0, S.VERIFIED, 0, acts=(JUNK,)),
    Row("passes", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, claims=9),
    Row("passes", Said.DONE, VERIFIED, 0, S.VERIFIED, 0, acts=()),
    # fails
    Row("fails", Said.DONE, NOT, -15, S.FAILED, 1),
    Row("fails", Said.DONE, NOT, -15, S.FAILED, 1, claims=3),
    Row("fails", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, claims=30),
    Row("fails", Said.DONE, NOT, -15, S.FAILED, 1, acts=(LOOK,), claims=3),
    Row("fails", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, acts=()),
    # cannot be measured
    Row("unmeasured", Said.DONE, UNCLEAR, -2, S.PENDING, 0),
    Row("unmeasured", Said.DONE, VERIFIED, 10, S.VERIFIED, 0, judge=SURE),
    Row("unmeasured", Said.DONE, VERIFIED, 10, S.VERIFIED, 0, judge=SURE, acts=(LOOK,)),
    Row("unmeasured", Said.DONE, NOT, -15, S.FAILED, 1, judge=NO),
    Row("unmeasured", Said.DONE, NOT, -45, S.FAILED, 1, contradiction=True, judge=LIE),
    # whatever the check says
    *(Row(check, Said.FAILED, None, 0, S.FAILED, 1, judge=SURE) for check in ANY),
    *(
        Row(check, said, None, 0, S.SKIPPED, 0, required=False)
        for check in ANY
        for said in (Said.SKIPPED, None)
    ),
    *(Row(check, Said.SKIPPED, None, 0, S.SKIPPED, 0, judge=SURE) for check in ANY),
    *(Row(check, None, NOT, -15, S.FAILED, 1, judge=SURE) for check in ANY),
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


def mail_stage(hint: str = "mails > 5", count: str = "3") -> Stage:
    stage = Stage(
        f"## Tasks\n\n- [ ] mail | Mail | verify: {hint}\n\n## Probes\n\n- mails: count\n"
    )
    stage.agent.chosen = CHOICE
    stage.processes.prints["count"] = count
    return stage


@pytest.mark.parametrize("answer", ["SKIP", "HEARTBEAT_OK", " heartbeat_ok.\n", "SKIP: no mail"])
def test_a_whole_answer_may_skip_every_task(answer: str) -> None:
    stage = mail_stage("mails > 0")
    stage.agent.script = lambda _: BatchResult(FINISHED, text=answer, usage=USED)
    report = stage.beat("16 10:00")
    (item,) = report.items
    assert (item.outcome, item.verdict, item.points) == (Outcome.SKIPPED, None, 0)
    assert (item.check_fails, report.score.due_count) == (False, 0)


@pytest.mark.parametrize("answer", ["", "All done!", "I will not SKIP any of it today"])
def test_any_other_answer_without_a_report_is_silence(answer: str) -> None:
    stage = mail_stage("mails > 0")
    stage.agent.script = lambda _: BatchResult(FINISHED, text=answer, usage=USED)
    assert stage.beat("16 10:00").items[0].verdict is NOT


def test_a_skipped_task_whose_check_fails_is_not_kept_and_told_once() -> None:
    stage = mail_stage()
    skips = BatchResult(FINISHED, {"mail": Claim(Said.SKIPPED, "not today")}, usage=USED)
    stage.agent.script = lambda _: skips
    first, second = stage.beat("16 10:00"), stage.beat("16 10:30")
    (item,) = first.items
    assert (item.outcome, item.verdict, item.points) == (Outcome.SKIPPED, None, 0)
    assert (item.check_fails, stage.ledger.occurrences.history()[0].check_fails) == (True, True)
    assert [one.title for one in first.notices] == ["mail: skipped, but its check fails"]
    assert second.notices == ()
    assert (second.score.kept, second.score.kept_count, second.score.due_count) == (0.0, 0, 2)
    assert stage.agent.judge_calls == 0


RULINGS = [
    (Said.DONE, "mails > 0", {"mails": 9}, "it said mails is 9, but it was 1 before and 3 after"),
    (Said.DONE, "mails > 5", {}, "the check asks for > 5; it found 3"),
    (Said.DONE, "mails > 0", {}, "it was so already: nothing that was done belongs to it"),
    (Said.DONE, "mail_sent", {}, "the judge said nothing about it"),
    (Said.SKIPPED, "mails > 5", {}, "the check asks for > 5; it found 3"),
    (None, "mails > 5", {}, "it did not report this task"),
    (Said.SKIPPED, "mails > 0", {}, ""),
]


@pytest.mark.parametrize(("said", "hint", "facts", "ruling"), RULINGS)
def test_why_a_verdict_is_so_is_kept_with_it(
    said: Said | None, hint: str, facts: dict[str, Value], ruling: str
) -> None:
    stage = mail_stage(hint, count="1")
    reports = {"mail": Claim(said, "", facts)} if said else {}

    def work(_: object) -> BatchResult:
        stage.processes.prints["count"] = "3"
        return BatchResult(FINISHED, reports, (JUNK,), usage=USED)

    stage.agent.script = work
    (item,) = stage.beat("16 10:00").items
    (kept,) = stage.ledger.occurrences.history()
    assert kept.ruling == item.ruling
    assert kept.ruling.startswith(ruling)
    assert bool(kept.ruling) == bool(ruling)


def test_what_a_judge_says_is_why() -> None:
    stage = mail_stage("mail_sent")
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (LOOK,))
    sure = Judgement(Verdict.VERIFIED, quote="250 queued", reason="it was sent")
    stage.agent.judge_script = lambda _: JudgeResult({"mail": sure}, USED)
    (item,) = stage.beat("16 10:00").items
    assert (item.ruling, item.check) == ("the judge says “it was sent”",) * 2


def test_a_beat_counts_its_promises_as_the_day_does() -> None:
    stage = mail_stage("mails > 0")
    stage.edit("- [ ] mail", "- [ ] other | Other | verify: other_done\n- [ ] mail")
    reports = {"mail": Claim(Said.DONE), "other": Claim(Said.DONE)}
    stage.agent.script = lambda _: BatchResult(FINISHED, reports, (LOOK,), usage=USED)
    score = stage.beat("16 10:00").score
    (beat,) = stage.ledger.beats.recent(1)
    assert (score.kept_count, score.due_count) == (1, 2)
    assert (beat.kept, beat.not_kept) == (1, 1)
    assert (beat.completed, beat.failed) == (1, 0)  # the other one is unclear, and has not failed


def test_a_prompt_that_was_answered_keeps_no_promise() -> None:
    stage = Stage("")
    stage.files.prompts["joke"] = prompt()
    stage.agent.chosen = CHOICE
    stage.agent.script = lambda _: BatchResult(FINISHED, text="Ha.", usage=USED)
    stage.beat("16 10:00")
    (beat,) = stage.ledger.beats.recent(1)
    assert (beat.kept, beat.not_kept, beat.completed) == (0, 0, 1)


def test_a_value_that_moved_while_the_model_worked_is_no_lie() -> None:
    stage = mail_stage("mails > 0", count="5")

    def work(_: object) -> BatchResult:
        stage.processes.prints["count"] = "3"
        return BatchResult(FINISHED, {"mail": Claim(Said.DONE, "", {"mails": 5})}, (LOOK,))

    stage.agent.script = work
    assert (stage.beat("16 10:00").items[0].verdict, stage.ran) == (VERIFIED, ["count", "count"])


def test_a_fault_of_ours_costs_only_the_task_that_it_happened_to(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def rule_or_fail(task: Task, *given: Any) -> Ruling:
        if task.id == "odd":
            raise ValueError("cannot convert float NaN to integer")
        return rule(task, *given)

    monkeypatch.setattr(verify, "rule", rule_or_fail)
    tasks = "".join(f"- [ ] {name} | X | verify: mails > 0\n" for name in ("a", "odd", "b"))
    stage = Stage(f"## Tasks\n\n{tasks}\n## Probes\n\n- mails: count\n")
    stage.agent.chosen = CHOICE
    stage.processes.prints["count"] = "3"
    reports = {name: Claim(Said.DONE) for name in ("a", "odd", "b")}
    stage.agent.script = lambda _: BatchResult(FINISHED, reports, (LOOK,), usage=USED)

    items = {one.id: one for one in stage.beat("16 10:00").items}
    assert [items[name].verdict for name in ("a", "odd", "b")] == [VERIFIED, UNCLEAR, VERIFIED]
    assert "ValueError" in stage.ledger.evidence.of("task:odd", 1).reason  # type: ignore[union-attr]


WROTE = Act("write_file(count.sh)", touched=Touched(False, ("count.sh",), ("count.sh",)))
BY_COMMAND = Act("run_command(sed)", touched=Touched(True, ("sed",), None))
CHANGED = "the model changed count.sh, which this check runs"


@pytest.mark.parametrize(
    ("said", "act", "verdict", "points", "reason"),
    [
        (Said.DONE, WROTE, NOT, -15, CHANGED),
        (Said.DONE, BY_COMMAND, NOT, -15, "count.sh, which this check runs, was changed while"),
        (Said.SKIPPED, WROTE, None, 0, CHANGED),
        (Said.DONE, LOOK, UNCLEAR, -2, "changed since you approved it"),  # by somebody else
    ],
)
def test_a_check_is_not_got_around_by_breaking_it(
    said: Said, act: Act, verdict: Verdict | None, points: int, reason: str
) -> None:
    stage = Stage("## Tasks\n\n- [ ] t | X | verify: n > 5\n\n## Probes\n\n- n: sh count.sh\n")
    stage.agent.chosen = CHOICE
    stage.scripts.files["count.sh"] = "echo 3"
    stage.processes.prints["sh count.sh"] = "3"
    stage.file_inspector.files["count.sh"] = seen("echo 3", at("16 08:00"))
    stage.world()  # the person approves it as it is
    stage.says_yes = False

    def work(_: object) -> BatchResult:
        stage.scripts.files["count.sh"] = "echo 9"
        stage.file_inspector.files["count.sh"] = seen("echo 9", at("16 10:00"))
        return BatchResult(FINISHED, {"t": Claim(said, "not today")}, (act,), usage=USED)

    stage.agent.script = work
    (item,) = stage.beat("16 10:00").items
    assert (item.verdict, item.points, item.contradiction) == (verdict, points, False)
    assert item.check_fails is (said is Said.SKIPPED)
    assert reason in stage.ledger.evidence.of("task:t", 1).reason  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("hint", "facts", "verdict", "points"),
    [
        ("state == 'ok'", {"state": "OK"}, VERIFIED, 10),
        ("state == 'ok'", {"state": "all good"}, VERIFIED, 0),
        ("state != 'failed'", {"state": "all good"}, VERIFIED, 10),
        ("state != 'failed'", {"State ": "failed"}, NOT, -45),
        ("json:r.json#/state == 'ok'", {"state": "OK"}, VERIFIED, 10),
        ("json:r.json#/state == 'ok'", {"state": "all good"}, VERIFIED, 0),
        ("json:r.json#/state != 'failed'", {"state": "failed"}, NOT, -45),
        ("cmd:true r.json", {"exit_code": 1}, VERIFIED, 10),  # of a command of its own
    ],
)
def test_a_text_is_compared_as_the_check_compares_it(
    hint: str, facts: dict[str, Value], verdict: Verdict, points: int
) -> None:
    probe = "\n## Probes\n\n- state: look\n"
    stage = Stage(f"## Tasks\n\n- [ ] t | See to r.json | verify: {hint}\n{probe}")
    stage.agent.chosen = CHOICE
    stage.processes.prints["look"] = "ok"
    stage.file_inspector.files["r.json"] = seen('{"state": "ok"}', at("16 08:00"))
    look = replace(LOOK, touched=Touched(reads=True, paths=("r.json",), writes=()))
    reports = {"t": Claim(Said.DONE, "looked", facts)}
    stage.agent.script = lambda _: BatchResult(FINISHED, reports, (look,), usage=USED)
    (item,) = stage.beat("16 10:00").items
    assert (item.verdict, item.points) == (verdict, points)


def test_what_was_not_measured_before_the_work_is_no_lie() -> None:
    stage = mail_stage("mails > 0")
    stage.processes.endings["count"] = 2

    def work(_: object) -> BatchResult:
        stage.processes.endings["count"] = 0
        stage.processes.prints["count"] = "5"
        return BatchResult(FINISHED, {"mail": Claim(Said.DONE, "", {"mails": 3})}, (LOOK,))

    stage.processes.prints["count"] = "count: no such file"
    stage.agent.script = work
    (item,) = stage.beat("16 10:00").items
    assert (item.verdict, item.contradiction, item.points) == (VERIFIED, False, 0)


def test_unclear_never_ends_a_task() -> None:
    stage = mail_stage("mail_sent")
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (LOOK,))
    for hour in range(10, 16):
        (item,) = stage.beat(f"16 {hour}:00").items
        assert (item.verdict, item.points) == (UNCLEAR, -2)


def test_running_again_and_again_earns_once_per_interval() -> None:
    stage = mail_stage("mails > 0")
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (LOOK,))
    points = [stage.run(f"16 10:0{minute}").items[0].points for minute in range(5)]
    assert points == [10, 0, 0, 0, 0]
    assert stage.beat("16 10:30").items[0].points == 10
    assert stage.ledger.evidence.of("task:mail", 2).reason == HAS_EARNED  # type: ignore[union-attr]


def test_a_task_earns_once_in_the_interval_of_its_own_schedule() -> None:
    stage = mail_stage("mails > 0 | schedule: daily:10:00")
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (LOOK,))
    stage.plan_only("16 09:00")
    assert stage.beat("16 10:00").items[0].points == 10
    assert stage.run("16 20:00", "mail").items[0].points == 0
    assert stage.beat("17 10:00").items[0].points == 10


def test_a_measurement_of_its_own_file_is_labelled() -> None:
    stage = mail_stage("cmd:test -s log.txt")
    wrote = Act("write_file(log.txt)", touched=Touched(False, ("log.txt",), ("log.txt",)))
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (wrote,))
    (item,) = stage.beat("16 10:00").items
    assert (item.verdict, item.self_reported, item.points) == (VERIFIED, True, 10)
    assert stage.ledger.occurrences.history()[0].self_reported


@pytest.mark.parametrize(
    ("details", "points"), [("", 0), ("  Count what is in lists/mail.txt.\n", 10)]
)
def test_what_the_details_name_belongs_to_the_task(details: str, points: int) -> None:
    stage = Stage(f"## Tasks\n\n- [ ] mail | Fetch | verify: cmd:test -s log.txt\n{details}")
    stage.agent.chosen = CHOICE
    read = Touched(reads=True, paths=("lists/mail.txt",), writes=())
    look = Act("read_file(lists/mail.txt)", could_do_it=False, touched=read)
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (look,))

    (item,) = stage.beat("16 10:00").items
    assert (item.verdict, item.points) == (VERIFIED, points)


def test_the_judge_is_asked_about_the_details_too() -> None:
    stage = Stage("## Tasks\n\n- [ ] mail | Fetch | verify: mail_sent\n  Only from Ann.\n")
    stage.agent.chosen = CHOICE
    stage.agent.script = lambda _: BatchResult(FINISHED, {"mail": Claim(Said.DONE)}, (LOOK,))
    stage.beat("16 10:00")

    (question,) = stage.agent.questions
    assert (question.description, question.details) == ("Fetch", "Only from Ann.")


def test_one_good_and_three_failed_promises_are_one_of_four() -> None:
    tasks = "".join(f"- [ ] {name} | X | run: {name}\n" for name in ("a", "b", "c"))
    stage = Stage(f"## Tasks\n\n{tasks}\n{actions(action('d'))}")
    stage.processes.endings |= {"a": 1, "b": 1, "d": 1}
    score = stage.beat("16 10:00").score
    assert (score.kept, score.kept_count, score.due_count) == (0.25, 1, 4)
    assert kept_words(score.kept_count, score.due_count) == "1 of 4 kept"
    assert differences(stage.ledger, at("16 10:00").date(), 400) == []
