"""An expression over probes: when a hint without a prefix is one, and what is measured."""

import pytest

from core.checks.expression import EXPRESSION, WORDS, ExpressionCheck
from core.checks.label import Label
from core.model.check import Finding, Measurement, Value
from core.model.diagnostic import Problem
from core.rules.checking.expressions import CONSTANTS, FUNCTIONS
from tests.unit.checks.written_check import (
    FakeMeasuring,
    executables,
    measure,
    problem,
    read,
    reported,
    words,
)

PASSES, FAILS, UNMEASURED = Finding.PASSES, Finding.FAILS, Finding.UNMEASURED
PROBES = ("mails", "errors")


def found(hint: str, **probes: Value | Problem) -> Measurement:
    return measure(FakeMeasuring(probes=probes), hint)


# -- when a hint is one ----------------------------------------------------------------------------


def test_the_words_of_the_language_are_not_taken_for_probes() -> None:
    """They are written again in core/checks, so that reading a file does not load the language."""
    assert {"and", "or", "not", "in", *CONSTANTS, *FUNCTIONS} == WORDS


@pytest.mark.parametrize(
    ("hint", "probes"),
    [
        ("mails", ("mails",)),
        ("mails > 0", ("mails",)),
        ("mails > 0 and errors == 0", ("mails", "errors")),
        ("errors + mails < 9", ("errors", "mails")),
        ("not errors", ("errors",)),
        ("not errors or mails", ("errors", "mails")),
        ("mails in [1, 2]", ("mails",)),
        ("mails in [TRUE, None]", ("mails",)),
        ("len(mails)", ("mails",)),
        ('contains(mails, "is > all")', ("mails",)),
        ("matches(mails, '*done*')", ("mails",)),
        ("min(mails, errors) % 2 == 0", ("mails", "errors")),
        ("mails == TRUE", ("mails",)),
    ],
)
def test_a_hint_that_compares_or_names_only_probes_is_an_expression(
    hint: str, probes: tuple[str, ...]
) -> None:
    check = read(hint, PROBES)
    assert isinstance(check, ExpressionCheck)
    assert check.text == hint
    assert {*check.probes} == {*probes}
    assert check.measured_probes() == check.probes
    assert reported(hint, PROBES) == []


@pytest.mark.parametrize(
    "hint",
    [
        "weather_sent",
        "the weather was sent",
        "mails were read",
        "read the mails and the errors",
        'it says "a > b"',
        "not",
        "true",
        "true and false",
        "3",
    ],
)
def test_other_words_are_a_label_even_if_some_of_them_are_probes(hint: str) -> None:
    assert read(hint, PROBES) == Label(hint)


def test_a_name_without_a_probe_is_a_label() -> None:
    assert read("mails", ()) == Label("mails")


# -- what cannot be read ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "message", "instead"),
    [
        ("mails = 0", "A single `=` compares nothing.", "Write `==` to compare."),
        ("weather && sent", "`&&` means nothing in a check.", "Write `and` instead of `&&`."),
        ("weather || sent", "`||` means nothing in a check.", "Write `or` instead of `||`."),
        ("mials > 0", "`mials` is not a probe.", "Did you mean `mails`?"),
        ("weather == 0", "`weather` is not a probe.", "- weather: command` under `## Probes`"),
        ("mails >", "`mails >` is not an expression.", "email_count > 0 and errors == 0"),
        ("mails.count > 0", "A part of something (`a.b`) cannot be used in a check.", ""),
        ("open(mails) > 0", "Only len, min, max, contains and matches can be called.", ""),
    ],
)
def test_a_slip_is_reported_with_what_to_write_and_is_not_a_label(
    hint: str, message: str, instead: str
) -> None:
    found_message, fix = problem(hint, PROBES)
    assert found_message == message
    assert instead in fix
    assert reported(hint, PROBES) == [("HB212", f"The check cannot be read: {message}")]


# -- what a person is told -------------------------------------------------------------------------


def test_a_person_reads_it_as_it_is_written() -> None:
    assert words("mails > 0", PROBES) == "checked by mails > 0"
    assert not EXPRESSION.needs_judge


def test_it_executes_nothing_itself_its_probes_are_approved_on_their_own() -> None:
    assert EXPRESSION.execution is None
    assert executables("mails > 0") == ()


# -- how it is measured ----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "value", "finding", "said"),
    [
        ("mails > 0", 3, PASSES, "3 > 0"),
        ("mails > 0", 0, FAILS, "0 > 0"),
        ("mails", True, PASSES, "true"),
        ("mails", False, FAILS, "false"),
        ("mails", 2, PASSES, "2"),
        ("mails", 0, FAILS, "0"),
        ("not mails", 0, PASSES, "not 0"),
        ('mails == "all read"', "all read", PASSES, '"all read" == "all read"'),
        ("len(mails) == 2", [1, 2], PASSES, "len([1, 2]) == 2"),
        ('contains(mails, "x")', "abc", FAILS, 'contains("abc", "x")'),
        ("mails == null", None, PASSES, "null == null"),
    ],
)
def test_the_words_are_the_expression_with_what_was_measured(
    hint: str, value: Value, finding: Finding, said: str
) -> None:
    assert found(hint, mails=value) == Measurement(finding, said, {"mails": value})


def test_every_probe_is_measured_and_each_value_is_kept_under_its_name() -> None:
    measured = found("mails > 0 and errors == 0", mails=3, errors=1)
    assert measured == Measurement(FAILS, "3 > 0 and 1 == 0", {"mails": 3, "errors": 1})


def test_a_probe_that_measures_nothing_is_named_and_ends_the_measurement() -> None:
    trouble = Problem("it took longer than 10 s", "")
    measuring = FakeMeasuring(probes={"mails": 3, "errors": trouble, "later": 0})
    measured = measure(measuring, "mails > 5 and errors == 0 and later == 0")

    assert measured == Measurement(UNMEASURED, "errors: it took longer than 10 s", {"mails": 3})
    assert measuring.probed == ["mails", "errors"]


@pytest.mark.parametrize(
    ("hint", "value", "said"),
    [
        ("mails > 0", "none", '"none" > 0: It is the text `none`, not a number.'),
        ("mails", "yes", '"yes": It is the text `yes`, which is neither true nor false.'),
        ("9 / mails > 1", 0, "9 / 0 > 1: It divides by 0."),
    ],
)
def test_values_that_do_not_fit_the_expression_measure_nothing(
    hint: str, value: Value, said: str
) -> None:
    assert found(hint, mails=value) == Measurement(UNMEASURED, said, {"mails": value})
