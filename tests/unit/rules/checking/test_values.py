"""Values: read from what was printed, compared with a claim, shown."""

import pytest

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.values import contradicts, read_value, same, shown_value


@pytest.mark.parametrize(
    ("printed", "expected"),
    [
        ("3\n", 3),
        (" -2 ", -2),
        ("2.50", 2.5),
        ("1e3", 1000.0),
        ("true\n", True),
        ("FALSE", False),
        ('["a", 1]', ["a", 1]),
        ('{"a": null}', {"a": None}),
        ('"quoted"', "quoted"),
        ("up and running\n", "up and running"),
        ("", ""),
        ("nan", "nan"),
        ("1_000", "1_000"),
        ("[1, 2", "[1, 2"),
        ("[NaN]", "[NaN]"),
        ("[" * 5000, "[" * 5000),
        ("٣", "٣"),
    ],
)
def test_what_a_command_printed_is_a_number_a_boolean_json_or_text(
    printed: str, expected: Value
) -> None:
    found = read_value(printed)
    assert (found, type(found)) == (expected, type(expected))


def test_an_output_too_long_for_a_value_is_not_cut_but_not_measured() -> None:
    assert isinstance(read_value("x" * 70_000), Problem)


@pytest.mark.parametrize(
    ("claimed", "measured", "expected"),
    [
        (5, 3, True),
        (3, 3, False),
        ("3", 3, False),
        ("5", 3, True),
        (3, 3.4, False),  # rounded
        (3, 3.6, True),
        (0.33, 1 / 3, False),
        (0.3, 0.25, True),  # no nearer than 0.2
        (0.2, 0.25, True),
        (0.3, 0.26, False),
        (0.3, 0.1 + 0.2, False),
        (0.1 + 0.2, 0.3, False),
        (1e20, 10**20, False),
        (1.5e-7, 0.0, True),
        (float("inf"), 3, True),
        (0.35, 1 / 3, True),
        ("about three", 3, False),  # undecided
        (True, False, True),
        ("true", True, False),
        (1, True, False),
        ("up", "down", True),
        ("up and running", "up", False),
        (["a"], ["a", "b"], True),
        (["a", "b"], ["b", "a"], False),  # as many as were found: perhaps another way to say it
        (["Ada <ada@x.org>"], ["ada@x.org"], False),
        ([1, 2], [3, 4], True),
        ([1, 3], [1, 2], True),
        ([1.0, "2"], [2, 1], False),
        (["anna"], ["dora"], True),
        (["ben", "Anna B."], ["anna", "ben"], False),
        ([str(number) for number in range(200)], list(range(200)), False),
        ([[1, 2]], [[1, 3]], False),  # undecided
        ({"a": 1, "b": 2}, {"a": 1, "c": 3}, False),
        ({"a": 1}, {"a": 2}, True),
        (3, [1, 2, 3], False),
        (None, 3, False),
    ],
)
def test_a_claim_contradicts_only_what_it_cannot_agree_with(
    claimed: Value, measured: Value, expected: bool
) -> None:
    assert contradicts(claimed, measured) is expected


def test_a_long_value_is_shown_short_and_on_one_line() -> None:
    assert shown_value("a\nb" + "x" * 100).startswith('"a\\nb')
    assert len(shown_value(list(range(1000)))) == 60
    assert shown_value(3.0) == "3"
    assert (shown_value(1e308), shown_value(-1e18)) == ("1e+308", "-1e+18")
    assert [shown_value(float(odd)) for odd in ("nan", "inf")] == ["NaN", "Infinity"]
    assert same("3", 3.0)
    assert not same("up", 3)
