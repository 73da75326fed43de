"""The expression language of SPEC 6.2: what it says, what it refuses, and how a receipt shows it."""

import pytest

from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.evaluating import evaluate, is_true
from core.rules.checking.expressions import Expression, read_expression, with_values
from core.rules.checking.globs import matches
from core.rules.checking.values import contradicts, read_value, same, shown_value

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
    ("text", "mend"),
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
def test_a_slip_is_a_problem_that_says_what_to_write(text: str, mend: str) -> None:
    found = read_expression(text, VALUES)
    assert isinstance(found, Problem)
    assert mend in found.hint


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
def test_nothing_else_can_stand_in_it(text: str) -> None:
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


def test_a_name_that_was_not_measured_is_no_value() -> None:
    assert isinstance(evaluate(read("mails > 0"), {}), Problem)


def test_a_receipt_shows_the_measured_values_in_place() -> None:
    assert with_values(read("mails > 0 and state == 'up'"), VALUES) == "3 > 0 and \"up\" == 'up'"
    assert with_values(read("len(names) > mails"), VALUES) == 'len(["ada", "bob"]) > 3'
    assert with_values(read("'mails' == state and mails == 3"), VALUES) == "'mails' == \"up\" and 3 == 3"


@pytest.mark.parametrize(
    ("text", "pattern", "expected"),
    [
        ("", "", True),
        ("", "*", True),
        ("a", "", False),
        ("abc", "abc", True),
        ("abc", "a?c", True),
        ("abc", "a*", True),
        ("abc", "*c", True),
        ("abc", "*b*", True),
        ("abc", "a*d", False),
        ("abc", "ab", False),
        ("a*c", "a*c", True),
        ("aaab", "*a*b", True),
        ("grün", "gr?n", True),
        ("[a]", "[a]", True),
    ],
)
def test_a_pattern_has_stars_and_question_marks(text: str, pattern: str, expected: bool) -> None:
    assert matches(text, pattern) is expected


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
def test_what_a_command_printed_is_a_number_a_boolean_json_or_text(printed: str, expected: Value) -> None:
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
        (0.33, 1 / 3, False),
        (0.35, 1 / 3, True),
        ("about three", 3, False),  # nobody can tell
        (True, False, True),
        ("true", True, False),
        (1, True, False),
        ("up", "down", True),
        ("up and running", "up", False),
        (["a"], ["a", "b"], True),
        (3, [1, 2, 3], False),
        (None, 3, False),
    ],
)
def test_a_claim_contradicts_only_what_it_cannot_agree_with(claimed: Value, measured: Value, expected: bool) -> None:
    assert contradicts(claimed, measured) is expected


def test_a_long_value_is_shown_short_and_on_one_line() -> None:
    assert shown_value("a\nb" + "x" * 100).startswith('"a\\nb')
    assert len(shown_value(list(range(1000)))) == 60
    assert shown_value(3.0) == "3"
    assert same("3", 3.0)
    assert not same("up", 3)


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ('txt contains "a b"', '`contains(txt, "a b")`'),
        ("n > 0 and txt matches '*x' and n < 5", "`matches(txt, '*x')`"),
        ("txt contains abc", "`contains(txt, abc)`"),
    ],
)
def test_a_function_that_stands_between_its_values_is_shown_in_its_form(text: str, mend: str) -> None:
    found = read_expression(text, {"txt", "n"})
    assert isinstance(found, Problem)
    assert mend in found.hint


def test_the_word_contains_in_a_text_is_only_a_word() -> None:
    assert isinstance(read_expression('txt == "it contains much"', {"txt"}), Expression)
