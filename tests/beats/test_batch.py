"""One batch per beat: what goes to the model, what is done with its answer, and when it is not
asked at all."""

import json
from dataclasses import replace
from datetime import timedelta

import pytest

from core.engine.recover import INTERRUPTED
from core.model.agent import Batch, BatchEnding, BatchResult, JudgeResult, NoModel, Question, Usage
from core.model.diagnostic import Problem
from core.model.evidence import Act, Claim, Judgement, Said, Touched
from core.model.holder import Holder, Purpose
from core.model.item import ItemKind
from core.model.ledger import Pause
from core.model.occurrence import BeatReason, Outcome, State, Verdict
from core.model.progress import TaskStatus
from core.model.report import BeatReport, ItemReport
from core.model.settings import BudgetSettings, McpServer, Settings
from tests.beats.prompt_text import prompt
from tests.fakes.model import CHOICE, USED
from tests.stage import MONDAY, Stage, action, at

WROTE = Touched(reads=False, paths=("mail.txt",), writes=("mail.txt",))
READ = Touched(reads=True, paths=("inbox",), writes=())
LOOKING = (Act("read_file(path=inbox)", "3 mails from Ann", could_do_it=False, touched=READ),)
WORK = (*LOOKING, Act("write_file(path=mail.txt)", "Wrote mail.txt.", touched=WROTE))
DONE = Claim(Said.DONE, "3 new mails")


def stage_with(text: str = "", **prompts: str) -> Stage:
    stage = Stage(text)
    stage.agent.chosen = CHOICE
    stage.files.prompts |= prompts
    return stage


def tasks(*lines: str, rest: str = "") -> str:
    return "## Tasks\n\n" + "".join(f"- [ ] {line}\n" for line in lines) + f"\n{rest}"


def says(
    stage: Stage,
    reports: dict[str, Claim] | None = None,
    acts: tuple[Act, ...] = WORK,
    text: str = "SKIP",
    ending: BatchEnding = BatchEnding.FINISHED,
    **more: object,
) -> None:
    result = BatchResult(ending, reports or {}, acts, text, usage=USED)
    stage.agent.script = lambda _: replace(result, **more)  # type: ignore[arg-type]


def item(report: BeatReport, identifier: str) -> ItemReport:
    return next(one for one in report.items if one.id == identifier)


def progress(stage: Stage, identifier: str = "mail") -> tuple[TaskStatus, int]:
    one = next(one for one in stage.ledger.tasks.progress().tasks if one.task_id == identifier)
    return one.status, one.attempts


def sent(stage: Stage, kind: str) -> list[str]:
    return [notice.message for _, notice in stage.messenger.sent if notice.kind == kind]


# When a model is asked


def test_with_nothing_due_nobody_asks_which_model_it_would_be() -> None:
    stage = stage_with(
        tasks("mail | Read the mail | schedule: daily:09:00")
        + "\n## Pending Actions\n\n"
        + action("a")
    )
    stage.beat("16 08:00")
    stage.plan_only("16 08:10")
    assert (stage.agent.choices, stage.agent.batches) == (0, [])


def test_all_that_is_due_goes_in_one_batch() -> None:
    text = tasks(
        "mail | Read the mail",
        "tidy | Tidy up | run: tidy",
        rest="## Proactive Review\n\nAnything new?\n",
    )
    stage = stage_with(
        "Be kind.\n\n" + text, look=prompt(), again=prompt().replace("Look", "A title")
    )
    stage.files.memory = (
        "# Memory\n\n## Observed Patterns\n- early bird\n\n## Pending\n- call Ann\n\n## "
        "Notes\n- private\n"
    )
    says(stage, {"mail": DONE})
    report = stage.beat("16 10:00")
    (batch,) = stage.agent.batches
    assert [task.id for task in batch.tasks] == ["mail"]
    assert [one.title for one in batch.prompts] == ["A title", "Look"]
    assert (batch.review, batch.context) == ("Anything new?", "Be kind.")
    assert (batch.patterns, batch.pending) == ("- early bird", "- call Ann")
    assert batch.now == at("16 10:00") + timedelta(milliseconds=20)  # after the command
    assert "of 50 points today" in batch.score
    assert {one.id: one.outcome for one in report.items} == dict.fromkeys(
        ("mail", "tidy", "look", "again", "review"), Outcome.COMPLETED
    )


def test_a_plain_file_goes_verbatim_and_its_answer_is_kept_and_not_delivered() -> None:
    stage = stage_with("Look at the sky.\n")
    says(stage, text="It is blue.")
    stage.beat("16 10:00")
    (batch,) = stage.agent.batches
    assert (batch.plain, batch.context, batch.tasks) == ("Look at the sky.\n", "", ())
    assert stage.messenger.sent == []
    (kept,) = stage.ledger.occurrences.history(item="plain:heartbeat")
    assert (kept.outcome, kept.result) == (Outcome.COMPLETED, "It is blue.")


def test_a_plain_answer_is_delivered_where_the_person_wants_that() -> None:
    stage = stage_with("Look at the sky.\n")
    stage.settings = Settings(deliver="notify")
    says(stage, text="It is blue.")
    stage.beat("16 10:00")
    assert sent(stage, "message") == ["It is blue."]
    assert not stage.agent.batches[0].is_kept


ASKING = "Look at the sky. Alert me if it is red.\n"


