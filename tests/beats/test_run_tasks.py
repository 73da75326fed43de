"""`run:` tasks in a beat: done by their command, measured, scored, and kept in the progress."""

from datetime import timedelta

import pytest

from core.engine.plan import retry
from core.model.evidence import Evidence, FileChange, Said
from core.model.occurrence import BeatReason, Outcome, State, Verdict
from core.model.progress import TaskProgress, TaskStatus
from core.model.report import ItemReport
from core.rules.reporting.evidence import evidence_record, read_evidence
from tests.fakes.files import seen
from tests.stage import MONDAY, Stage, action

HALF_HOUR = timedelta(minutes=30)


def tasks(*lines: str, probes: str = "", rest: str = "") -> str:
    return (
        "## Tasks\n"
        + "".join(f"- [ ] {line}\n" for line in lines)
        + f"\n## Probes\n{probes}\n\n{rest}"
    )


def ran(stage: Stage, identifier: str = "mail") -> ItemReport:
    report = stage.run()
    return next(item for item in report.items if item.id == identifier)


def progress(stage: Stage, identifier: str = "mail") -> TaskProgress:
    return next(one for one in stage.ledger.tasks.progress().tasks if one.task_id == identifier)


def evidence(stage: Stage, identifier: str = "mail") -> Evidence:
    found = stage.ledger.evidence.of(f"task:{identifier}", stage.ledger.beats.recent(1)[0].number)
    assert found
    return found


def test_a_task_without_a_hint_is_checked_by_its_exit_code() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch"))
    item = ran(stage)
    assert (item.outcome, item.verdict, item.points, item.attempts) == (
        Outcome.COMPLETED,
        Verdict.VERIFIED,
        10,
        1,
    )
    assert item.check == "its exit code  →  exit code 0  →  passes"
    (row,) = stage.ledger.occurrences.history(item="task:mail")
    assert (row.state, row.points, row.possible) == (State.VERIFIED, 10, 10)
    assert (progress(stage).status, progress(stage).attempts) == (TaskStatus.VERIFIED, 0)


def test_an_optional_task_earns_half() -> None:
    assert ran(Stage(tasks("mail | Fetch | optional | run: fetch"))).points == 5


def test_a_failed_command_is_an_honest_failure() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch"))
    stage.processes.endings["fetch"] = 2
    item = ran(stage)
    assert (item.outcome, item.verdict, item.points) == (Outcome.FAILED, None, 0)
    assert (progress(stage).status, progress(stage).attempts) == (TaskStatus.FAILED, 1)
    (day,) = stage.ledger.scores.days(MONDAY.date(), MONDAY.date())
    assert (day.score, day.has_verdict, day.kept, day.due) == (0, False, 0, 1)


def test_a_command_that_went_well_and_changed_nothing_is_not_verified_and_no_liar() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | verify: mails > 0", probes="- mails: count"))
    stage.processes.prints["count"] = "0"
    item = ran(stage)
    assert (item.outcome, item.verdict, item.contradiction, item.points) == (
        Outcome.COMPLETED,
        Verdict.NOT_VERIFIED,
        False,
        -15,
    )
    assert item.check == "the check asks for > 0; it found 0"
    assert progress(stage).attempts == 1


def test_what_cannot_be_measured_is_unclear() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | verify: mail_was_read | max_attempts: 2"))
    assert (ran(stage).verdict, progress(stage).status, progress(stage).attempts) == (
        Verdict.UNCLEAR,
        TaskStatus.PENDING,
        0,
    )
    assert (ran(stage).points, progress(stage).status) == (-2, TaskStatus.PENDING)


def test_checks_are_measured_after_every_task_is_done_and_a_probe_once() -> None:
    stage = Stage(
        tasks(
            "a | A | run: first | verify: n == 2",
            "b | B | run: second | verify: n > 1",
            probes="- n: count",
        )
    )
    stage.processes.prints["count"] = "2"
    report = stage.run()
    assert stage.ran == ["first", "second", "count"]
    assert [item.verdict for item in report.items] == [Verdict.VERIFIED, Verdict.VERIFIED]


def test_changed_compares_with_the_file_before_the_command() -> None:
    stage = Stage(tasks("mail | Write | run: write | verify: file:out.md changed"))
    stage.file_inspector.files["out.md"] = seen("old", MONDAY)
    assert ran(stage).verdict is Verdict.NOT_VERIFIED
    stage.processes.meanwhile = lambda _: stage.file_inspector.files.update(
        {"out.md": seen("new", MONDAY)}
    )
    assert ran(stage).verdict is Verdict.VERIFIED
    (change,) = evidence(stage).files
    assert change == FileChange(
        "out.md", seen("old", MONDAY).fingerprint, seen("new", MONDAY).fingerprint
    )


