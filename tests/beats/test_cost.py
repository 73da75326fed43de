"""The cost of a beat grows with its items and not faster, and not at all with its history.

What is counted is every line of the program that runs, by function: a loop inside a loop shows up
by name, on any machine and at any load.
"""

import sys
from collections import Counter
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import pytest

import core
from core.model.agent import Batch, BatchEnding, BatchResult, JudgeResult
from core.model.evidence import Act, Claim, Judgement, Said
from core.model.occurrence import Verdict
from core.model.settings import Settings
from tests.beats.prompt_text import prompt
from tests.fakes.model import CHOICE, USED
from tests.stage import Stage, action, actions

PROGRAM = str(Path(core.__file__).parent)
FEW = 25
TIMES = 4
MOST = 1.3 * TIMES  # what is sorted grows a little faster than its number
SMALL = 40 * FEW  # lines: a function with fewer of them does not matter


def lines_run(work: Callable[[], object], program: str = PROGRAM) -> Counter[CodeType]:
    counted: Counter[CodeType] = Counter()

    def count(frame: FrameType, event: str, _argument: Any) -> Any:
        if not frame.f_code.co_filename.startswith(program):
            return None
        if event == "line":
            counted[frame.f_code] += 1

        return count

    before = sys.gettrace()
    sys.settrace(count)
    try:
        work()
    finally:
        sys.settrace(before)

    return counted


def growing(few: Counter[CodeType], many: Counter[CodeType], most: float) -> list[str]:
    """The functions whose lines grew by more than this."""
    return [
        f"{code.co_qualname}: {few[code]} lines, then {lines}"
        for code, lines in many.items()
        if lines > SMALL and lines > most * max(few[code], 1)
    ]


def report_all(batch: Batch) -> BatchResult:
    """Says that each task is done."""
    reports = {one.id: Claim(Said.DONE, "did it") for one in batch.tasks}
    return BatchResult(
        BatchEnding.FINISHED, reports, (Act("write_file(path=a)", "Wrote a."),), "", usage=USED
    )


def stage_of(text: str) -> Stage:
    stage = Stage(text)
    stage.agent.chosen = CHOICE
    stage.agent.script = report_all
    stage.agent.judge_script = lambda questions: JudgeResult(
        {one.task_id: Judgement(Verdict.VERIFIED, False, "did it", "") for one in questions},
        usage=USED,
    )
    return stage


def tasks(number: int, *fields: str) -> str:
    lines = [f"- [ ] t{one} | Do it | {' | '.join(fields)}" for one in range(number)]
    return "## Tasks\n" + "\n".join(lines) + "\n\n## Probes\n- value: `value`\n"


def with_actions(number: int) -> Stage:
    return stage_of(actions(*(action(f"a{one}") for one in range(number))))


def with_a_chain(number: int) -> Stage:
    first = action("a0")
    rest = (action(f"a{one}", f"depends_on: a{one - 1}") for one in range(1, number))
    return stage_of(actions(first, *rest))


def with_failing_actions(number: int) -> Stage:
    stage = stage_of(actions(*(action(f"a{one}", "retry: 2") for one in range(number))))
    stage.processes.endings.update({f"a{one}": 1 for one in range(number)})
    return stage


def with_waiting_actions(number: int) -> Stage:
    """Nobody has approved them."""
    stage = with_actions(number)
    stage.says_yes = False
    return stage


def with_missed_actions(number: int) -> Stage:
    """Due between the first beat and the second, and not caught up."""
    blocks = (action(f"a{one}", "schedule: daily:09:30") for one in range(number))
    stage = stage_of(actions(*blocks))
    stage.settings = Settings(catch_up="skip")
    return stage


def with_messages(number: int) -> Stage:
    blocks = [
        f"### [LOW] a{one}\n- id: a{one}\n- type: notify\n- message: hello {one}\n\n"
        for one in range(number)
    ]
    return stage_of(actions(*blocks))


def with_run_tasks(number: int) -> Stage:
    return stage_of(tasks(number, "run: true", "verify: value > 0"))


def with_model_tasks(number: int) -> Stage:
    return stage_of(tasks(number, "required", "verify: it_was_done"))


def with_prompts(number: int) -> Stage:
    stage = stage_of("")
    stage.files.prompts |= {f"p{one}": prompt("open") for one in range(number)}
    stage.processes.endings["open"] = 0
    return stage


WORKSPACES = (
    with_actions,
    with_a_chain,
    with_failing_actions,
    with_waiting_actions,
    with_missed_actions,
    with_messages,
    with_run_tasks,
    with_model_tasks,
    with_prompts,
)


@pytest.mark.parametrize("make", WORKSPACES)
@pytest.mark.parametrize("beat", [1, 2])
def test_four_times_the_items_cost_four_times_the_lines(
    make: Callable[[int], Stage], beat: int
) -> None:
    counted = []
    for number in (FEW, FEW * TIMES):
        stage = make(number)
        stage.beat("16 09:00")  # what is made once for all stages is made here
        if beat == 1:
            stage = make(number)

        counted.append(lines_run(lambda stage=stage: stage.beat("16 10:00")))  # type: ignore[misc]

    few, many = counted
    assert growing(few, many, MOST) == []
    assert many.total() <= MOST * few.total()


def test_the_chain_is_one() -> None:
    document = with_a_chain(FEW).workspace().document
    assert document.actions[-1].depends_on == (f"a{FEW - 2}",)
    assert document.diagnostics == ()


@pytest.mark.parametrize("make", WORKSPACES)
def test_planning_after_a_save_is_linear_too(make: Callable[[int], Stage]) -> None:
    counted = []
    for number in (FEW, FEW * TIMES):
        stage = make(number)
        stage.plan_only("16 09:00")
        counted.append(lines_run(lambda stage=stage: stage.plan_only("16 09:01")))  # type: ignore[misc]

    few, many = counted
    assert growing(few, many, MOST) == []


@pytest.mark.parametrize("make", [with_actions, with_run_tasks, with_model_tasks])
def test_a_long_history_costs_nothing(make: Callable[[int], Stage]) -> None:
    """A prompt has the last 200 endings of items, so both histories are longer than that."""
    counted = []
    for past in (70, 100):
        stage = make(3)
        for minute in range(past):
            stage.run(f"15 {9 + minute // 60:02}:{minute % 60:02}")

        counted.append(lines_run(lambda stage=stage: stage.run("16 12:00")))  # type: ignore[misc]

    few, many = counted
    assert many.total() <= 1.05 * few.total()


def test_a_loop_inside_a_loop_is_found() -> None:
    def compare_all(number: int) -> int:
        return sum(one is other for one in range(number) for other in range(number))

    few, many = (
        lines_run(lambda number=number: compare_all(number), __file__)  # type: ignore[misc]
        for number in (FEW, FEW * TIMES)
    )
    (found,) = growing(few, many, MOST)
    assert "compare_all" in found