@pytest.mark.parametrize(
    ("text", "deliver", "is_sent"),
    [
        (ASKING, "auto", True),
        ("Look at the sky. If nothing is new, answer HEARTBEAT_OK.\n", "auto", True),
        ("Look at the sky.\n", "auto", False),
        (ASKING, "keep", False),
        ("Look at the sky.\n", "notify", True),
    ],
)
def test_a_plain_answer_goes_where_the_model_is_told_that_it_goes(
    text: str, deliver: str, is_sent: bool
) -> None:
    stage = stage_with(text)
    stage.settings = Settings(deliver=deliver)
    says(stage, text="It is red.")
    stage.beat("16 10:00")

    (batch,) = stage.agent.batches
    assert sent(stage, "message") == (["It is red."] if is_sent else [])
    assert batch.is_kept is not is_sent
    (kept,) = stage.ledger.occurrences.history(item="plain:heartbeat")
    assert kept.result == "It is red."


def test_a_quiet_answer_to_a_plain_file_is_not_delivered() -> None:
    stage = stage_with(ASKING)
    says(stage, text="HEARTBEAT_OK: the sky is blue.")
    stage.beat("16 10:00")
    assert stage.messenger.sent == []


def test_a_file_with_only_a_review_sends_the_review_once_and_delivers_its_answer() -> None:
    stage = stage_with("# Mine\n\n## Proactive Review\n\nAnything worth saying?\n")
    says(stage, text="Ann's birthday is tomorrow.")
    report = stage.beat("16 10:00")

    (batch,) = stage.agent.batches
    assert (batch.plain, batch.review) == ("", "Anything worth saying?")
    assert batch.only_review
    assert [one.id for one in report.items] == ["review"]
    assert sent(stage, "review") == ["Ann's birthday is tomorrow."]

    stage.run("16 12:00")
    assert len(stage.agent.batches) == 1, "at most one message per day"
    stage.run("17 12:00")
    assert len(sent(stage, "review")) == 2


@pytest.mark.parametrize("answer", ["SKIP", "HEARTBEAT_OK"])
def test_a_quiet_answer_to_a_file_with_only_a_review_delivers_nothing(answer: str) -> None:
    stage = stage_with("## Proactive Review\n\nAnything worth saying?\n")
    says(stage, text=answer)
    stage.beat("16 10:00")
    assert stage.messenger.sent == []


def test_a_prompt_comes_with_what_its_gate_printed() -> None:
    stage = stage_with(look=prompt("open"))
    stage.processes.prints["open"] = "  7 new\n"
    report = stage.beat("16 10:00")
    ((one,), *_) = [batch.prompts for batch in stage.agent.batches]
    assert (one.gate_output, one.message) == ("7 new", "")
    assert item(report, "look").outcome is Outcome.COMPLETED


def test_a_gate_without_its_permission_is_said_to_the_model_and_once_to_the_person() -> None:
    stage = stage_with(look=prompt("open\n  permissions: ['@shell']"))
    stage.beat("16 10:00")
    ((one,), *_) = [batch.prompts for batch in stage.agent.batches]
    assert (one.gate_output, "@shell" in one.message) == ("", True)
    stage.beat("16 10:30")
    assert len(sent(stage, "permission")) == 1


def test_a_gate_that_keeps_its_prompt_out_asks_no_model() -> None:
    stage = stage_with(look=prompt("closed"))
    stage.processes.endings["closed"] = 1
    report = stage.beat("16 10:00")
    assert (item(report, "look").outcome, stage.agent.batches) == (Outcome.SKIPPED, [])


def test_a_critical_failure_stops_the_batch_too() -> None:
    stage = stage_with(
        tasks("mail | Mail", rest="## Pending Actions\n\n" + action("first", priority="CRITICAL"))
    )
    stage.processes.endings["first"] = 1
    waiting = item(stage.beat("16 10:00"), "mail")
    assert (waiting.outcome, waiting.reason) == (
        Outcome.WAITING,
        "the beat stopped, because first failed",
    )
    assert stage.agent.batches == []


def test_without_a_model_items_wait_and_that_is_announced_once_with_the_way_out() -> None:
    stage = stage_with(tasks("mail | Mail"))
    stage.agent.chosen = NoModel("no key was found.", "Store one: heartbeat key set anthropic")
    waiting = item(stage.beat("16 10:00"), "mail")
    assert waiting.outcome is Outcome.NEEDS_MODEL
    assert "no key was found" in waiting.reason
    stage.beat("16 10:30")
    (message,) = sent(stage, "model")
    assert "heartbeat key set anthropic" in message


def test_a_beat_for_something_else_does_not_make_it_news_again() -> None:
    stage = stage_with(
        tasks("mail | Mail", rest="## Pending Actions\n\n" + action("a", "schedule: every:10m"))
    )
    stage.agent.chosen = NoModel("no key was found", "Store one.")
    for minute in range(0, 60, 10):
        stage.beat(f"16 10:{minute:02d}")
    assert len(sent(stage, "model")) == 1
    stage.agent.chosen = CHOICE
    stage.beat("16 11:00")
    stage.agent.chosen = NoModel("no key was found", "Store one.")
    stage.beat("16 11:30")
    assert len(sent(stage, "model")) == 2  # it had gone, and came back


