"""Whatever happens to the tasks: the score is the sum of the verdicts, attempts have bounds,
trouble is announced once."""

from datetime import timedelta

from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.account import FIRST_DAY, differences, score_now
from core.engine.local_time import local_time
from core.engine.plan import retry
from core.model.announcements import Announcements, Trouble
from core.model.cause import Cause
from core.model.check import Finding
from core.model.occurrence import Verdict
from core.model.progress import TaskStatus
from core.model.report import Notice, NoticeKind
from core.model.trouble import TroubleKey, TroubleKind
from core.rules.announcing.announcer import announce
from core.rules.checking.progress import exhausted_tasks
from tests.stage import MONDAY, Stage

CHECKS = [
    "",
    " | verify: cmd:check-{}",
    " | verify: n_{} > 0",
    " | verify: a label",
    " | verify: n_{} = 3",
]
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
        (
            f"- [ ] {name} | Do {name} | {'required' if number % 2 else 'optional'} | run: "
            f"do-{name}{check.format(name)}\n"
        )
        for number, (name, check) in enumerate(zip(NAMES, checks, strict=True))
    )
    return f"## Tasks\n{lines}\n## Probes\n" + "".join(
        f"- n_{name}: count-{name}\n" for name in NAMES
    )


def take(stage: Stage, step: Step) -> None:  # noqa: C901 - one flat table of steps
    what, name, number = step
    line = next(
        (row for row in stage.files.text.splitlines() if row[6:].startswith(f"{name} |")), ""
    )
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
            stage.edit(
                line, line.replace("[ ]", "[x]") if "[ ]" in line else line.replace("[x]", "[ ]")
            )
        case "edit":
            stage.edit(
                line, f"{line.split(' | run:')[0][:20]} {number} | run:{line.split(' | run:')[1]}"
            )
        case "thumb":
            stage.ledger.scores.give_feedback(
                f"task:{name}",
                number,
                local_time(stage.world(), stage.clock.now(), stage.workspace()),
            )
        case "cancel":
            stage.processes.meanwhile = lambda ran: (
                stage.cancelled.set() if ran == f"do-{name}" else None
            )
        case _:
            stage.clock.pass_time(timedelta(minutes=number))
            beat(stage)


def beat(stage: Stage) -> None:
    """One beat, with all that must hold before, in and after it."""
    document = stage.workspace().document
    exhausted = exhausted_tasks(document, stage.ledger.tasks.progress())
    ticked = {task.id for task in document.tasks if task.checked}
    report = stage.run()
    for item in report.items:
        assert item.id not in exhausted | ticked or item.points == 0
        assert item.points <= 0 or item.verdict is Verdict.VERIFIED
        if item.verdict is not None:
            assert report.beat
            kept = stage.ledger.evidence.of(f"task:{item.id}", report.beat)
            assert kept
            measured = kept.measurement.finding
            assert (measured is Finding.PASSES) == (item.verdict is Verdict.VERIFIED)
            assert (measured is Finding.UNMEASURED) == (item.verdict is Verdict.UNCLEAR)
            assert not item.contradiction
    ran = {line for line in stage.ran if line.startswith("do-")}
    assert not ran & {f"do-{name}" for name in exhausted | ticked}
    stage.cancelled = CancelSwitch()
    stage.processes.meanwhile = lambda _: None


@settings(max_examples=300, deadline=None)
@given(st.tuples(*[st.sampled_from(CHECKS)] * 4), steps)
def test_whatever_happens_the_score_is_the_verdicts_and_attempts_stay_in_bounds(
    checks: tuple[str, ...], happenings: list[Step]
) -> None:
    stage = Stage(workspace(list(checks)))
    for step in happenings:
        take(stage, step)
        for one in stage.ledger.tasks.progress().tasks:
            assert 0 <= one.attempts <= MOST_ATTEMPTS
            assert one.status is not TaskStatus.VERIFIED or one.attempts == 0
    now = local_time(stage.world(), stage.clock.now(), stage.workspace())
    assert differences(stage.ledger, now.date(), 400) == []
    verdicts = sum(one.points for one in stage.ledger.occurrences.history())
    thumbs = sum(one.points for one in stage.ledger.scores.feedback(FIRST_DAY, now.date()))
    assert sum(day.score for day in score_now(stage.ledger, now).days) == verdicts + thumbs


trouble_lists = st.lists(
    st.tuples(st.sampled_from("abcdefgh"), st.sampled_from(["bad", "worse"]), st.booleans()),
    max_size=8,
)


def failure(name: str) -> TroubleKey:
    return TroubleKey(TroubleKind.FAILURE, name)


@settings(max_examples=300, deadline=None)
@given(
    st.lists(
        st.tuples(
            trouble_lists,
            st.sets(st.sampled_from("abcdefgh"), max_size=2),
            st.booleans(),
            st.integers(1, 50),
        ),
        max_size=12,
    )
)
def test_no_trouble_is_announced_twice_without_a_change_between(
    rounds: list[tuple[list[tuple[str, str, bool]], set[str], bool, int]],
) -> None:
    memory, now = Announcements(), MONDAY
    # What was announced of a trouble, until it changes or is over.
    said: dict[TroubleKey, Cause | None] = {}
    announced_at = []
    for current, over, is_quiet, minutes in rounds:
        troubles = {
            failure(name): Trouble(
                failure(name), Notice(NoticeKind.FAILURE, name, words), (words,), urgent
            )
            for name, words, urgent in current
        }
        settled = {failure(name) for name in over} - troubles.keys()
        before = memory
        memory, messages = announce(
            before, list(troubles.values()), settled, now, is_quiet=is_quiet, per_hour=6
        )
        for key in settled | {
            key
            for key in troubles
            if key in before.announced and before.announced[key] != memory.announced[key]
        }:
            said.pop(key, None)
        for key, announced in memory.announced.items():
            was_waiting = key in before.held or before.announced.get(key) != announced
            if was_waiting and key not in memory.held:
                assert said.get(key) != announced.sameness
                said[key] = announced.sameness
        assert not is_quiet or all(message.urgency == "critical" for message in messages)
        announced_at += [now] * len(messages)
        assert sum(now - moment < timedelta(hours=1) for moment in announced_at) <= 6
        now += timedelta(minutes=minutes)
