"""Whatever happens to the tasks: the score is the sum of the verdicts, attempts have bounds, trouble is told once."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from core.engine.planning import retry
from core.engine.scoring import FIRST_DAY, differences, score_now
from core.model.announcements import Announcements, Trouble
from core.model.check import Finding
from core.model.progress import TaskStatus
from core.model.report import Notice
from core.model.verdict import Verdict
from core.rules.announcing.announcer import announce
from core.rules.checking.progress import exhausted_tasks
from tests.stage import MONDAY, Stage

CHECKS = ["", " | verify: cmd:check-{}", " | verify: n_{} > 0", " | verify: a label", " | verify: n_{} = 3"]
MOST_ATTEMPTS = 3
NAMES = "abcd"

Step = tuple[str, str, int]
steps = st.lists(
    st.one_of(
        st.tuples(st.just("beat"), st.just(""), st.integers(1, 600)),
        st.tuples(st.just("ends"), st.sampled_from(NAMES), st.sampled_from([0, 0, 1, 127])),
        st.tuples(st.just("checks"), st.sampled_from(NAMES), st.sampled_from([0, 0, 1, 127])),
        st.tuples(st.just("prints"), st.sampled_from(NAMES), st.integers(-1, 3)),
        st.tuples(st.just("retry"), st.sampled_from(NAMES), st.just(0)),
        st.tuples(st.just("tick"), st.sampled_from(NAMES), st.just(0)),
        st.tuples(st.just("edit"), st.sampled_from(NAMES), st.integers(0, 9)),
        st.tuples(st.just("thumb"), st.sampled_from(NAMES), st.sampled_from([3, -10])),
        st.tuples(st.just("cancel"), st.sampled_from(NAMES), st.just(0)),
    ),
    max_size=40,
)


def workspace(checks: list[str]) -> str:
    lines = "".join(
        f"- [ ] {name} | Do {name} | {'required' if number % 2 else 'optional'} | run: do-{name}{check.format(name)}\n"
        for number, (name, check) in enumerate(zip(NAMES, checks, strict=True))
    )
    return f"## Tasks\n{lines}\n## Probes\n" + "".join(f"- n_{name}: count-{name}\n" for name in NAMES)


def take(stage: Stage, step: Step) -> None:
    what, name, number = step
    line = next((row for row in stage.files.text.splitlines() if row[6:].startswith(f"{name} |")), "")
    match what:
        case "ends":
            stage.processes.endings[f"do-{name}"] = number
        case "checks":
            stage.processes.endings[f"check-{name}"] = number
        case "prints":
            stage.processes.prints[f"count-{name}"] = str(number) if number >= 0 else "nonsense"
        case "retry":
            retry(stage.ledger, name, stage.clock.now())
        case "tick":
            stage.edit(line, line.replace("[ ]", "[x]") if "[ ]" in line else line.replace("[x]", "[ ]"))
        case "edit":
            stage.edit(line, f"{line.split(' | run:')[0][:20]} {number} | run:{line.split(' | run:')[1]}")
        case "thumb":
            stage.ledger.give_feedback(
                f"task:{name}", number, stage.world().local(stage.clock.now(), stage.workspace())
            )
        case "cancel":
            stage.processes.meanwhile = lambda ran: stage.cancelled.set() if ran == f"do-{name}" else None
        case _:
            stage.clock.pass_time(timedelta(minutes=number))
            beat(stage)


def beat(stage: Stage) -> None:
    """One beat, with all that must hold before, in and after it."""
    document = stage.workspace().document
    exhausted = exhausted_tasks(document, stage.ledger.progress())
    ticked = {task.id for task in document.tasks if task.checked}
    report = stage.run()
    for item in report.items:
        assert item.id not in exhausted | ticked or item.points == 0
        assert item.points <= 0 or item.verdict is Verdict.VERIFIED
        if item.verdict is not None:
            assert report.beat
            kept = stage.ledger.evidence(f"task:{item.id}", report.beat)
            assert kept
            measured = kept.measurement.finding
            assert (measured is Finding.PASSES) == (item.verdict is Verdict.VERIFIED)
            assert (measured is Finding.UNMEASURED) == (item.verdict is Verdict.UNCLEAR)
            assert not item.contradiction
    ran = {line for line in stage.ran if line.startswith("do-")}
    assert not ran & {f"do-{name}" for name in exhausted | ticked}
    stage.cancelled.wish = False
    stage.processes.meanwhile = lambda _: None


@settings(max_examples=300, deadline=None)
@given(st.tuples(*[st.sampled_from(CHECKS)] * 4), steps)
def test_whatever_happens_the_score_is_the_verdicts_and_attempts_stay_in_bounds(
    checks: tuple[str, ...], happenings: list[Step]
) -> None:
    stage = Stage(workspace(list(checks)))
    for step in happenings:
        take(stage, step)
        for one in stage.ledger.progress().tasks:
            assert 0 <= one.attempts <= MOST_ATTEMPTS
            assert one.status is not TaskStatus.VERIFIED or one.attempts == 0
    now = stage.world().local(stage.clock.now(), stage.workspace())
    assert differences(stage.ledger, now.date(), 400) == []
    verdicts = sum(one.points for one in stage.ledger.history())
    thumbs = sum(one.points for one in stage.ledger.feedback(FIRST_DAY, now.date()))
    assert sum(day.score for day in score_now(stage.ledger, now).days) == verdicts + thumbs


trouble_lists = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["bad", "worse"]), st.booleans()), max_size=8
)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(trouble_lists, st.sets(st.sampled_from("abcdefgh"), max_size=2), st.booleans(), st.integers(1, 50)),
        max_size=12,
    )
)
def test_no_trouble_is_told_twice_without_a_change_between(
    rounds: list[tuple[list[tuple[str, str, bool]], set[str], bool, int]],
) -> None:
    memory, now = Announcements(), MONDAY
    said: dict[str, str] = {}  # what the person was told of a trouble, until it changes or is over
    told_at = []
    for current, over, is_quiet, minutes in rounds:
        troubles = {key: Trouble(key, Notice("failure", key, words), urgent) for key, words, urgent in current}
        settled = over - troubles.keys()
        before = memory
        memory, messages = announce(before, list(troubles.values()), settled, now, is_quiet=is_quiet, per_hour=6)
        for key in settled | {key for key in troubles if key in before.told and before.told[key] != memory.told[key]}:
            said.pop(key, None)
        for key, told in memory.told.items():
            was_waiting = key in before.held or before.told.get(key) != told
            if was_waiting and key not in memory.held:
                assert said.get(key) != told.words
                said[key] = told.words
        assert not is_quiet or all(message.urgency == "critical" for message in messages)
        told_at += [now] * len(messages)
        assert sum(now - moment < timedelta(hours=1) for moment in told_at) <= 6
        now += timedelta(minutes=minutes)
