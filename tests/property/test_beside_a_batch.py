"""Whatever happens while a batch is with the model: every start has one end, and nothing that
was saved is lost."""

from collections.abc import Callable, Sequence
from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.account import differences
from core.engine.local_time import local_time
from core.model.agent import Batch, BatchEnding, BatchResult, JudgeResult, Question
from core.model.evidence import Act, Claim, Said
from core.model.ledger import Pause
from core.model.occurrence import BeatReason, State
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage, action

WORK = (Act("write_file(path=a)", "Wrote a."),)
TEXT = (
    "---\nversion: 1\nstatus: idle\n---\n## Tasks\n\n- [ ] mail | Mail | optional | verify: n > 0\n"
    "- [ ] run | Run | run: run-it\n- [ ] soon | Soon | optional | schedule: every:1m\n\n"
    "## Probes\n\n- n: count\n\n"
    "## Pending Actions\n\n" + action("tick", "schedule: every:1m")
)


class ProcessDiedError(Exception):
    """The beat's process is gone, with its locks."""


def beside(stage: Stage) -> None:
    stage.beat(reason=BeatReason.TIMER)


def by_hand(stage: Stage) -> None:
    stage.run()


def plan(stage: Stage) -> None:
    stage.plan_only()


def save(stage: Stage) -> None:
    line = f"saved {stage.files.text.count('saved')}"
    stage.files.save(f"{stage.files.text}\n{line}\n")
    stage.files.names.add(line)  # what the person has saved


def cancel(stage: Stage) -> None:
    stage.cancelled.set()


def pause(stage: Stage) -> None:
    stage.ledger.requests.pause(Pause(stage.clock.now(), None))


def die(stage: Stage) -> None:
    raise ProcessDiedError


EVENTS: list[Callable[[Stage], None]] = [beside, by_hand, plan, save, cancel, pause, die]
ENDINGS = st.sampled_from(list(BatchEnding))
claims = st.dictionaries(
    st.sampled_from(["mail", "soon"]), st.sampled_from([Said.DONE, Said.FAILED, Said.SKIPPED])
)
Happenings = list[Callable[[Stage], None]]
happenings = st.lists(st.sampled_from(EVENTS), max_size=3)
batches = st.lists(
    st.tuples(happenings, happenings, happenings, ENDINGS, claims, st.integers(-1, 3)),
    min_size=1,
    max_size=5,
)


def meanwhile(stage: Stage, todo: Happenings) -> None:
    """While the batch has the model's lock and not the workspace's."""
    assert stage.lock.holder() is None
    assert stage.model_lock.holder() is not None
    before = len(stage.agent.batches)
    for happening in [todo.pop(0) for _ in range(len(todo))]:
        stage.clock.pass_time(timedelta(minutes=1))
        happening(stage)
    assert len(stage.agent.batches) == before  # nobody else got the model


@pytest.mark.slow
@settings(max_examples=200, deadline=None)
@given(batches)
def test_whatever_happens_meanwhile_every_start_has_one_end_and_nothing_saved_is_lost(
    rounds: list[tuple[Happenings, Happenings, Happenings, BatchEnding, dict[str, Said], int]],
) -> None:
    stage = Stage(TEXT)
    stage.agent.chosen = CHOICE
    for at_work, at_check, at_judge, ending, said, number in rounds:
        stage.processes.prints["count"] = str(number) if number >= 0 else "nonsense"
        reports = {name: Claim(what) for name, what in said.items()}
        last = BatchResult(ending, reports, WORK, "Words.", usage=USED)

        def work(
            _: Batch,
            todo: Happenings = list(at_work),  # noqa: B006 - a copy
            last: BatchResult = last,
        ) -> BatchResult:
            meanwhile(stage, todo)
            return last

        def check(line: str, todo: Happenings = list(at_check)) -> None:  # noqa: B006 - a copy
            if line == "count":
                meanwhile(stage, todo)

        def judge(_: Sequence[Question], todo: Happenings = list(at_judge)) -> JudgeResult:  # noqa: B006 - a copy
            meanwhile(stage, todo)
            return JudgeResult(usage=USED)

        stage.agent.script, stage.agent.judge_script, stage.processes.meanwhile = work, judge, check
        stage.clock.pass_time(timedelta(minutes=30))
        try:
            stage.run()
        except ProcessDiedError:
            stage.plan_only()  # what the always-on process does next
        stage.cancelled = CancelSwitch()
        stage.ledger.requests.resume()
        assert (stage.lock.holder(), stage.model_lock.holder()) == (None, None)
        assert stage.ledger.occurrences.unfinished() == ()
        assert all(one.finished for one in stage.ledger.beats.recent(50))
    now = local_time(stage.world(), stage.clock.now(), stage.workspace())
    rows = stage.ledger.occurrences.history()
    assert all(one.finished for one in rows if one.started)
    assert all(one.state is not State.STARTED for one in rows)
    assert all(stage.files.text.splitlines().count(line) == 1 for line in stage.files.names)
    assert "status: RUNNING" not in stage.files.text
    assert "status: running" not in stage.files.text
    assert differences(stage.ledger, now.date(), 400) == []
    assert len({(one.item, one.slot) for one in rows}) == len(rows)
