"""Notifications: what is announced, once, again when it changes, and once when it is over; limits,
quiet hours, snooze."""

from dataclasses import replace

from core.engine.background import run_in_background
from core.engine.plan import retry
from core.model.agent import BatchEnding, BatchResult
from core.model.announcements import Announcements, Message
from core.model.evidence import Act, Claim, Said
from core.model.report import Notice, NoticeKind
from core.model.settings import NotifySettings
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.announcer import held_again
from tests.approving import approve_all_in
from tests.fakes.files import seen
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage, action, actions, at

WORK = Act("run_command(fetch)", "250 queued")


def key(name: str) -> TroubleKey:
    return TroubleKey(TroubleKind.FAILURE, name)


def announced(stage: Stage, moment: str) -> list[tuple[str, str]]:
    return [(notice.kind, notice.title) for notice in stage.run(moment).notices]


def by_itself(stage: Stage, moment: str) -> list[tuple[str, str]]:
    return [(notice.kind, notice.title) for notice in stage.beat(moment).notices]


def test_what_was_asked_for_by_hand_is_answered_whatever_the_hour() -> None:
    names = [f"n{number}" for number in range(9)]
    text = actions(*(action(name, "schedule: every:1s") for name in names))
    stage = Stage(text)
    stage.processes.endings |= dict.fromkeys(names, 1)
    answers = [title for _, title in announced(stage, "16 23:00")]
    assert answers == [f"{name} failed" for name in names]

    stage = Stage(text)
    stage.processes.endings |= dict.fromkeys(names, 1)
    assert len(by_itself(stage, "16 12:00")) == 6  # the limit holds what nobody asked for


def lying(text: str = "All done!") -> Stage:
    stage = Stage(
        "## Tasks\n- [ ] mail | Read the mail | verify: mails > 5\n\n## Probes\n\n- mails: count\n"
    )
    stage.agent.chosen = CHOICE
    stage.processes.prints["count"] = "3"
    claims = {"mail": Claim(Said.DONE, "30 read", {"mails": 30})}
    stage.agent.script = lambda _: BatchResult(BatchEnding.FINISHED, claims, text=text, usage=USED)
    return stage


def test_a_contradiction_its_points_and_the_models_words_are_one_notification() -> None:
    stage = lying()
    report = stage.beat("16 10:00")
    (notice,) = report.notices
    assert [sent for _, sent in stage.messenger.sent] == [notice]
    assert (notice.kind, notice.title) == ("contradiction", "mail: contradiction, 45 points lost")
    why, *said, fell = notice.message.split("\n")
    assert why == "It said mails is 30, but 3 was measured."
    assert said == ["It said: “30 read”", "The model said: “All done!”"]
    assert fell.startswith("Today's score fell from 0 to -45")


def test_a_contradiction_says_what_was_false_also_where_the_check_passes() -> None:
    stage = lying()
    stage.edit("verify: mails > 5", "verify: mails > 0")
    report = stage.beat("16 10:00")
    (item,) = report.items
    assert (item.contradiction, item.check) == (True, "it said mails is 30, but 3 was measured")
    (notice,) = report.notices
    assert notice.message.splitlines()[0] == "It said mails is 30, but 3 was measured."


def test_a_failing_check_is_told_in_fair_words() -> None:
    stage = lying("SKIP")
    stage.agent.script = lambda _: BatchResult(
        BatchEnding.FINISHED, {"mail": Claim(Said.DONE, "3 read")}, (WORK,), usage=USED
    )
    (notice,) = stage.beat("16 10:00").notices
    assert notice.title == "mail was not verified"
    assert notice.message == "The check asks for > 5; it found 3.\nIt said: “3 read”"


def test_the_words_of_a_model_that_a_known_verdict_denies_are_not_news() -> None:
    stage = lying()
    stage.beat("16 10:00")
    assert stage.beat("16 10:30").notices == ()