def test_the_timer_starts_work_for_a_model_at_most_once_a_minute() -> None:
    stage = stage_with(look=prompt(more="schedule: 'every:10s'\n"))
    for second in range(0, 60, 10):
        stage.beat(f"16 10:00:{second:02d}")
    assert len(stage.agent.batches) == 1
    assert stage.wakes_at == at("16 10:01")
    stage.beat("16 10:01:00")
    assert len(stage.agent.batches) == 2


def test_a_tick_that_comes_within_the_minute_is_made_up_for_when_it_is_over() -> None:
    stage = stage_with(tasks("mail | Mail", "now | Now | schedule: daily:10:29"))
    stage.beat("16 10:00")
    stage.beat("16 10:29:30")
    assert [[task.id for task in batch.tasks] for batch in stage.agent.batches] == [
        ["mail"],
        ["now"],
    ]
    assert item(stage.beat("16 10:30:00"), "mail").outcome is Outcome.WAITING
    assert stage.wakes_at == at("16 10:30:30")
    stage.beat("16 10:30:30")
    assert [task.id for task in stage.agent.batches[-1].tasks] == ["mail"]
    stage.beat("16 10:31:31")
    assert len(stage.agent.batches) == 3


def test_a_person_need_not_wait_for_the_minute() -> None:
    stage = stage_with(tasks("mail | Mail"))
    stage.run("16 10:00:00")
    stage.run("16 10:00:05")
    assert len(stage.agent.batches) == 2


# Locks, crashes and cancelling


def test_the_batch_holds_the_models_lock_and_not_the_workspaces() -> None:
    stage = stage_with(
        tasks("mail | Mail", rest="## Pending Actions\n\n" + action("tick", "schedule: every:1m"))
    )
    stage.beat("16 09:59")
    held: list[tuple[bool, bool]] = []

    def work(_: Batch) -> BatchResult:
        held.append((stage.lock.holder() is None, stage.model_lock.holder() is not None))
        stage.clock.pass_time(timedelta(minutes=5))
        other = stage.beat(reason=BeatReason.TIMER)  # the next one, at the same time
        assert item(other, "tick").outcome is Outcome.COMPLETED
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    stage.agent.script = work
    stage.ran.clear()
    report = stage.beat("16 10:29")
    assert held == [(True, True)]
    assert stage.wakes >= 1
    assert item(report, "mail").outcome is Outcome.COMPLETED
    assert (stage.lock.holder(), stage.model_lock.holder()) == (None, None)
    assert [one.finished is not None for one in stage.ledger.beats.recent(5)] == [True] * 3
    assert stage.ran == ["tick", "tick"]


@pytest.mark.parametrize(
    "is_open_in_editor", [False, True], ids=["shown before the batch", "not shown before it"]
)
@pytest.mark.parametrize(
    ("lines", "exit_code"), [(["schedule: every:1m"], 0), (["retry: 2", "status: PENDING"], 1)]
)
def test_what_another_beat_does_meanwhile_is_not_overwritten_by_older_results(
    lines: list[str], exit_code: int, is_open_in_editor: bool
) -> None:
    stage = stage_with(tasks("mail | Mail", rest="## Pending Actions\n\n" + action("tick", *lines)))

    def work(_: Batch) -> BatchResult:
        stage.files.is_open_in_editor = False
        stage.clock.pass_time(timedelta(minutes=2))
        stage.processes.prints["tick"] = "second\n"
        stage.processes.endings["tick"] = 0
        stage.beat(reason=BeatReason.TIMER)
        after_second.append(stage.files.text)
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    after_second: list[str] = []
    stage.agent.script = work
    stage.processes.prints["tick"] = "first\n"
    stage.processes.endings["tick"] = exit_code
    stage.files.is_open_in_editor = is_open_in_editor
    stage.beat("16 10:00")
    assert "result: second" in stage.files.text
    assert "first" not in stage.files.text
    assert stage.files.text == after_second[0]


def test_what_the_person_wants_again_during_the_batch_is_not_overwritten() -> None:
    stage = stage_with(
        tasks("mail | Mail", rest="## Pending Actions\n\n" + action("once", "status: PENDING"))
    )

    def work(_: Batch) -> BatchResult:
        stage.edit("status: COMPLETED", "status: PENDING")
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    stage.agent.script = work
    stage.beat("16 10:00")
    assert stage.status("once") == "PENDING"
    stage.beat("16 10:30")
    assert stage.ran == ["once", "once"]


def test_what_the_person_saves_during_the_batch_is_read_before_anything_is_written() -> None:
    stage = stage_with(
        "---\nversion: 1\nstatus: idle\n---\n"
        + tasks("mail | Mail", rest="## Pending Actions\n\n" + action("a"))
    )

    def work(_: Batch) -> BatchResult:
        stage.files.save(stage.files.text + "\n## Notes\n\nkeep me\n")
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    stage.agent.script = work
    stage.beat("16 10:00")
    assert "keep me" in stage.files.text
    assert "status: COMPLETED" in stage.files.text