def test_a_file_that_its_own_command_writes_again_is_fresh_also_with_the_same_text() -> None:
    stage = Stage(tasks("mail | Keep a list | run: write | verify: file:out.md fresh<1h"))
    stage.file_inspector.files["out.md"] = seen("same", MONDAY - timedelta(days=3))
    stage.processes.meanwhile = lambda _: stage.file_inspector.files.update(
        {"out.md": seen("same", stage.clock.now())}
    )
    assert ran(stage).verdict is Verdict.VERIFIED

    # What was not written by this command is as old as it is.
    stage.processes.meanwhile = lambda _: None
    stage.clock.pass_time(timedelta(hours=2))
    assert ran(stage).verdict is Verdict.NOT_VERIFIED


def test_what_was_seen_before_a_crash_still_counts_where_only_the_time_of_the_file_is_new() -> None:
    stage = Stage(tasks("mail | Write | run: write | verify: file:out.md fresh<1h"))
    stage.file_inspector.files["out.md"] = seen("old", MONDAY - timedelta(days=3))

    def touch_and_crash(_: str) -> None:
        stage.file_inspector.files["out.md"] = seen("old", MONDAY)
        raise KeyboardInterrupt

    stage.processes.meanwhile = touch_and_crash
    with pytest.raises(KeyboardInterrupt):
        stage.run()

    stage.lock.held_by = None
    stage.processes.meanwhile = lambda _: None
    stage.clock.pass_time(HALF_HOUR)
    stage.plan_only()
    item = ran(stage)
    assert item.verdict is Verdict.NOT_VERIFIED
    assert "it found the same content for 3 d" in evidence(stage).reason


def test_an_exhausted_task_does_not_run_and_costs_nothing_until_it_starts_again() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | max_attempts: 2 | verify: cmd:look"))
    stage.processes.endings["look"] = 1
    assert [ran(stage).points, ran(stage).points] == [-15, -15]
    stage.ran.clear()
    for _ in range(3):
        assert stage.run().items == ()
    assert stage.ran == []
    assert (progress(stage).status, progress(stage).attempts) == (TaskStatus.FAILED, 2)
    assert sum(day.points for day in stage.ledger.scores.days(MONDAY.date(), MONDAY.date())) == -30
    assert "heartbeat retry mail" in stage.planned("mail").reason
    retry(stage.ledger, "mail", stage.clock.now())
    assert (ran(stage).attempts, progress(stage).attempts) == (1, 1)


def test_an_edited_line_starts_again_and_a_moved_one_does_not() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | max_attempts: 1"))
    stage.processes.endings["fetch"] = 1
    ran(stage)
    stage.files.save("# Title\n\n" + stage.files.text)
    assert stage.run().items == ()
    stage.edit("| Fetch |", "| Fetch it |")
    assert ran(stage).outcome is Outcome.FAILED


def test_a_ticked_task_does_not_run_and_earns_nothing() -> None:
    stage = Stage("## Tasks\n- [x] mail | Fetch | run: fetch\n- [ ] other | Do | run: other\n")
    stage.run()
    assert stage.ran == ["other"]
    assert (progress(stage).status, progress(stage).attempts) == (TaskStatus.VERIFIED, 0)


def test_a_cancelled_task_stays_as_it_was() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch"))
    stage.processes.meanwhile = lambda _: stage.cancelled.set()
    item = ran(stage)
    assert (item.outcome, item.verdict, item.points) == (Outcome.INTERRUPTED, None, 0)
    assert (progress(stage).status, progress(stage).attempts) == (TaskStatus.PENDING, 0)


def test_a_beat_that_is_cancelled_before_the_check_leaves_no_verdict() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | verify: cmd:look"))
    stage.processes.meanwhile = lambda line: stage.cancelled.set() if line == "look" else None
    item = ran(stage)
    assert (item.outcome, item.verdict) == (Outcome.COMPLETED, None)
    assert progress(stage).attempts == 0


def test_what_a_crash_cut_off_counts_as_an_attempt() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | max_attempts: 2"))
    planned = stage.planned("mail")
    assert planned.slot

    def crash(_: str) -> None:
        raise KeyboardInterrupt

    stage.processes.meanwhile = crash
    with pytest.raises(KeyboardInterrupt):
        stage.run()
    stage.lock.held_by = None
    stage.processes.meanwhile = lambda _: None
    stage.plan_only()
    assert (progress(stage).status, progress(stage).attempts) == (TaskStatus.FAILED, 1)


