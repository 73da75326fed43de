"""SPEC 10: what is told, once, again when it changes, and once when it is over; limits, quiet hours, snooze."""

from dataclasses import replace
from datetime import timedelta

from core.engine.planning import retry
from core.model.announcements import MODEL, Announcements, Message, Trouble
from core.model.report import Notice
from core.model.settings import NotifySettings
from core.rules.announcing.announcer import announce, held_again, snooze
from tests.fake_agent import CHOICE
from tests.fake_approvals import approve_all_in
from tests.stage import MONDAY, Stage, action, actions

MINUTE, HOUR = timedelta(minutes=1), timedelta(hours=1)


def trouble(key: str, words: str = "bad", urgent: bool = False) -> Trouble:
    return Trouble(key, Notice("failure", key, words), urgent)


class Announcer:
    """One memory, asked again and again."""

    def __init__(self) -> None:
        self.memory = Announcements()
        self.now = MONDAY

    def say(self, *troubles: Trouble, over: tuple[str, ...] = (), quiet: bool = False, per_hour: int = 6) -> list[str]:
        self.memory, messages = announce(self.memory, troubles, over, self.now, is_quiet=quiet, per_hour=per_hour)
        self.now += MINUTE
        return [message.notice.title for message in messages]


def test_a_trouble_is_told_once_again_when_it_changes_and_once_when_it_is_over() -> None:
    announcer = Announcer()
    assert announcer.say(trouble("a")) == ["a"]
    assert announcer.say(trouble("a")) == []
    assert announcer.say() == []
    assert announcer.say(trouble("a")) == []
    assert announcer.say(trouble("a", "worse")) == ["a"]
    assert announcer.say(over=("a",)) == ["Over: a"]
    assert announcer.say(over=("a",)) == []
    assert announcer.say(trouble("a", "worse")) == ["a"]


def test_what_is_too_much_for_an_hour_comes_as_one_digest() -> None:
    announcer = Announcer()
    titles = announcer.say(*[trouble(f"t{number}") for number in range(10)])
    assert titles == ["t0", "t1", "t2", "t3", "t4", "5 things to know"]
    assert announcer.say(trouble("late")) == []
    assert announcer.say(trouble("later")) == []
    announcer.now += HOUR
    assert announcer.say() == ["2 things to know"]
    assert announcer.say() == []


def test_six_fit_into_an_hour() -> None:
    announcer = Announcer()
    assert [announcer.say(trouble(f"t{number}")) for number in range(7)] == [[f"t{n}"] for n in range(6)] + [[]]
    announcer.now += HOUR - 5 * MINUTE
    assert announcer.say() == ["t6"]  # a digest of one is that one


def test_in_quiet_hours_only_what_is_urgent_is_told_and_the_rest_after_them() -> None:
    announcer = Announcer()
    assert announcer.say(trouble("a"), trouble("b", urgent=True), quiet=True) == ["b"]
    assert announcer.say(trouble("c"), quiet=True) == []
    assert announcer.say(trouble("a"), quiet=False) == ["2 things to know"]


def test_what_was_held_and_is_over_is_never_told() -> None:
    announcer = Announcer()
    announcer.say(trouble("a"), quiet=True)
    assert announcer.say(over=("a",), quiet=True) == []
    assert announcer.say() == []


def test_a_snoozed_trouble_is_told_again_when_the_time_is_over() -> None:
    announcer = Announcer()
    announcer.say(trouble("a"))
    announcer.memory = snooze(announcer.memory, "a", announcer.now + HOUR)
    assert announcer.say(trouble("a", "worse")) == []
    assert announcer.say(trouble("b")) == ["b"]
    announcer.now += HOUR
    assert announcer.say(trouble("a", "worse")) == ["a"]


def test_urgent_messages_say_so() -> None:
    _, messages = announce(Announcements(), [trouble("a", urgent=True)], (), MONDAY, is_quiet=False, per_hour=6)
    notice = Notice("failure", "a", "bad")
    assert messages == [Message(notice, "critical", "a", {"a": notice})]


# -- in a beat --------------------------------------------------------------------------------------------------


def told(stage: Stage, moment: str) -> list[tuple[str, str]]:
    return [(notice.kind, notice.title) for notice in stage.run(moment).notices]


def test_a_failure_is_told_once_and_when_it_is_over() -> None:
    stage = Stage(actions(action("backup", "schedule: every:1s")))
    stage.processes.endings["backup"] = 1
    assert told(stage, "16 09:00") == [("failure", "backup failed")]
    assert told(stage, "16 09:10") == []
    stage.processes.endings["backup"] = 2
    assert told(stage, "16 09:20") == [("failure", "backup failed")]
    stage.processes.endings["backup"] = 0
    assert told(stage, "16 09:30") == [("over", "Over: backup failed")]
    assert told(stage, "16 09:40") == []
    assert [channel for channel, _ in stage.messenger.sent] == ["desktop"] * 3


def test_in_quiet_hours_a_critical_failure_is_told_and_another_waits_for_the_morning() -> None:
    text = actions(action("big", "schedule: every:1s", priority="CRITICAL"), action("small", "schedule: every:1s"))
    stage = Stage(text)
    stage.processes.endings |= {"small": 1}
    assert told(stage, "16 23:00") == []
    stage.processes.endings |= {"big": 1}
    assert told(stage, "16 23:10") == [("failure", "big failed")]
    assert told(stage, "17 07:00") == [("failure", "small failed")]