def test_the_actions_are_in_the_file_before_the_model_is_done_and_two_writes_are_enough() -> None:
    stage = stage_with(
        "---\nversion: 1\nstatus: idle\n---\n"
        + tasks("mail | Mail", rest="## Pending Actions\n\n" + action("a"))
    )
    seen: list[str] = []

    def work(_: Batch) -> BatchResult:
        seen.append(stage.files.text)
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    stage.agent.script = work
    stage.beat("16 10:00")
    for words in ("status: COMPLETED", "status: running", "- [x] a: did a"):
        assert words in seen[0]
    assert "status: idle" in stage.files.text
    assert stage.files.text.count("- [x] a: did a") == 1
    assert stage.files.writes == 2


@pytest.mark.parametrize("beside", [True, False], ids=["another beat comes", "none comes"])
def test_on_a_new_day_runs_before_and_during_a_batch_are_listed_under_completed_today(
    beside: bool,
) -> None:
    first, later = (
        action("first", "schedule: daily:07:00"),
        action("later", "schedule: daily:08:02"),
    )
    stage = stage_with(
        tasks("mail | Mail | optional", rest=f"## Pending Actions\n\n{first}{later}")
    )
    stage.beat("15 10:00")
    stage.beat("16 08:05")

    def work(_: Batch) -> BatchResult:
        if beside:
            stage.beat("17 08:05")
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    stage.agent.script = work
    stage.beat("17 07:30")
    today = stage.files.text.partition("## Completed Today")[2]
    assert (today.count("first: did first"), today.count("later: did later")) == (1, int(beside))


def test_a_second_batch_waits_and_says_why() -> None:
    stage = stage_with(tasks("mail | Mail"))
    stage.model_lock.held_by = Holder(4711, MONDAY, Purpose.BATCH)
    waiting = item(stage.beat("16 10:00"), "mail")
    assert (waiting.outcome, waiting.reason) == (
        Outcome.WAITING,
        "another beat's batch is with the model",
    )
    assert (stage.agent.choices, stage.agent.batches) == (0, [])


def test_a_running_batch_is_not_a_crash_but_a_dead_process_is() -> None:
    stage = stage_with(tasks("mail | Mail"))
    seen: list[tuple[State, ...]] = []

    def work(_: Batch) -> BatchResult:
        stage.plan_only()
        seen.append(tuple(one.state for one in stage.ledger.occurrences.unfinished()))
        raise KeyboardInterrupt  # the process dies

    stage.agent.script = work
    with pytest.raises(KeyboardInterrupt):
        stage.beat("16 10:00")
    assert seen == [(State.STARTED,)]
    stage.plan_only("16 10:01")
    (left,) = stage.ledger.occurrences.history(item="task:mail")
    assert (left.outcome, left.error) == (Outcome.INTERRUPTED, INTERRUPTED)
    assert progress(stage) == (TaskStatus.FAILED, 1)


def test_a_batch_being_checked_judged_or_waiting_for_its_lock_is_not_a_crash() -> None:
    stage = stage_with(tasks("mail | Mail | verify: cmd:check", "tidy | Tidy"))
    says(stage, {"mail": DONE, "tidy": DONE})
    seen: list[str] = []

    def another_beat(when: str) -> None:
        seen.append(when)
        stage.clock.pass_time(timedelta(minutes=1))
        assert {one.outcome for one in stage.run().items} == {Outcome.WAITING}
        assert [one.number for one in stage.ledger.beats.recent(9) if one.finished is None] == [1]

    def judged(_: object) -> JudgeResult:
        another_beat("while it is judged")
        stage.lock.held_by = Holder(4711, MONDAY, Purpose.BEAT)
        return JudgeResult(usage=USED)

    def given_back() -> None:
        stage.lock.release()
        another_beat("while it waits for the lock")

    stage.processes.meanwhile = lambda _: another_beat("while it is checked")
    stage.agent.judge_script = judged
    stage.lock.until_free = given_back
    report = stage.beat("16 10:00")
    assert seen == [
        "while it is checked",
        "while it is judged",
        "while it waits for the lock",
    ]
    assert (item(report, "mail").verdict, item(report, "tidy").verdict) == (
        Verdict.VERIFIED,
        Verdict.UNCLEAR,
    )
    assert [one.finished is not None for one in stage.ledger.beats.recent(9)] == [True]


def test_what_was_cancelled_stays_as_it_was_and_the_ledger_says_interrupted() -> None:
    stage = stage_with(tasks("mail | Mail", "tidy | Tidy"), look=prompt())

    def work(_: Batch) -> BatchResult:
        stage.cancelled.set()
        return BatchResult(BatchEnding.CANCELLED, {"tidy": DONE}, WORK, usage=USED)

    stage.agent.script = work
    report = stage.beat("16 10:00")
    assert {one.id: one.outcome for one in report.items} == {
        "mail": Outcome.INTERRUPTED,
        "look": Outcome.INTERRUPTED,
        "tidy": Outcome.COMPLETED,  # it was reported before; it could not be checked any more
    }
    assert {progress(stage), progress(stage, "tidy")} == {(TaskStatus.PENDING, 0)}
    assert report.score.today == 0
    assert stage.messenger.sent == []  # the person who ended it knows


def pause_while_the_actions_run(stage: Stage) -> None:
    stage.processes.meanwhile = lambda _: stage.ledger.requests.pause(
        Pause(stage.clock.now(), None)
    )