def test_after_a_critical_failure_no_task_runs() -> None:
    stage = Stage(
        tasks(
            "mail | Fetch | run: fetch",
            rest="## Pending Actions\n\n" + action("first", priority="CRITICAL"),
        )
    )
    stage.processes.endings["first"] = 1
    assert ran(stage).outcome is Outcome.WAITING
    assert stage.ran == ["first"]


def test_a_task_without_a_command_needs_a_model() -> None:
    stage = Stage(tasks("mail | Read the mail"))
    assert ran(stage).outcome is Outcome.NEEDS_MODEL


def test_a_task_with_a_schedule_is_due_at_its_slots_and_one_without_at_the_ticks() -> None:
    stage = Stage(tasks("a | A | run: a", "b | B | run: b | schedule: daily:09:00"))
    stage.beat("16 08:00")
    assert stage.ran == ["a"]
    stage.beat("16 08:10")
    assert stage.ran == []
    stage.beat("16 09:00", reason=BeatReason.TIMER)
    assert stage.ran == ["a", "b"]


def test_the_evidence_has_what_was_said_done_measured_and_decided() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | verify: mails > 0", probes="- mails: count"))
    stage.processes.prints |= {
        "count": "3",
        "fetch": "password=hunter2hunter2\n3 new mails\n" + "x" * 9000,
    }
    ran(stage)
    kept = evidence(stage)
    assert kept.claim.said is Said.DONE
    assert kept.measurement.values == {"mails": 3}
    assert (kept.verdict, kept.points, kept.contradiction) == (Verdict.VERIFIED, 10, False)
    (act,) = kept.acts
    assert act.what == "fetch"
    assert len(act.output) < 4100
    assert read_evidence(evidence_record(kept)) == kept


def test_no_token_of_the_output_is_kept() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch"))
    stage.processes.prints["fetch"] = (
        "password=hunter2hunter2\nAuthorization: Bearer abcdefghijkl\nkey sk-abcdefghijklmn\n3 new"
    )
    ran(stage)
    output = evidence(stage).acts[0].output
    assert "3 new" in output
    for secret in ("hunter2", "abcdefghijkl", "sk-abc"):
        assert secret not in output


def test_the_file_says_that_a_task_was_not_verified() -> None:
    stage = Stage(
        "---\nversion: 1\nstatus: idle\nerror_count: 0\nlast_error: null\n---\n"
        + tasks("mail | F | run: f | verify: cmd:no")
    )
    stage.processes.endings["no"] = 1
    stage.run()
    assert "status: error" in stage.files.text
    assert "mail: not verified" in stage.files.text


def test_a_task_that_is_named_and_does_not_run_says_why() -> None:
    stage = Stage(
        "## Tasks\n- [x] ticked | T | run: t\n- [ ] used | U | run: u | max_attempts: 1\n"
    )
    stage.processes.endings["u"] = 1
    stage.run("16 09:00")
    items = stage.run("16 09:10", "ticked", "used").items
    assert [(one.id, one.outcome) for one in items] == [
        ("ticked", Outcome.SKIPPED),
        ("used", Outcome.SKIPPED),
    ]
    reasons = [
        "it is ticked; untick it to run it",
        "it failed once; change its line, or: heartbeat retry used",
    ]
    assert [one.reason for one in items] == reasons


def test_a_command_gets_the_time_that_its_task_gives_it() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | timeout: 1h", "b | B | run: other"))
    stage.run()
    assert [(one.line, one.timeout) for one in stage.processes.started] == [
        ("fetch", timedelta(hours=1)),
        ("other", timedelta(minutes=5)),
    ]


def test_nothing_of_a_command_that_a_pipe_cuts_runs() -> None:
    stage = Stage(
        "## Tasks\n- [ ] a | Count | run: ls mail | wc -l\n"
        "- [ ] b | Count | cmd:rm mail | tail -1\n- [ ] c | Go on | run: true\n"
    )
    report = stage.beat("16 10:00")
    assert {item.id: item.outcome for item in report.items if item.id != "c"} == {
        "a": Outcome.NEEDS_CLARIFICATION,
        "b": Outcome.NEEDS_CLARIFICATION,
    }
    assert stage.ran == ["true"]


def test_a_command_that_printed_nothing_claims_nothing() -> None:
    stage = Stage(tasks("mail | Fetch | run: fetch | verify: cmd:look"))
    stage.processes.endings["look"] = 1
    stage.processes.prints["fetch"] = ""
    report = stage.run()
    (item,) = report.items
    assert (item.verdict, item.result) == (Verdict.NOT_VERIFIED, "")
    assert not any("It said" in notice.message for notice in report.notices)