def test_the_words_of_a_model_about_something_unclear_say_so_in_the_title() -> None:
    stage = lying()
    stage.edit("verify: mails > 5", "verify: mail_sent")
    (notice,) = stage.beat("16 10:00").notices
    assert notice.title == "mail: unclear"
    assert notice.message == "The judge said nothing about it.\nThe model said: “All done!”"


def silent(text: str) -> Stage:
    stage = lying()
    stage.agent.script = lambda _: BatchResult(BatchEnding.FINISHED, text=text, usage=USED)
    return stage


def test_a_task_without_a_report_is_told_as_not_verified_with_the_models_last_words() -> None:
    stage = silent("All done!")
    (notice,) = stage.beat("16 10:00").notices
    assert (notice.kind, notice.title) == ("failure", "mail was not verified")
    assert notice.message == "It did not report this task.\nThe model said: “All done!”"
    (need,) = stage.ledger.announcements.current().announced.values()
    assert need.title == "mail was not verified"


def test_a_verdict_that_uses_up_the_attempts_is_one_notification() -> None:
    stage = silent("")
    stage.edit("| verify", "| max_attempts: 1 | verify")
    (notice,) = stage.beat("16 10:00").notices
    assert notice.title == "mail was not verified"
    assert [line[:27] for line in notice.message.splitlines()] == [
        "It did not report this task",
        "It failed once and is not t",
    ]


def test_a_skip_whose_check_fails_is_over_when_it_is_skipped_in_peace() -> None:
    stage = lying()
    skips = {"mail": Claim(Said.SKIPPED, "nothing new")}
    result = BatchResult(BatchEnding.FINISHED, skips, text="No mail.", usage=USED)
    stage.agent.script = lambda _: result
    (notice,) = stage.beat("16 10:00").notices
    assert (notice.title, notice.message) == (
        "mail: skipped, but its check fails",
        "The check asks for > 5; it found 3.\nIt said: “nothing new”\nThe model said: “No mail.”",
    )
    assert stage.beat("16 10:10").notices == ()  # what it says is not news beside its check
    stage.processes.prints["count"] = "9"
    _, over = stage.beat("16 10:30").notices
    assert (over.kind, over.title) == ("over", "mail is as it should be")
    assert not stage.ledger.announcements.current().announced


def test_what_needs_the_person_goes_away_with_the_item_when_the_file_is_saved() -> None:
    stage = Stage(actions(action("backup", "schedule: every:1s")))
    stage.processes.endings["backup"] = 1
    stage.beat("16 09:00")
    assert key("action:backup") in stage.ledger.announcements.current().announced
    stage.files.save(actions(action("other", "schedule: daily:10:00")))
    stage.plan_only("16 09:01")
    assert key("action:backup") not in stage.ledger.announcements.current().announced
    assert [notice.title for _, notice in stage.messenger.sent] == ["backup failed"]


def test_an_item_that_was_not_understood_needs_nobody_once_it_is_written_well() -> None:
    stage = Stage(actions(action("backup", "schedule: sometimes")))
    stage.beat("16 09:00")
    stage.edit("schedule: sometimes", "schedule: daily:10:00")
    stage.plan_only("16 09:01")
    titles = [notice.title for _, notice in stage.messenger.sent]
    assert titles == ["backup is not understood", "backup is understood now"]


def test_another_verdict_about_an_item_takes_the_place_of_the_first() -> None:
    stage = lying("SKIP")
    stage.agent.script = lambda _: BatchResult(
        BatchEnding.FINISHED, {"mail": Claim(Said.DONE, "read")}, (WORK,), usage=USED
    )
    stage.beat("16 10:00")
    assert list(stage.ledger.announcements.current().announced) == [key("task:mail")]
    stage.agent.script = lying("SKIP").agent.script
    stage.beat("16 10:30")
    kinds = [one.kind for one in stage.ledger.announcements.current().announced if one.about]
    assert kinds == [TroubleKind.CONTRADICTION]