@pytest.mark.parametrize("reason", [BeatReason.TIMER, BeatReason.AGENT])
def test_a_pause_that_comes_while_the_actions_run_holds_the_batch_back(reason: BeatReason) -> None:
    stage = stage_with(tasks("mail | Mail", rest="## Pending Actions\n\n" + action("first")))
    pause_while_the_actions_run(stage)
    assert item(stage.beat("16 10:00", reason=reason), "mail").reason == "paused"
    assert stage.agent.batches == []


def test_a_pause_that_comes_while_the_actions_run_does_not_hold_back_what_the_person_runs() -> None:
    stage = stage_with(tasks("mail | Mail", rest="## Pending Actions\n\n" + action("first")))
    says(stage, {"mail": DONE})
    pause_while_the_actions_run(stage)
    assert item(stage.run("16 10:00"), "mail").outcome is Outcome.COMPLETED


@pytest.mark.parametrize("items", [(), ("mail",)], ids=["run", "run mail"])
def test_during_a_pause_the_person_may_still_run_what_needs_a_model(items: tuple[str, ...]) -> None:
    stage = stage_with(tasks("mail | Mail"))
    says(stage, {"mail": DONE})
    stage.ledger.requests.pause(Pause(at("16 09:00"), None))
    assert item(stage.run("16 10:00", *items), "mail").outcome is Outcome.COMPLETED
    assert len(stage.agent.batches) == 1


# What it says


@pytest.mark.parametrize(
    "text", ["SKIP", "HEARTBEAT_OK", "", "  skip.\n", "`HEARTBEAT_OK`", "**SKIP**"]
)
def test_a_model_with_nothing_to_say_disturbs_nobody(text: str) -> None:
    stage = stage_with(tasks("mail | Mail | optional"), look=prompt())
    says(stage, text=text)
    stage.beat("16 10:00")
    assert stage.messenger.sent == []


def test_the_last_words_are_one_message() -> None:
    stage = stage_with(tasks("mail | Mail | optional"), look=prompt())
    says(stage, text="Skip the meeting, it was moved. Token sk-abcdefghijklmnop")
    report = stage.beat("16 10:00")
    assert sent(stage, "message") == ["Skip the meeting, it was moved. Token [redacted]"]
    assert [notice.kind for notice in report.notices] == ["message"]


def test_in_quiet_hours_a_message_waits_for_the_digest() -> None:
    stage = stage_with(look=prompt())
    says(stage, text="Good night.")
    stage.beat("16 23:00")
    assert stage.messenger.sent == []
    says(stage)
    stage.beat("17 07:30")
    assert sent(stage, "message") == ["Good night."]


def test_a_beat_that_the_model_wants_comes_right_after_and_asks_for_no_other() -> None:
    stage = stage_with(tasks("mail | Mail | optional"), look=prompt())
    says(stage, wants_run=("look", "unheard-of"))
    stage.beat("16 10:00")
    request = stage.ledger.requests.take_run_request()
    assert request is not None
    assert (request.items, request.by_agent) == (("prompt:look",), True)
    report = stage.beat("16 10:00:10", *request.items, reason=BeatReason.AGENT)
    assert [one.id for one in report.items] == ["look"]
    assert stage.ledger.requests.run_requested() is None


# The review


REVIEW = "## Tasks\n\n- [x] old | Old\n\n## Proactive Review\n\nAnything worth saying?\n"


def test_a_review_speaks_once_a_day_and_is_then_no_reason_to_ask() -> None:
    stage = stage_with(REVIEW)
    says(stage)
    stage.beat("16 10:00")
    assert (len(stage.agent.batches), stage.messenger.sent) == (1, [])
    says(stage, text="Ann's birthday is tomorrow.")
    stage.beat("16 10:30")
    assert sent(stage, "review") == ["Ann's birthday is tomorrow."]
    stage.beat("16 11:00")
    assert len(stage.agent.batches) == 2
    assert stage.wakes_at == at("17 00:00")
    stage.beat("17 10:00")
    assert len(stage.agent.batches) == 3
    assert stage.agent.batches[-1].delivered == ("The model says: Ann's birthday is tomorrow.",)
    assert len(sent(stage, "review")) == 2


def test_beside_other_work_a_review_answers_by_its_own_report() -> None:
    stage = stage_with(tasks("mail | Mail | optional", rest="## Proactive Review\n\nAnything?\n"))
    says(stage, text="Mail is read.", review="Take an umbrella.")
    stage.beat("16 10:00")
    assert (sent(stage, "message"), sent(stage, "review")) == (
        ["Mail is read."],
        ["Take an umbrella."],
    )
    says(stage, text="Mail is read again.", review="Take two.")
    stage.beat("16 10:30")
    assert sent(stage, "review") == ["Take an umbrella."]


EVIL = "Hello\n\x1b]0;owned\x07\x1b[2Jyou\x9b1A\u202e!"


