"""The expression language: what it says, what it refuses, and how a receipt shows
it."""

import pytest

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.evaluating import MOST_STEPS, evaluate, is_true
from core.rules.checking.expressions import Expression, read_expression, with_values

VALUES: dict[str, Value] = {
    "mails": 3,
    "errors": 0,
    "load": 0.5,
    "state": "up",
    "ok": True,
    "names": ["ada", "bob"],
    "table": {"a": 1},
    "nothing": None,
}


def read(text: str) -> Expression:
    found = read_expression(text, VALUES)
    assert isinstance(found, Expression), found
    return found


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("mails > 0 and errors == 0", True),
        ("mails > 3 or errors > 0", False),
        ("1 < mails <= 3", True),
        ("3 > mails > 1", False),
        ("not ok", False),
        ("not (mails == 3)", False),
        ("mails in [1, 2, 3]", True),
        ("'ada' in names", True),
        ("'eve' not in names", True),
        ("'a' in table", True),
        ("'u' in state", True),
        ("mails + 1 == 4", True),
        ("mails - 1 == 2", True),
        ("mails * 2 == 6", True),
        ("mails / 2 == 1.5", True),
        ("mails % 2 == 1", True),
        ("-mails < +errors", True),
        ("'a' + 'b' == 'ab'", True),
        ("len(names) == 2", True),
        ("len(state) == 2", True),
        ("min(mails, errors) == 0", True),
        ("max([1, mails]) == 3", True),
        ("contains(names, 'bob')", True),
        ("contains(state, 'down')", False),
        ("matches(state, 'u?')", True),
        ('matches("report-2026.md", "report-*.md")', True),
        ("state == 'up'", True),
        ('state != "down"', True),
        ("'b' > 'a'", True),
        ("ok", True),
        ("ok == true", True),
        ("ok == False", False),
        ("nothing == null", True),
        ("mails", True),
        ("errors", False),
        ("mails == '3'", True),
        ("mails == 3.0", True),
        ("load < 1", True),
        ("errors == 0 or state > 3", True),  # the second part is not looked at
    ],
)
def test_an_expression_holds_or_does_not(text: str, expected: bool) -> None:
    assert is_true(read(text), VALUES) is expected


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ("mails = 0", "=="),
        ("mails && errors", "and"),
        ("mails || errors", "or"),
        ("!ok", "not"),
        ("mails <> 3", "!="),
        ("mails => 3", ">="),
        ("mails === 3", "=="),
        ("mails > 0 AND ok", "and"),
        ("mials > 0", "Did you mean `mails`"),
        ("weather > 0", "## Probes"),
        ("state == running", '"running"'),
        ("mails >", "Write"),
        ("(mails", "Write"),
        ("", "characters"),
        ("mails > 0\nimport os", "one line"),
        ("x" * 600, "500"),
    ],
)
def test_a_slip_is_a_problem_that_says_what_to_write(text: str, fix: str) -> None:
    found = read_expression(text, VALUES)
    assert isinstance(found, Problem)
    assert fix in found.hint


@pytest.mark.parametrize(
    "text",
    [
        "mails.real",
        "names[0]",
        "2 ** 9",
        "__import__('os')",
        "open('x')",
        "len.__class__",
        "(lambda: 1)()",
        "[n for n in names]",
        "{1, 2}",
        "{'a': 1}",
        "f'{mails}'",
        "b'x' == 1",
        "1j",
        "...",
        "mails if ok else errors",
        "mails << 9",
        "mails // 2",
        "~mails",
        "len(x=1)",
        "len(*names)",
        "mails is 3",
        "9" * 30,
        "1e400",
        "[" * 60 + "1" + "]" * 60,
        "not " * 40 + "ok",
        "- " * 60 + "1",
    ],
)
def test_anything_else_in_an_expression_is_refused(text: str) -> None:
    assert isinstance(read_expression(text, VALUES), Problem)


@pytest.mark.parametrize(
    "text",
    [
        "state > 3",
        "names < 3",
        "mails / errors",
        "mails % 0",
        "state * 3",
        "'%1000000d' % mails",
        "state",
        "names and ok",
        "nothing + 1",
        "len(mails)",
        "min(state)",
        "min([])",
        "contains(mails, 1)",
        "matches(names, '*')",
        "len",
        "999999999999999999 * 999999999999999999",
    ],
)
def test_values_that_do_not_fit_cannot_be_measured_and_are_not_false(text: str) -> None:
    assert isinstance(is_true(read(text), VALUES), Problem)


def test_a_name_that_was_not_measured_is_not_a_value() -> None:
    assert isinstance(evaluate(read("mails > 0"), {}), Problem)


def test_a_receipt_shows_the_measured_values_in_place() -> None:
    assert with_values(read("mails > 0 and state == 'up'"), VALUES) == "3 > 0 and \"up\" == 'up'"
    assert with_values(read("len(names) > mails"), VALUES) == 'len(["ada", "bob"]) > 3'
    assert (
        with_values(read("'mails' == state and mails == 3"), VALUES)
        == "'mails' == \"up\" and 3 == 3"
    )


def test_matches_looks_through_a_bounded_number_of_characters() -> None:
    values: dict[str, Value] = {"state": "x" * (MOST_STEPS // 4), "mails": 3}
    within = " and ".join(["matches(state, '*')"] * 4)
    assert is_true(read(within), values) is True
    beyond = is_true(read(f"{within} and matches(mails, '*')"), values)
    assert isinstance(beyond, Problem)
    assert beyond.message == "There is too much text to search."
    assert is_true(read(within), values) is True  # every evaluation starts with all of it


@pytest.mark.parametrize(
    ("text", "fix"),
    [
        ('txt contains "a b"', '`contains(txt, "a b")`'),
        ("n > 0 and txt matches '*x' and n < 5", "`matches(txt, '*x')`"),
        ("txt contains abc", "`contains(txt, abc)`"),
    ],
)
def test_a_function_written_between_its_values_is_shown_as_a_call(text: str, fix: str) -> None:
    found = read_expression(text, {"txt", "n"})
    assert isinstance(found, Problem)
    assert fix in found.hint


def test_the_word_contains_in_a_text_is_only_a_word() -> None:
    assert isinstance(read_expression('txt == "it contains much"', {"txt"}), Expression)
