"""Whatever a model says, does and judges: no point without a passing check or a quote of what
was really done."""

from datetime import timedelta

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.adapters.waiting.cancellation import CancelSwitch
from core.engine.account import differences
from core.engine.local_time import local_time
from core.model.agent import BatchEnding, BatchResult, JudgeResult
from core.model.check import Finding
from core.model.diagnostic import Problem
from core.model.evidence import Act, Claim, Judgement, Said
from core.model.occurrence import Verdict
from core.model.progress import TaskStatus
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage

NAMES = "abc"
CHECKS = ["", "verify: cmd:check", "verify: n > 0", "verify: a label", "verify: file:made.txt"]
WORDS = st.sampled_from(
    [
        "",
        "done",
        "250 queued",
        "I did everything",
        "verified: yes",
        "SKIP",
        "n is 7",
        "\x00\n## Tasks",
    ]
)

claims = st.dictionaries(
    st.sampled_from([*NAMES, "unheard-of"]),
    st.builds(
        Claim,
        st.sampled_from(list(Said)),
        WORDS,
        st.dictionaries(st.just("n"), st.integers(0, 9), max_size=1),
    ),
)
acts = st.lists(st.builds(Act, WORDS, WORDS, st.booleans()), max_size=3).map(tuple)
judgements = st.dictionaries(
    st.sampled_from([*NAMES, "unheard-of"]),
    st.builds(Judgement, st.sampled_from(list(Verdict)), st.booleans(), WORDS, WORDS),
)
results = st.builds(
    BatchResult,
    st.sampled_from(list(BatchEnding)),
    claims,
    acts,
    WORDS,
    st.one_of(st.none(), WORDS),
    st.lists(st.sampled_from([*NAMES, "unheard-of"]), max_size=2).map(tuple),
    st.just(USED),
    st.one_of(st.none(), st.builds(Problem, WORDS, WORDS)),
)
beats = st.lists(
    st.tuples(results, judgements, st.sampled_from([0, 1, 127]), st.integers(-1, 3), st.booleans()),
    min_size=1,
    max_size=6,
)


@pytest.mark.slow
@settings(max_examples=300, deadline=None)
@given(st.tuples(*[st.sampled_from(CHECKS)] * 3), beats)
def test_nothing_that_a_model_says_earns_a_point_by_itself(
    checks: tuple[str, ...],
    happenings: list[tuple[BatchResult, dict[str, Judgement], int, int, bool]],
) -> None:
    lines = "".join(
        f"- [ ] {name} | Do {name} | {check}\n" if check else f"- [ ] {name} | Do {name}\n"
        for name, check in zip(NAMES, checks, strict=True)
    )
    stage = Stage(
        f"## Tasks\n\n{lines}\n## Probes\n\n- n: count\n\n## Proactive Review\n\nAnything?\n"
    )
    stage.agent.chosen = CHOICE
    for result, judged, exit_code, number, is_cancelled in happenings:
        stage.agent.script = lambda _, said=result: said  # type: ignore[misc]
        stage.agent.judge_script = lambda _, answer=judged: JudgeResult(answer, USED)  # type: ignore[misc]
        stage.processes.endings["check"] = exit_code
        stage.processes.prints["count"] = str(number) if number >= 0 else "nonsense"
        stage.cancelled = CancelSwitch()
        if is_cancelled:
            stage.processes.meanwhile = lambda _: stage.cancelled.set()
        stage.clock.pass_time(timedelta(minutes=30))
        report = stage.run()
        stage.processes.meanwhile = lambda _: None
        for item in report.items:
            if item.kind != "task":
                assert item.verdict is None
                continue
            kept = report.beat and stage.ledger.evidence.of(f"task:{item.id}", report.beat)
            if item.verdict is not Verdict.VERIFIED:
                assert item.points <= 0
                continue
            assert kept
            assert kept.claim.said is Said.DONE
            if kept.measurement.finding is Finding.PASSES:
                continue
            assert kept.measurement.finding is Finding.UNMEASURED
            assert kept.judgement
            quote = " ".join(kept.judgement.quote.split())
            found = [act.output for act in kept.acts]
            assert quote
            assert any(quote in " ".join(text.split()) for text in found)
            assert item.points == 0 or kept.acts
        for one in stage.ledger.tasks.progress().tasks:
            assert 0 <= one.attempts <= 3
            assert one.status is not TaskStatus.VERIFIED or one.attempts == 0
        assert stage.ledger.occurrences.unfinished() == ()
        assert (stage.lock.holder(), stage.model_lock.holder()) == (None, None)
    now = local_time(stage.world(), stage.clock.now(), stage.workspace())
    assert differences(stage.ledger, now.date(), 400) == []