@pytest.mark.parametrize("guarded", [True, False])
def test_what_a_model_says_gives_no_orders_to_a_terminal(
    guarded: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not guarded:
        monkeypatch.setattr("core.rules.reporting.session.plain_lines", str)
    stage = stage_with(tasks("mail | Mail | optional", rest="## Proactive Review\n\nAnything?\n"))
    says(stage, text=EVIL, review=EVIL)
    report = stage.beat("16 10:00")
    plain = stage_with("Look at the sky.\n")
    says(plain, text=EVIL)
    plain.beat("16 10:00")
    (kept,) = plain.ledger.occurrences.history(item="plain:heartbeat")
    said = [
        *sent(stage, "message"),
        *sent(stage, "review"),
        *(one.message for one in report.notices),
        kept.result,
    ]
    assert said == ["Hello\n ]0;owned  [2Jyou 1A !" if guarded else EVIL] * 5


def test_a_review_that_has_been_answered_before_the_model_was_lost_counts() -> None:
    stage = stage_with(REVIEW)
    says(stage, ending=BatchEnding.UNREACHABLE, text="", review="Take an umbrella.")
    stage.beat("16 10:00")
    assert sent(stage, "review") == ["Take an umbrella."]


# Budgets


def test_what_a_batch_used_is_in_the_report_and_the_ledger() -> None:
    stage = stage_with(tasks("mail | Mail"))
    stage.agent.judge_script = lambda _: JudgeResult(usage=Usage(1, 500, 50))
    says(stage, {"mail": DONE})
    report = stage.beat("16 10:00")
    assert report.usage is not None
    assert (report.usage.requests, report.usage.input_tokens, report.usage.output_tokens) == (
        2,
        1500,
        150,
    )
    assert report.usage.usd == pytest.approx((1500 * 1 + 150 * 5) / 1e6)
    (use,) = stage.ledger.model_use.history()
    assert (use.beat, use.items, use.usage, use.ending) == (
        report.beat,
        ("task:mail",),
        report.usage,
        BatchEnding.FINISHED,
    )
    assert stage.beat("16 10:01").usage is None


def test_the_days_money_is_warned_about_at_80_percent_and_stops_at_100_once_a_day() -> None:
    stage = stage_with(tasks("mail | Mail | optional"))
    stage.settings = Settings(budget=BudgetSettings(daily_usd=1.0))
    says(stage, usage=Usage(1, 1000, 100, usd=0.45))
    stage.beat("16 10:00")
    assert sent(stage, "budget") == []
    stage.beat("16 10:30")
    assert [limits.usd for limits in stage.agent.limits] == [1.0, 0.55]
    assert len(sent(stage, "budget")) == 1
    stage.beat("16 11:00")
    assert len(sent(stage, "budget")) == 2
    waiting = item(stage.beat("16 11:30"), "mail")
    assert (waiting.outcome, "1.00 USD" in waiting.reason) == (Outcome.WAITING, True)
    stage.run("16 12:00")  # also where the person asks
    assert (len(stage.agent.batches), len(sent(stage, "budget"))) == (3, 2)
    stage.beat("17 08:00")
    assert len(stage.agent.batches) == 4


def test_without_a_known_price_the_limits_of_tokens_alone_hold() -> None:
    stage = stage_with(tasks("mail | Mail | optional"))
    stage.agent.chosen = replace(CHOICE, provider="openai-compatible", model="unheard-of")
    stage.settings = Settings(budget=BudgetSettings(daily_usd=0.0, tokens_per_beat=123))
    report = stage.beat("16 10:00")
    assert [(limits.usd, limits.tokens) for limits in stage.agent.limits] == [(None, 123)]
    assert report.usage is not None
    assert report.usage.usd is None


def test_after_three_failures_in_a_row_the_provider_rests_and_that_is_announced_once() -> None:
    stage = stage_with(tasks("mail | Mail"))
    says(stage, ending=BatchEnding.UNREACHABLE, problem=Problem("529 overloaded", ""))
    for clock in ("10:00", "10:30", "11:00"):
        waiting = item(stage.beat(f"16 {clock}"), "mail")
        assert (waiting.outcome, "529 overloaded" in waiting.error) == (Outcome.WAITING, True)
    (message,) = sent(stage, "model")
    assert message == (
        "3 failures in a row, the last: 529 overloaded. Heartbeat asks it again after longer and "
        "longer pauses, up to 6 hours."
    )
    assert stage.wakes_at == at("16 11:30")  # the tick; the rest of 10 minutes is over by then
    asked = [len(stage.agent.batches)]
    for hour in range(12, 22):
        for minute in ("00", "30"):
            stage.beat(f"16 {hour}:{minute}")
        asked.append(len(stage.agent.batches))
    assert 8 <= asked[-1] <= 11  # 10, 20, 40, 80, 160, 320 minutes
    assert progress(stage) == (TaskStatus.PENDING, 0)
    stage.run("16 22:00")  # what a person asks for is not held back
    assert len(stage.agent.batches) == asked[-1] + 1
    assert len(sent(stage, "model")) == 1
    says(stage, {"mail": Claim(Said.FAILED, "no network")})
    stage.run("17 10:00")
    assert "The language model answers again" in [
        notice.title for _, notice in stage.messenger.sent
    ]


def test_a_provider_is_not_asked_before_it_wants_to_be() -> None:
    stage = stage_with(tasks("mail | Mail"))
    says(stage, ending=BatchEnding.UNREACHABLE, retry_after=timedelta(hours=2))
    stage.beat("16 10:00")
    stage.beat("16 10:30")
    stage.beat("16 11:30")
    assert len(stage.agent.batches) == 1
    stage.beat("16 12:00:01")
    assert len(stage.agent.batches) == 2


def test_work_for_an_unreachable_model_is_due_again_at_the_next_tick() -> None:
    stage = stage_with(tasks("mail | Mail | schedule: daily:10:00", "other | Other | run: other"))
    stage.beat("16 09:50")
    says(stage, ending=BatchEnding.UNREACHABLE)
    stage.beat("16 10:00")
    assert stage.wakes_at == at("16 10:20")
    says(stage, {"mail": Claim(Said.DONE)})
    stage.beat("16 10:20")
    assert [len(batch.tasks) for batch in stage.agent.batches] == [1, 1]
    stage.beat("16 10:50")
    assert len(stage.agent.batches) == 2


# What it should remember


def test_a_task_is_told_what_went_wrong_last_time() -> None:
    stage = stage_with(tasks("mail | Mail | verify: file:mail.txt"))
    says(stage, {"mail": DONE})
    stage.beat("16 10:00")
    stage.beat("16 10:30")
    first, second = (batch.tasks[0] for batch in stage.agent.batches)
    assert (first.last_failure, first.hint) == (None, "file:mail.txt")
    assert second.last_failure
    assert "the check asks for mail.txt; it found no such file" in second.last_failure
    assert "it does not exist" in second.last_failure


def test_the_session_is_bounded_however_many_beats_there_were() -> None:
    lines = [f"task{number} | Task number {number} | optional" for number in range(40)]
    stage = stage_with(tasks(*lines))
    claims = {f"task{number}": Claim(Said.SKIPPED, "nothing to do " * 30) for number in range(40)}
    says(stage, claims)
    sizes = []
    for beat in range(30):
        stage.clock.moment = at("16 10:00") + beat * timedelta(minutes=30)
        stage.beat()
        sizes.append(len(stage.agent.batches[-1].session))
    assert sizes[0] == 0
    assert 600 < max(sizes) <= 300 * 4
    assert sizes[-1] <= sizes[1] * 1.05
    newest = stage.agent.batches[-1].session.splitlines()[0]
    assert "skipped, nothing to do" in newest


def test_an_agents_edit_of_a_line_starts_no_task_again() -> None:
    stage = stage_with(tasks("mail | Mail | verify: file:mail.txt", "tidy | Tidy"))
    says(stage, {"mail": DONE, "tidy": Claim(Said.FAILED, "no")})
    stage.beat("16 10:00")

    def work(_: Batch) -> BatchResult:
        stage.edit("mail | Mail", "mail | Easy mail")
        stage.edit("tidy | Tidy", "tidy | Tidy a little")
        return BatchResult(
            BatchEnding.FINISHED, {"mail": DONE, "tidy": Claim(Said.FAILED, "no")}, WORK, usage=USED
        )

    stage.agent.script = work
    stage.beat("16 10:30")
    says(stage, {"mail": DONE, "tidy": Claim(Said.FAILED, "no")})
    stage.beat("16 11:00")
    assert (progress(stage), progress(stage, "tidy")) == (
        (TaskStatus.FAILED, 3),
        (TaskStatus.FAILED, 3),
    )
    stage.edit("mail | Easy mail", "mail | Mail of today")  # the person does start it again
    stage.beat("16 11:30")
    assert progress(stage) == (TaskStatus.FAILED, 1)


# The judge


LABEL = "mail | Mail | verify: mail_sent"


def judge(stage: Stage, **judgements: Judgement) -> None:
    stage.agent.judge_script = lambda _: JudgeResult(judgements, USED)


def test_one_call_judges_all_that_nothing_measures() -> None:
    stage = stage_with(tasks(LABEL, "tidy | Tidy", "file | File | verify: file:a", "lazy | Lazy"))
    says(stage, {"mail": DONE, "tidy": DONE, "file": DONE, "lazy": Claim(Said.FAILED, "no")})
    judge(
        stage,
        mail=Judgement(Verdict.VERIFIED, quote="3 mails from Ann", reason="they were read"),
        tidy=Judgement(
            Verdict.NOT_VERIFIED, quote="write_file(path=mail.txt)", reason="that was the mail"
        ),
    )
    report = stage.beat("16 10:00")
    assert (stage.agent.judge_calls, [one.task_id for one in stage.agent.questions]) == (
        1,
        ["mail", "tidy"],
    )
    question: Question = stage.agent.questions[0]
    assert (question.hint, "Wrote mail.txt." in question.evidence) == ("mail_sent", True)
    assert {one.id: (one.verdict, one.points) for one in report.items} == {
        "mail": (Verdict.VERIFIED, 10),
        "tidy": (Verdict.NOT_VERIFIED, -15),
        "file": (Verdict.NOT_VERIFIED, -15),
        "lazy": (None, 0),
    }


@pytest.mark.parametrize(
    "quote",
    ["3 new mails", "sent to Ann", "", "W", "mails", "mail_sent", "report_task", "mail.txt."],
)
def test_a_quote_of_the_claim_itself_or_of_nothing_proves_nothing(quote: str) -> None:
    stage = stage_with(tasks(LABEL))
    report = Act(
        "report_task(task_id=mail, outcome=done, result=3 new mails)",
        "Noted.",
        could_do_it=False,
        happened=False,
    )
    says(stage, {"mail": DONE}, acts=(*WORK, report))
    judge(stage, mail=Judgement(Verdict.VERIFIED, quote=quote, reason="it says so"))
    one = item(stage.beat("16 10:00"), "mail")
    assert (one.verdict, one.points) == (Verdict.UNCLEAR, -2)
    assert progress(stage) == (TaskStatus.PENDING, 0)


def test_a_judge_who_cannot_be_asked_leaves_it_unclear() -> None:
    stage = stage_with(tasks(LABEL))
    says(stage, {"mail": DONE}, usage=Usage(1, 60_000, 0, usd=0.1))
    report = item(stage.beat("16 10:00"), "mail")
    assert (stage.agent.judge_calls, report.verdict) == (0, Verdict.UNCLEAR)
    refused = Problem("401 unauthorized.", "Store another key.")
    stage.agent.judge_script = lambda _: JudgeResult(problem=refused)
    says(stage, {"mail": DONE})
    stage.beat("16 10:30")
    kept = stage.ledger.evidence.of("task:mail", 2)
    assert kept is not None
    assert (kept.verdict, kept.reason) == (
        Verdict.UNCLEAR,
        "401 unauthorized. Store another key.",
    )


def test_a_changed_check_script_makes_the_task_unclear_without_asking_the_judge() -> None:
    stage = stage_with(tasks("mail | Mail | verify: cmd:./check.sh"))
    stage.scripts.files["check.sh"] = "test -s mail.txt"
    stage.world()  # the person approves it as it is
    stage.says_yes = False

    def work(_: Batch) -> BatchResult:
        stage.scripts.files["check.sh"] = "true"
        return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

    stage.agent.script = work
    judge(
        stage, mail=Judgement(Verdict.VERIFIED, quote="3 mails from Ann", reason="they were read")
    )
    one = item(stage.beat("16 10:00"), "mail")
    assert (stage.agent.judge_calls, one.verdict, one.points) == (0, Verdict.UNCLEAR, -2)


def test_the_kinds_of_a_batch_are_all_finished_in_the_ledger() -> None:
    stage = stage_with("Look at the sky.\n\n## Proactive Review\n\nAnything?\n", look=prompt())
    says(stage, text="Blue.", review="SKIP")
    stage.beat("16 10:00")
    assert {one.kind for one in stage.ledger.occurrences.history()} == {
        ItemKind.PLAIN,
        ItemKind.REVIEW,
        ItemKind.PROMPT,
    }
    assert stage.ledger.occurrences.unfinished() == ()
    assert json.dumps(
        [one.result for one in stage.ledger.occurrences.history()]
    )  # nothing but text


# Without the guards


def test_without_the_check_of_quotes_a_judge_could_believe_the_claim(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.engine.verify.trusted", lambda judgement, *_: judgement)
    stage = stage_with(tasks(LABEL))
    says(stage, {"mail": DONE})
    judge(stage, mail=Judgement(Verdict.VERIFIED, quote="3 new mails", reason="it says so"))
    assert item(stage.beat("16 10:00"), "mail").points == 10


def test_without_a_look_at_the_models_lock_a_batch_at_work_would_be_taken_for_a_crash(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.engine.recover.batch_at_work", lambda _: None)
    stage = stage_with(tasks("mail | Mail"))
    seen: list[int] = []

    def work(_: Batch) -> BatchResult:
        stage.plan_only()
        seen.append(len(stage.ledger.occurrences.unfinished()))
        raise KeyboardInterrupt

    stage.agent.script = work
    with pytest.raises(KeyboardInterrupt):
        stage.beat("16 10:00")
    assert seen == [0]


def test_without_the_kept_lines_an_agent_could_give_itself_new_attempts(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("core.engine.batch.work.with_lines_kept", lambda progress, *_: progress)
    stage = stage_with(tasks("mail | Mail 0 | verify: file:mail.txt"))
    for number, clock in enumerate(("10:00", "10:30", "11:00", "11:30", "12:00")):

        def work(_: Batch, number: int = number) -> BatchResult:
            stage.edit(f"Mail {number}", f"Mail {number + 1}")
            return BatchResult(BatchEnding.FINISHED, {"mail": DONE}, WORK, usage=USED)

        stage.agent.script = work
        stage.beat(f"16 {clock}")
    assert len(stage.agent.batches) == 5  # it never runs out
    assert progress(stage)[1] == 1


def test_a_model_may_ask_for_a_whole_beat_right_after_this_one() -> None:
    stage = stage_with(tasks("mail | Mail"))
    says(stage, {"mail": DONE}, wants_run=("*",))
    stage.beat("16 10:00")
    request = stage.ledger.requests.run_requested()
    assert request
    assert (request.items, request.by_agent) == ((), True)

    # It is a tick of its own, and cannot ask for the next one.
    stage.ledger.requests.take_run_request()
    stage.beat("16 10:05", reason=BeatReason.AGENT)
    assert len(stage.agent.batches) == 2
    assert stage.ledger.requests.run_requested() is None


def test_a_tool_server_that_does_not_start_is_announced_until_it_starts() -> None:
    stage = stage_with(tasks("mail | Read the mail"))
    stage.settings = replace(stage.settings, mcp_servers={"clock": McpServer("clock-server")})
    titles = []
    for hour, why in (("10", "no such file"), ("11", "no such file"), ("12", "")):
        says(stage, {"mail": DONE}, servers={"clock": why})
        report = stage.beat(f"16 {hour}:00")
        titles.append([one.title for one in report.notices if "tool server" in one.title])

    assert titles[0] == ["The tool server clock did not start"]
    assert titles[1] == []
    assert len(titles[2]) == 1