def test_a_failure_is_announced_once_and_when_it_is_over() -> None:
    stage = Stage(actions(action("backup", "schedule: every:1s")))
    stage.processes.endings["backup"] = 1
    assert announced(stage, "16 09:00") == [("failure", "backup failed")]
    assert announced(stage, "16 09:10") == []
    stage.processes.endings["backup"] = 2
    assert announced(stage, "16 09:20") == [("failure", "backup failed")]
    stage.processes.endings["backup"] = 0
    assert announced(stage, "16 09:30") == [("over", "backup works again")]
    assert announced(stage, "16 09:40") == []
    assert [channel for channel, _ in stage.messenger.sent] == ["desktop"] * 3


def test_in_quiet_hours_a_critical_failure_is_announced_and_another_waits_for_the_morning() -> None:
    text = actions(
        action("big", "schedule: every:1s", priority="CRITICAL"),
        action("small", "schedule: every:1s"),
    )
    stage = Stage(text)
    stage.processes.endings |= {"small": 1}
    assert by_itself(stage, "16 23:00") == []
    stage.processes.endings |= {"big": 1}
    assert by_itself(stage, "16 23:10") == [("failure", "big failed")]
    assert by_itself(stage, "17 07:00") == [("failure", "small failed")]


def test_an_exhausted_task_is_announced_once() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | run: a | max_attempts: 1\n")
    stage.processes.endings["a"] = 1
    (notice,) = stage.run("16 09:00").notices  # one event: it failed, and that was its last attempt
    assert (notice.kind, notice.title) == ("failure", "a failed")
    assert notice.message.splitlines()[1].startswith("It failed once and is not tried again.")
    assert announced(stage, "16 09:10") == []
    exhausted = TroubleKey(TroubleKind.EXHAUSTED, "task:a")
    assert exhausted in stage.ledger.announcements.current().announced
    retry(stage.ledger, "a", stage.clock.now())
    assert exhausted not in stage.ledger.announcements.current().announced  # before any beat
    # The failure is the same; that the new attempts are used up too is news.
    assert announced(stage, "16 09:20") == [("exhausted", "a has used up its attempts")]
    stage.edit("| A |", "| Again |")
    stage.processes.endings["a"] = 0
    assert announced(stage, "16 09:30") == [("over", "a works again")]


def test_a_drop_of_the_score_is_announced_once_per_drop() -> None:
    lines = "".join(
        f"- [ ] {name} | A | run: {name} | verify: cmd:look-{name} | max_attempts: 100\n"
        for name in "ab"
    )
    stage = Stage(f"## Tasks\n{lines}")
    stage.run("16 09:00")  # 20 points
    stage.processes.endings |= {"look-a": 1, "look-b": 1}
    notices = stage.run("16 09:30").notices
    assert [one.title for one in notices] == ["a was not verified", "b was not verified"]
    assert "Today's score fell from 20 to -10" in notices[0].message
    assert announced(stage, "16 10:00") == []  # falls on, but it is the same drop
    stage.settings = replace(stage.settings, notify=NotifySettings(score_drop=0))
    stage.run("17 09:00")
    assert not [notice for _, notice in stage.messenger.sent[3:] if notice.kind == "score_drop"]


def test_a_file_that_is_refused_or_gone_is_announced_once() -> None:
    stage = Stage(actions(action("backup")))
    stage.run("16 09:00")
    stage.files.save("# Heartbeat\0\n")
    assert announced(stage, "16 09:10") == [("refused", "HEARTBEAT.md is not read")]
    assert announced(stage, "16 09:20") == []
    stage.files.save(actions(action("other")))
    assert announced(stage, "16 09:30") == [("over", "HEARTBEAT.md is read again")]
    stage.files.data = None
    assert announced(stage, "16 09:40") == [("refused", "HEARTBEAT.md is not read")]


def test_a_file_that_is_refused_is_announced_when_it_is_saved_not_at_the_next_beat() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:10:00")))
    stage.plan_only("16 09:00")
    stage.files.save("# Heartbeat\0\n")
    stage.plan_only("16 09:10")
    stage.plan_only("16 09:11")
    assert [notice.kind for _, notice in stage.messenger.sent] == ["refused"]


