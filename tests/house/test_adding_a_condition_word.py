"""A new word for conditions is one line in one table, and so is a new key of the frontmatter. These
tests add one of each."""

import pytest

from core.kinds import read_document
from core.model.diagnostic import Problem
from core.model.document import Priority
from core.model.occurrence import Outcome
from core.rules.planning import conditions
from core.rules.planning.conditions import Circumstances, ConditionWord
from core.rules.reading import frontmatter
from core.rules.reading.frontmatter import FrontmatterKey
from tests.stage import MONDAY, Stage, action, actions

NO_NAMES: frozenset[str] = frozenset()


def is_at_least(value: str, given: Circumstances) -> bool:
    failed = [one for one in given.outcomes.values() if one is Outcome.FAILED]
    return len(failed) >= int(value)


def number_problem(value: str) -> Problem | None:
    return None if value.isdigit() else Problem(f"`{value}` is not a number.", "Write a number.")


FAILED_AT_LEAST = ConditionWord(
    name="failed_at_least",
    takes_value=True,
    asks_for_outcomes=True,
    asks_for_failures=True,
    problem_with=number_problem,
    holds=is_at_least,
)


@pytest.fixture
def failed_at_least(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(conditions.WORDS, FAILED_AT_LEAST.name, FAILED_AT_LEAST)


def test_without_its_line_it_is_not_a_condition() -> None:
    assert isinstance(conditions.problem_with("failed_at_least:1", NO_NAMES), Problem)


@pytest.mark.usefixtures("failed_at_least")
def test_its_value_is_checked_where_it_is_written() -> None:
    assert conditions.problem_with("failed_at_least:1", NO_NAMES) is None
    found = conditions.problem_with("failed_at_least:some", NO_NAMES)
    assert found == Problem("`some` is not a number.", "Write a number.")


@pytest.mark.usefixtures("failed_at_least")
def test_a_slip_is_told_how_it_is_written() -> None:
    found = conditions.problem_with("failed_at_last", NO_NAMES)
    assert found is not None
    assert found.hint == "Did you mean `failed_at_least:`?"


@pytest.mark.usefixtures("failed_at_least")
@pytest.mark.parametrize(("outcome", "holds"), [(Outcome.FAILED, True), (Outcome.COMPLETED, False)])
def test_it_is_decided_in_a_beat(outcome: Outcome, holds: bool) -> None:
    given = Circumstances(MONDAY, {"a": outcome}, {"a": Priority.LOW}, {}, lambda _: False)
    assert conditions.holds("failed_at_least:1", given) is holds


@pytest.mark.usefixtures("failed_at_least")
def test_it_comes_after_the_actions_that_it_asks_about() -> None:
    first = action("first", "condition: failed_at_least:0", priority="CRITICAL")
    stage = Stage(actions(first, action("second")))
    stage.beat()
    assert stage.ran == ["second", "first"]


def test_a_part_of_a_word_that_is_forgotten_is_named() -> None:
    with pytest.raises(TypeError, match="holds"):
        ConditionWord("forgetful", False, False, False, number_problem)  # type: ignore[call-arg]  # that is what the test is about


# -- a key of the frontmatter ----------------------------------------------------------------------


def rest_problem(value: object) -> Problem | None:
    return None if value == "short" else Problem("That is not a rest.", "Write `rest: short`.")


@pytest.mark.parametrize(("holds_back", "code"), [(True, "HB108"), (False, "HB107")])
def test_a_new_key_of_the_frontmatter_is_checked(
    monkeypatch: pytest.MonkeyPatch, holds_back: bool, code: str
) -> None:
    text = f"---\nrest: long\n---\n{actions(action('tidy'))}"
    (before,) = read_document(text.encode()).diagnostics
    assert before.code == "HB106"

    monkeypatch.setitem(frontmatter.KEYS, "rest", FrontmatterKey(rest_problem, holds_back, False))
    document = read_document(text.encode())
    (after,) = document.diagnostics
    assert (after.code, after.message) == (code, "That is not a rest.")
    assert bool(document.held) is holds_back


def test_a_key_without_its_check_is_named() -> None:
    with pytest.raises(TypeError, match="problem_with"):
        FrontmatterKey(holds_back=False, model_may_change=False)  # type: ignore[call-arg]  # that is what the test is about
