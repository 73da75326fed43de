"""Values: read from what was printed, and shown."""

import pytest

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.values import read_value, same, shown_value


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


def test_a_long_value_is_shown_short_and_on_one_line() -> None:
    assert shown_value("a\nb" + "x" * 100).startswith('"a\\nb')
    assert len(shown_value(list(range(1000)))) == 60
    assert shown_value(3.0) == "3"
    assert (shown_value(1e308), shown_value(-1e18)) == ("1e+308", "-1e+18")
    assert [shown_value(float(odd)) for odd in ("nan", "inf")] == ["NaN", "Infinity"]
    assert same("3", 3.0)
    assert not same("up", 3)