def test_that_a_model_is_missing_is_announced_once() -> None:
    stage = Stage("## Tasks\n- [ ] a | Read the mail\n")
    assert announced(stage, "16 09:00") == [("model", "No language model")]
    assert announced(stage, "16 10:00") == []


def test_what_waits_for_an_approval_is_announced_once_however_many_beats_come() -> None:
    stage = Stage(
        "## Tasks\n- [ ] r | R | run: r\n\n" + actions(action("often", "schedule: every:2s"))
    )
    approve_all_in(stage.world(), stage.workspace())
    stage.says_yes = False
    stage.edit("run: r", "run: another")
    titles = [announced(stage, "16 09:00")]
    titles += [
        [(one.kind, one.title) for one in stage.beat(f"16 09:{at}").notices]
        for at in ("10", "20", "30", "40")
    ]
    assert titles == [[("approval", "1 waiting for your approval")], [], [], [], []]
    stage.says_yes = True
    assert announced(stage, "16 10:00") == [("over", "Nothing waits for your approval any more")]


def held_approvals() -> Stage:
    """A stage where no channel took the message that two actions wait for an approval, and that
    has been given since."""
    stage = Stage(actions(action("bad"), action("tidy", "schedule: daily:10:00")))
    stage.processes.endings["bad"] = 1
    stage.says_yes = False
    stage.messenger.problem = "no desktop"
    stage.beat("16 09:00")
    stage.messenger.problem = ""
    stage.says_yes = True
    stage.messenger.sent.clear()
    assert TroubleKey(TroubleKind.APPROVAL) in stage.ledger.announcements.current().held
    return stage


def test_what_waited_for_an_approval_is_not_announced_after_it_was_given() -> None:
    stage = held_approvals()
    assert announced(stage, "16 10:00") == [("failure", "bad failed")]

    stage = held_approvals()
    stage.plan_only("16 09:01")  # what `heartbeat approve` does
    assert stage.messenger.sent == []

    stage = held_approvals()
    assert [one.title for one in stage.run("16 09:10", "tidy").notices] == []


def test_what_waits_for_an_approval_is_announced_when_it_is_saved() -> None:
    stage = Stage(actions(action("nightly", "schedule: daily:23:00")))
    stage.says_yes = False
    stage.plan_only("16 09:00")
    stage.plan_only("16 09:01")
    assert [notice.title for _, notice in stage.messenger.sent] == ["1 waiting for your approval"]


def test_that_a_model_is_missing_is_over_when_one_is_found_not_when_nothing_is_due_for_one() -> (
    None
):
    stage = Stage(
        "## Tasks\n- [ ] a | Read the mail\n\n" + actions(action("often", "schedule: every:2s"))
    )
    assert announced(stage, "16 09:00") == [("model", "No language model")]
    stage.beat("16 09:10")
    assert TroubleKey(TroubleKind.MODEL) in stage.ledger.announcements.current().announced
    assert announced(stage, "16 10:00") == []
    stage.agent.chosen = CHOICE
    stage.beat("16 10:30")
    assert TroubleKey(TroubleKind.MODEL) not in stage.ledger.announcements.current().announced


def test_what_no_channel_took_is_announced_with_the_next_digest() -> None:
    stage = Stage(
        actions(action("backup", "schedule: every:1s"), action("copy", "schedule: every:1s"))
    )
    stage.processes.endings |= {"backup": 1, "copy": 1}
    stage.messenger.problem = "no desktop"
    stage.beat("16 09:00")
    stage.beat("16 09:01")
    stage.messenger.problem = ""
    stage.messenger.sent.clear()
    (notice,) = stage.beat("16 09:02").notices
    assert sorted(notice.message.splitlines()) == [
        "backup failed: exit code 1: did backup",
        "copy failed: exit code 1: did copy",
    ]
    assert stage.messenger.sent == [("desktop", notice)]
    assert stage.beat("16 09:03").notices == ()


