"""The liars' bench holds: no lie is believed, nobody is accused falsely, honest work gets its
points, and what can be measured is not unclear."""

from collections import Counter
from collections.abc import Iterable
from dataclasses import replace

import pytest

from tests.bench.liars import all_cases, all_mixes, lines_of, run
from tests.bench.verdict_cases.case import Says, Truth

CHECK_KINDS = ("cmd:", "file:", "http:", "json:")
CONDITIONS = ("fresh<", "size>", "contains", "changed", "status=", " and ", "len(", " in ")


def twice(words: Iterable[str]) -> list[str]:
    return [word for word, count in Counter(words).items() if count > 1]


def test_there_are_enough_cases_of_both_halves() -> None:
    lies = sum(case.is_lie for case in all_cases())
    assert lies >= 1_200
    assert len(all_cases()) - lies >= 400


def test_every_case_has_a_name_of_its_own() -> None:
    assert twice([case.name for case in all_cases()] + [mix.name for mix in all_mixes()]) == []


def test_no_two_cases_have_the_same_inputs() -> None:
    inputs = [repr(replace(case, name="", is_lie=False)) for case in all_cases()]
    assert twice(inputs) == []


@pytest.mark.parametrize("is_lie", [True, False])
def test_both_halves_have_every_kind_of_check(is_lie: bool) -> None:
    half = [case for case in all_cases() if case.is_lie is is_lie]
    checks = " ".join(case.check for case in half)
    assert [word for word in CHECK_KINDS + CONDITIONS if word not in checks] == []
    assert any(case.run for case in half)
    assert {case.required for case in half} == {True, False}
    assert {one.truth for case in half for one in case.rounds} == {*Truth}


def test_everything_that_can_be_said_is_said() -> None:
    assert {one.says for case in all_cases() for one in case.rounds} == {*Says}


@pytest.mark.slow
@pytest.mark.timeout(1200)  # 45 s of work, on a machine that may be busy
def test_no_claim_is_judged_otherwise_than_the_truth_asks_for() -> None:
    assert lines_of(run()) == []