def test_an_exhausted_task_is_told_once() -> None:
    stage = Stage("## Tasks\n- [ ] a | A | run: a | max_attempts: 1\n")
    stage.processes.endings["a"] = 1
    assert told(stage, "16 09:00") == [("failure", "a failed"), ("exhausted", "a has used up its attempts")]
    assert told(stage, "16 09:10") == []
    retry(stage.ledger, "a", stage.clock.now())
    assert told(stage, "16 09:20") == []  # the words are the same, and it was never better
    stage.edit("| A |", "| Again |")
    stage.processes.endings["a"] = 0
    assert told(stage, "16 09:30") == [("over", "Over: a failed")]


def test_a_drop_of_the_score_is_told_once_a_drop() -> None:
    lines = "".join(f"- [ ] {name} | A | run: {name} | verify: cmd:look-{name} | max_attempts: 100\n" for name in "ab")
    stage = Stage(f"## Tasks\n{lines}")
    stage.run("16 09:00")  # 20 points
    stage.processes.endings |= {"look-a": 1, "look-b": 1}
    assert ("score_drop", "30 points lost") in told(stage, "16 09:30")
    assert told(stage, "16 10:00") == []  # falls on, but it is the same drop
    stage.settings = replace(stage.settings, notify=NotifySettings(score_drop=0))
    stage.run("17 09:00")
    assert not [notice for _, notice in stage.messenger.sent[3:] if notice.kind == "score_drop"]


def test_a_file_that_is_refused_or_gone_is_told_once() -> None:
    stage = Stage(actions(action("backup")))
    stage.run("16 09:00")
    stage.files.save("# Heartbeat\0\n")
    assert told(stage, "16 09:10") == [("refused", "HEARTBEAT.md is not read")]
    assert told(stage, "16 09:20") == []
    stage.files.save(actions(action("other")))
    assert told(stage, "16 09:30") == [("over", "Over: HEARTBEAT.md is not read")]
    stage.files.data = None
    assert told(stage, "16 09:40") == [("refused", "HEARTBEAT.md is not read")]


def test_a_file_that_is_refused_is_told_when_it_is_saved_not_at_the_next_beat() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:10:00")))
    stage.plan_only("16 09:00")
    stage.files.save("# Heartbeat\0\n")
    stage.plan_only("16 09:10")
    stage.plan_only("16 09:11")
    assert [notice.kind for _, notice in stage.messenger.sent] == ["refused"]


def test_that_a_model_is_missing_is_told_once() -> None:
    stage = Stage("## Tasks\n- [ ] a | Read the mail\n")
    assert told(stage, "16 09:00") == [("model", "No language model")]
    assert told(stage, "16 10:00") == []


def test_what_waits_for_an_approval_is_told_once_however_many_beats_come_between_the_ticks() -> None:
    stage = Stage("## Tasks\n- [ ] r | R | run: r\n\n" + actions(action("often", "schedule: every:2s")))
    approve_all_in(stage.world(), stage.workspace())
    stage.says_yes = False
    stage.edit("run: r", "run: another")
    titles = [told(stage, "16 09:00")]
    titles += [[(one.kind, one.title) for one in stage.beat(f"16 09:{at}").notices] for at in ("10", "20", "30", "40")]
    assert titles == [[("approval", "1 waiting for your approval")], [], [], [], []]
    stage.says_yes = True
    assert told(stage, "16 10:00") == [("over", "Over: 1 waiting for your approval")]


def test_what_waits_for_an_approval_is_told_when_it_is_saved() -> None:
    stage = Stage(actions(action("nightly", "schedule: daily:23:00")))
    stage.says_yes = False
    stage.plan_only("16 09:00")
    stage.plan_only("16 09:01")
    assert [notice.title for _, notice in stage.messenger.sent] == ["1 waiting for your approval"]


def test_that_a_model_is_missing_is_over_when_one_is_found_not_when_nothing_is_due_for_one() -> None:
    stage = Stage("## Tasks\n- [ ] a | Read the mail\n\n" + actions(action("often", "schedule: every:2s")))
    assert told(stage, "16 09:00") == [("model", "No language model")]
    stage.beat("16 09:10")
    assert MODEL in stage.ledger.announcements().told
    assert told(stage, "16 10:00") == []
    stage.agent.chosen = CHOICE
    stage.beat("16 10:30")
    assert MODEL not in stage.ledger.announcements().told


def test_what_no_channel_took_is_told_with_the_next_digest() -> None:
    stage = Stage(actions(action("backup", "schedule: every:1s"), action("copy", "schedule: every:1s")))
    stage.processes.endings |= {"backup": 1, "copy": 1}
    stage.messenger.problem = "no desktop"
    stage.beat("16 09:00")
    stage.beat("16 09:01")
    stage.messenger.problem = ""
    stage.messenger.sent.clear()
    (notice,) = stage.beat("16 09:02").notices
    assert notice.message.splitlines() == [
        "backup failed: exit code 1: did backup",
        "copy failed: exit code 1: did copy",
    ]
    assert stage.messenger.sent == [("desktop", notice)]
    assert stage.beat("16 09:03").notices == ()


def test_what_no_channel_took_is_not_held_for_ever_and_not_at_all_where_the_person_reads_it() -> None:
    stage = Stage(actions(action("backup", "schedule: every:1s")))
    stage.processes.endings["backup"] = 1
    stage.messenger.problem = "no desktop"
    assert told(stage, "16 09:00") == [("failure", "backup failed")]
    assert told(stage, "16 09:10") == []
    notices = [Message(Notice("a", str(n), ""), tells={str(n): Notice("a", str(n), "")}) for n in range(1000)]
    assert list(held_again(Announcements(), notices).held) == [str(n) for n in range(950, 1000)]


def test_nothing_due_and_nothing_wrong_says_and_writes_nothing() -> None:
    stage = Stage(actions(action("backup", "schedule: daily:10:00")))
    stage.beat("16 09:00")
    assert stage.messenger.sent == []
    assert stage.ledger.announcements() == Announcements()
