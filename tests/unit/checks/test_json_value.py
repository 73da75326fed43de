"""`json:PATH#/pointer OP value`: how its hint is read, and how a value of a file compares."""

import json

import pytest

from core.checks.json_value import JSON, JsonCheck
from core.model.check import Finding, Measurement, Value
from core.model.file_work import NoFile, Seen, SeenFile, UnseenFile
from tests.fakes.files import FakeFileInspector, seen
from tests.unit.checks.written_check import (
    NOW,
    FakeMeasuring,
    executables,
    measure,
    problem,
    read,
    reported,
    words,
)

PASSES, FAILS, UNMEASURED = Finding.PASSES, Finding.FAILS, Finding.UNMEASURED
EXAMPLE = "Write `json:report.json#/count > 0`."
REPORT: dict[str, Value] = {
    "count": 5,
    "state": "up",
    "done": True,
    "nothing": None,
    "ratio": 0.5,
    "list": [1, 2, {"deep": "x"}],
    "": "no name",
    "a/b": 1,
    "a~b": 2,
    "~1": 3,
}


def found(hint: str, file: Seen) -> Measurement:
    """What is measured of r.json if a look finds this."""
    return measure(FakeMeasuring(inspector=FakeFileInspector({"r.json": file})), hint)


def compared(place_and_comparison: str, content: Value) -> Measurement:
    return found(f"json:r.json{place_and_comparison}", seen(json.dumps(content), NOW))


# -- how it is read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "check"),
    [
        ("json:r.json#/count > 3", JsonCheck("r.json", ("count",), "> 3")),
        ("JSON: r.json#/count   >=   3", JsonCheck("r.json", ("count",), ">=   3")),
        ("json:sub/r.json#/a/0/b == 1", JsonCheck("sub/r.json", ("a", "0", "b"), "== 1")),
        ("json:r.json# == null", JsonCheck("r.json", (), "== null")),
        ("json:r.json#/ == 1", JsonCheck("r.json", ("",), "== 1")),
        ("json:r.json#/a~1b == 1", JsonCheck("r.json", ("a/b",), "== 1")),
        ("json:r.json#/a~0b == 1", JsonCheck("r.json", ("a~b",), "== 1")),
        ("json:r.json#/~01 == 1", JsonCheck("r.json", ("~1",), "== 1")),
        ('json:r.json#/s == "two words"', JsonCheck("r.json", ("s",), '== "two words"')),
        ("json:r.json#/n in [1, 2]", JsonCheck("r.json", ("n",), "in [1, 2]")),
        ("json:r.json#/n not in [1]", JsonCheck("r.json", ("n",), "not in [1]")),
        ("json:r.json#/n != 3", JsonCheck("r.json", ("n",), "!= 3")),
        ("json:r.json#/n < 3", JsonCheck("r.json", ("n",), "< 3")),
        ("json:r.json#/n <= 3", JsonCheck("r.json", ("n",), "<= 3")),
    ],
)
def test_a_file_a_pointer_and_a_comparison(hint: str, check: JsonCheck) -> None:
    assert read(hint) == check
    assert reported(hint) == []


@pytest.mark.parametrize("place", ["r.json", "#/count", "r.json#count"])
def test_without_a_file_and_a_pointer_it_cannot_be_read(place: str) -> None:
    assert problem(f"json:{place} == 1") == (
        f"`{place}` does not name a value of a JSON file.",
        EXAMPLE,
    )


@pytest.mark.parametrize("comparison", ["", " ", " 3", " is 3", " up"])
def test_without_a_comparison_it_cannot_be_read(comparison: str) -> None:
    assert problem(f"json:r.json#/count{comparison}") == (
        "There is nothing to compare the value with.",
        EXAMPLE,
    )


@pytest.mark.parametrize("path", ["../r.json", "a/../../r.json", "~/r.json"])
def test_a_path_outside_the_workspace_cannot_be_read(path: str) -> None:
    message, _ = problem(f"json:{path}#/count > 0")
    assert message == f"`{path}` is outside the workspace, where checks cannot look."


@pytest.mark.parametrize(
    ("comparison", "message", "instead"),
    [
        ("= 3", "A single `=` compares nothing.", "Write `==` to compare."),
        ("=== 3", "`===` means nothing in a check.", "Write `==` instead of `===`."),
        ("== up", "`up` is not a value.", '"up" in quotes'),
        ("> 3 AND true", "`AND` means nothing in a check.", "lower case"),
        ("== x.y", "A part of something (`a.b`) cannot be used in a check.", ""),
    ],
)
def test_a_comparison_that_is_not_in_the_language_says_what_to_write(
    comparison: str, message: str, instead: str
) -> None:
    found_message, hint = problem(f"json:r.json#/count {comparison}")
    assert found_message == message
    assert instead in hint