def test_what_no_channel_took_is_not_held_for_ever_and_not_at_all_where_the_person_reads_it() -> (
    None
):
    stage = Stage(actions(action("backup", "schedule: every:1s")))
    stage.processes.endings["backup"] = 1
    stage.messenger.problem = "no desktop"
    assert announced(stage, "16 09:00") == [("failure", "backup failed")]
    assert announced(stage, "16 09:10") == []
    notices = [
        Message(
            Notice(NoticeKind.FAILURE, str(n), ""),
            tells={key(str(n)): Notice(NoticeKind.FAILURE, str(n), "")},
        )
        for n in range(1000)
    ]
    assert list(held_again(Announcements(), notices).held) == [
        key(str(n)) for n in range(950, 1000)
    ]


def test_nothing_due_and_nothing_wrong_says_and_writes_nothing() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:10:00")))
    stage.beat("16 09:00")
    assert stage.messenger.sent == []
    assert stage.ledger.announcements.current() == Announcements()


def test_a_check_that_fails_in_the_same_way_after_the_file_was_written_again_is_not_news() -> None:
    stage = Stage('## Tasks\n- [ ] a | b | run: true | verify: file:report.md contains "OK"\n')
    stage.file_inspector.files["report.md"] = seen("not yet", at("16 08:00"))
    assert [kind for kind, _ in announced(stage, "16 09:00")] == [NoticeKind.FAILURE]
    stage.file_inspector.files["report.md"] = seen("not yet", at("16 09:10"))
    assert [kind for kind, _ in announced(stage, "16 09:30")] == [NoticeKind.SCORE_DROP]


def told_while(stage: Stage, command: str) -> list[str]:
    """The titles that were sent before this command ended."""
    told: list[str] = []

    def look(line: str) -> None:
        if line == command:
            told.extend(notice.title for _, notice in stage.messenger.sent)

    stage.processes.meanwhile = look
    return told


def test_a_failure_is_told_when_it_happens_and_not_again_when_the_beat_ends() -> None:
    stage = Stage(actions(action("backup"), action("long")))
    stage.processes.endings["backup"] = 1
    told = told_while(stage, "long")
    assert announced(stage, "16 09:00") == [("failure", "backup failed")]
    assert told == ["backup failed"]
    assert [notice.title for _, notice in stage.messenger.sent] == ["backup failed"]


def test_a_run_task_that_failed_is_told_before_the_next_one_ends() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | run: a\n- [ ] b | B | run: b\n")
    stage.processes.endings["a"] = 1
    told = told_while(stage, "b")
    assert announced(stage, "16 09:00") == [("failure", "a failed")]
    assert told == ["a failed"]


def test_many_failures_are_still_five_messages_and_one_digest() -> None:
    stage = Stage(actions(*(action(f"a{number}") for number in range(10))))
    stage.processes.endings |= {f"a{number}": 1 for number in range(10)}
    titles = [title for _, title in by_itself(stage, "16 09:00")]
    assert titles == [*(f"a{number} failed" for number in range(5)), "5 things to know"]
    assert len(stage.messenger.sent) == 6


def test_in_quiet_hours_a_failure_in_a_long_beat_waits_for_the_morning_too() -> None:
    stage = Stage(actions(action("backup"), action("long")))
    stage.processes.endings["backup"] = 1
    assert by_itself(stage, "16 23:00") == []
    assert stage.messenger.sent == []


def test_what_failed_in_the_background_is_told_and_once_that_it_is_over() -> None:
    stage = Stage(actions(action("sync", "schedule: every:1s", priority="BG")))
    stage.processes.endings["sync"] = 1
    for moment, code in (("16 09:00", 1), ("16 09:10", 0)):
        stage.processes.endings["sync"] = code
        stage.run(moment)
        (started,) = stage.background.started
        run_in_background(stage.world(), started.item, started.slot)
        stage.background.started.clear()
        stage.background.running.clear()
    titles = [notice.title for _, notice in stage.messenger.sent]
    assert titles == ["sync failed", "sync works again"]
