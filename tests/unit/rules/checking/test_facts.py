"""The facts of a report, compared with the measured values of a check."""

from collections.abc import Mapping

import pytest

from core.agent.taint import as_data
from core.model.check import Comparison, Finding, Measurement, Value
from core.model.evidence import Act, Claim, Named, Said, Surroundings, Touched
from core.rules.checking.facts import ComparedFacts, compare_facts

NAMED = Named(commands=("cat v.txt",), by_any_reading=True)
HARMLESS = ComparedFacts()
ODD = ComparedFacts(not_comparable="the reported n cannot be compared with what was measured")


def compared(
    facts: Mapping[str, Value],
    *acts: Act,
    before: Mapping[str, Value] | None = None,
    after: Mapping[str, Value] | None = None,
    check: str = "n > 0",
    changed: tuple[str, ...] = (),
) -> ComparedFacts:
    """Where nothing else is said, n was 3 all the time."""
    values: Mapping[str, Value] = after or {"n": 3}
    comparison = Comparison(check, {name: name for name in values})
    measured = Measurement(Finding.PASSES, "", values, compared=comparison)
    then = values if before is None else before
    around = Surroundings(NAMED, values_before=then, changed=changed)
    return compare_facts(Claim(Said.DONE, "", facts), acts, measured, around)


def outputs(output: str, path: str = "v.txt") -> Act:
    output = as_data(path, output)
    return Act(f"read_file(path={path})", output, touched=Touched(True, (path,), ()))


def false(said: str, found: str = "3") -> ComparedFacts:
    return ComparedFacts(false=f"it said n is {said}, but {found} was measured")


def false_of_moving(said: str, truth: str) -> ComparedFacts:
    return ComparedFacts(false=f"it said n is {said}, but it was {truth}")


# -- how it is spelled -----------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["n", "N", "n ", " N\t"])
def test_the_name_of_a_fact_is_read_without_capitals_and_blanks(name: str) -> None:
    assert compared({name: 9}) == false("9")
    assert compared({name: 3}) == HARMLESS


def test_of_two_spellings_neither_hides_the_other() -> None:
    assert compared({"n": 3, "N": 9}) == false("9")


def test_another_measured_name_with_capitals_is_another_name() -> None:
    values: dict[str, Value] = {"n": 3, "N": 9}
    assert compared({"n": 3, "N": 9}, after=values) == HARMLESS


@pytest.mark.parametrize("claimed", ["9 mails", "=9", "nine"])
def test_a_false_number_is_false_in_any_spelling(claimed: str) -> None:
    assert compared({"n": claimed}) == false(f'"{claimed}"')


@pytest.mark.parametrize("claimed", ["9%", [9], {"v": 9}, True, "9 of 12"])
def test_what_cannot_be_compared_is_no_lie_and_earns_nothing(claimed: Value) -> None:
    assert compared({"n": claimed}) == ODD


@pytest.mark.parametrize("claimed", [None, "a few", "3 mails", "three", "some mail from Ann"])
def test_words_without_a_number_are_as_good_as_no_fact(claimed: Value) -> None:
    assert compared({"n": claimed}) == HARMLESS


# -- what was measured before ----------------------------------------------------------------------


def test_a_value_that_was_not_measured_before_may_have_been_anything() -> None:
    assert compared({"n": 9}, before={}) == ODD
    assert compared({"n": 3}, before={}) == HARMLESS


def test_a_number_that_moved_is_false_outside_of_its_way() -> None:
    assert compared({"n": 4}, before={"n": 5}) == HARMLESS
    assert compared({"n": 6}, before={"n": 5}) == false_of_moving("6", "5 before and 3 after")


# -- texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("claimed", "check", "expected"),
    [
        ("ok", 'n == "ok"', HARMLESS),
        ("all good", 'n == "ok"', ODD),
        ("not ok", 'n == "ok"', ODD),
        ("all good", 'n != "failed"', HARMLESS),  # the check would find the same
        ("Failed", 'n != "failed"', false('"Failed"', '"ok"')),
        ("done", 'n in ["ok", "done"]', HARMLESS),
        ("failed", 'n == "ok" or n == "failed" and 1 == 2', false('"failed"', '"ok"')),
        ("all good", "n > 5", HARMLESS),  # which a text cannot answer, be it this or that
    ],
)
def test_other_words_are_false_only_if_they_are_those_of_the_check(
    claimed: str, check: str, expected: ComparedFacts
) -> None:
    assert compared({"n": claimed}, after={"n": "ok"}, check=check) == expected


def test_a_text_that_moved_is_never_false() -> None:
    moved: dict[str, Value] = {"n": "done"}
    queued: dict[str, Value] = {"n": "queued"}
    check = 'n == "done" or n == "failed" and 1 == 2'
    assert compared({"n": "failed"}, before=queued, after=moved, check=check) == ODD
    assert compared({"n": "running"}, before=queued, after=moved, check='n != "x"') == HARMLESS
    read = outputs("running")
    assert compared({"n": "running"}, read, before=queued, after=moved, check=check) == HARMLESS


def test_booleans_are_compared_where_something_was_read() -> None:
    values: dict[str, Value] = {"n": False}
    found = compared({"n": True}, outputs("false"), after=values)
    assert found == false("true", "false")


# -- what was read meanwhile -----------------------------------------------------------------------


@pytest.mark.parametrize(
    "output", ["9", "a\n9\nb", "n: 9", '{"total": 1, "n": 9, "x": 2}', "N = 9;", ' "n" : "9" ']
)
def test_a_value_that_came_back_is_true_where_it_was_read(output: str) -> None:
    assert compared({"n": 9}, outputs(output)) == HARMLESS


@pytest.mark.parametrize("output", ["", "3", "19", "total: 9", "9 apples, 3 pears", "line 9"])
def test_a_number_somewhere_in_a_text_is_not_the_value(output: str) -> None:
    assert compared({"n": 9}, outputs(output)) == false("9")


def test_what_the_model_wrote_itself_proves_nothing() -> None:
    wrote = Act("write_file(v.txt)", touched=Touched(False, ("v.txt",), ("v.txt",)))
    assert compared({"n": 9}, wrote, outputs("9"), changed=("v.txt",)) == false("9")


def test_what_a_command_prints_is_neither_true_nor_false_and_other_files_say_nothing() -> None:
    command = Act("run_command(tail v.txt)", "9", touched=Touched(True, ("tail", "v.txt"), None))
    assert compared({"n": 9}, command) == ODD
    assert compared({"n": 9}, outputs("9", "other.txt")) == false("9")
    assert compared({"n": 9}, command, outputs("9")) == HARMLESS