def test_a_hint_that_cannot_be_read_is_reported_with_a_code() -> None:
    assert reported("json:r.json#/count = 3") == [
        ("HB212", "The check cannot be read: A single `=` compares nothing.")
    ]


def test_a_person_reads_it_as_it_is_written() -> None:
    assert words("json:r.json#/count > 3") == "checked by json:r.json#/count > 3"
    assert not JSON.needs_judge


def test_it_executes_nothing_and_needs_no_approval() -> None:
    assert executables("json:r.json#/count > 3") == ()


# -- how it is measured ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "finding", "said"),
    [
        ("#/count > 3", PASSES, "5 > 3"),
        ("#/count > 5", FAILS, "5 > 5"),
        ("#/count >= 5", PASSES, "5 >= 5"),
        ("#/count < 6", PASSES, "5 < 6"),
        ("#/count <= 4", FAILS, "5 <= 4"),
        ("#/count != 5", FAILS, "5 != 5"),
        ("#/count in [4, 5]", PASSES, "5 in [4, 5]"),
        ("#/count not in [4, 5]", FAILS, "5 not in [4, 5]"),
        ('#/state == "up"', PASSES, '"up" == "up"'),
        ('#/state == "down"', FAILS, '"up" == "down"'),
        ("#/done == true", PASSES, "true == true"),
        ("#/nothing == null", PASSES, "null == null"),
        ("#/ratio == 0.5", PASSES, "0.5 == 0.5"),
        ("#/list/0 == 1", PASSES, "1 == 1"),
        ('#/list/2/deep == "x"', PASSES, '"x" == "x"'),
        ('#/ == "no name"', PASSES, '"no name" == "no name"'),
        ("#/a~1b == 1", PASSES, "1 == 1"),
        ("#/a~0b == 2", PASSES, "2 == 2"),
        ("#/~01 == 3", PASSES, "3 == 3"),
    ],
)
def test_the_value_that_is_pointed_at_is_compared(hint: str, finding: Finding, said: str) -> None:
    measured = compared(hint, REPORT)
    assert (measured.finding, measured.words) == (finding, said)


def test_without_a_pointer_the_whole_file_is_the_value() -> None:
    assert compared("# == 3", 3).finding is PASSES
    assert compared("# != null", None).finding is FAILS


def test_a_measured_value_has_the_name_that_a_model_may_claim_it_under() -> None:
    assert compared("#/count > 3", REPORT).values == {"count": 5}
    assert compared("#/list/2/deep != null", REPORT).values == {"deep": "x"}
    assert compared("# == 3", 3).values == {}


@pytest.mark.parametrize(
    ("pointer", "part"),
    [
        ("/none", "none"),
        ("/list/3", "3"),
        ("/list/-1", "-1"),
        ("/list/first", "first"),
        ("/list/²", "²"),
        ("/count/0", "0"),
        ("/state/0", "0"),
    ],
)
def test_a_value_that_is_not_there_fails_and_is_named(pointer: str, part: str) -> None:
    measured = compared(f"#{pointer} == 1", REPORT)
    assert (measured.finding, measured.words) == (FAILS, f"it has no `{part}`")


def test_a_value_of_another_kind_was_measured_and_fails() -> None:
    measured = compared("#/state > 3", REPORT)
    assert (measured.finding, measured.words) == (
        FAILS,
        '"up": It is the text `up`, not a number.',
    )
    assert measured.values == {"state": "up"}


@pytest.mark.parametrize("text", ["", "not json", '{"count": 5', '{"count": NaN}'])
def test_a_file_that_is_not_json_fails(text: str) -> None:
    measured = found("json:r.json#/count > 3", seen(text, NOW))
    assert (measured.finding, measured.words) == (FAILS, "it is not JSON")


def test_a_file_that_is_not_there_fails() -> None:
    measured = found("json:r.json#/count > 3", NoFile())
    assert measured == Measurement(FAILS, "the file does not exist", found=("not_there",))


def test_a_file_that_cannot_be_seen_or_read_measures_nothing() -> None:
    hidden = UnseenFile("r.json is a link that leaves the workspace.")
    assert found("json:r.json#/count > 3", hidden) == Measurement(UNMEASURED, hidden.reason)

    huge = SeenFile(10**9, NOW, "x", None)
    assert found("json:r.json#/count > 3", huge) == Measurement(
        UNMEASURED, "the file is too large to be read"
    )


def test_failures_with_other_values_are_told_apart() -> None:
    contents: list[Value] = [{"count": 1}, {"count": 2}, {"count": "x"}, {}]
    measured = [compared("#/count > 3", one) for one in contents]
    assert {one.finding for one in measured} == {FAILS}
    assert len({one.data for one in measured}) == len(contents)
