"""The expression parser against nonsense: nothing escapes, nothing takes long, nothing outside
is reached."""

import random
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from fnmatch import fnmatchcase

from hypothesis import given
from hypothesis import strategies as st

from core.model import light_dataclass
from core.model.check import Value
from core.model.diagnostic import Problem
from core.rules.checking.evaluating import evaluate
from core.rules.checking.expressions import Expression, read_expression, with_values
from core.rules.checking.globs import matches

INPUTS = 10_000
SLOWEST = 0.05  # seconds
VALUES: dict[str, Value] = {
    "mails": 3,
    "errors": 0,
    "state": "up " * 5_000,
    "names": ["ada", ["bob", {"x": None}]],
    "a.status": "COMPLETED",
    "b-c.result": 0.1,
}
PIECES = [
    *VALUES,
    *[
        "len(",
        "min(",
        "max(",
        "contains(",
        "matches(",
        ")",
        "(",
        "[",
        "]",
        "{",
        "}",
        ",",
        ":",
        ".",
        ";",
        "@",
        "`",
        "\\",
    ],
    *[
        " and ",
        " or ",
        " not ",
        " in ",
        " is ",
        " if ",
        " else ",
        " for ",
        "lambda x: ",
        "await ",
        "yield ",
        "import ",
    ],
    *[
        "==",
        "!=",
        "<",
        "<=",
        ">",
        ">=",
        "=",
        ":=",
        "+",
        "-",
        "*",
        "/",
        "//",
        "%",
        "**",
        "<<",
        "|",
        "&",
        "^",
        "~",
        "!",
    ],
    *[
        "0",
        "1",
        "1.5",
        "1e9",
        "1e999",
        "0x1f",
        "1_0",
        "1j",
        "9" * 40,
        "'a'",
        '"*?*?*a"',
        "'",
        '"',
        "f'{mails}'",
        "b'a'",
    ],
    *[
        "__class__",
        "__import__",
        "os",
        "eval",
        "exec",
        "open",
        "getattr",
        "True",
        "none",
        "é",
        "\u202e",
        "\n",
        "\0",
        "\ud800",
        "  ",
    ],
]


def nonsense(source: random.Random) -> str:
    if source.random() < 0.1:
        return "".join(chr(source.randrange(32, 0x2FFF)) for _ in range(source.randrange(60)))
    if source.random() < 0.1:
        return source.choice(PIECES) * source.randrange(200)
    return "".join(source.choice(PIECES) for _ in range(source.randrange(1, 40)))


def sentence(source: random.Random, depth: int = 0) -> str:
    """An expression that mostly can be read, so that evaluating is tried too."""
    if depth > 5 or source.random() < 0.3:
        return source.choice(
            [*VALUES, "0", "2.5", "'u*'", "'*u?*p*'", "[1, 'a']", "true", "999999999999999999"]
        )
    one, other = sentence(source, depth + 1), sentence(source, depth + 1)
    forms = [
        "({} + {})",
        "({} * {})",
        "({} % {})",
        "({} / {})",
        "{} < {}",
        "{} == {}",
        "{} in {}",
        "({} and {})",
    ]
    forms += [
        "not ({} or {})",
        "min({}, {})",
        "contains({}, {})",
        "matches({}, {})",
        "len([{}, {}])",
    ]
    return source.choice(forms).format(one, other)


REACHED: list[str] = []  # what the interpreter did meanwhile that a pure function never does


@contextmanager
def watched() -> Iterator[None]:
    """The interpreter tells of every file, process, connection and piece of code that is
    touched."""
    read_expression("mials > 0", VALUES)  # its suggestions import difflib, once
    # A class with many objects gets an `__init__` that is compiled; not now.
    before = light_dataclass.MADE_ONE_BY_ONE  # type: ignore[attr-defined]  # only at run time
    light_dataclass.MADE_ONE_BY_ONE = sys.maxsize  # type: ignore[attr-defined]
    is_watching = True
    this_thread = threading.get_ident()  # what other tests left may still do something

    def note(event: str, _: object) -> None:
        is_ours = is_watching and threading.get_ident() == this_thread
        if is_ours and event.partition(".")[0] in (
            "open",
            "exec",
            "import",
            "os",
            "subprocess",
            "socket",
            "shutil",
        ):
            REACHED.append(event)

    sys.addaudithook(note)  # there is no way to take it off again
    yield
    is_watching = False
    light_dataclass.MADE_ONE_BY_ONE = before  # type: ignore[attr-defined]
    assert not REACHED


def test_ten_thousand_inputs_end_quickly_in_a_value_or_a_problem() -> None:
    source = random.Random(20261116)
    texts = [nonsense(source) if number % 2 else sentence(source) for number in range(INPUTS)]

    # The constructor of a value is compiled with its first object, which is an `exec` too.
    for text in ("1 > 0", "1 >", "1 / 0 > 1"):
        seconds_for(text)

    with watched():
        seconds = [seconds_for(text) for text in texts]

    # A collection of all the garbage of this process may fall into one; what is really slow is slow
    # every time.
    slow = [text for text, took in zip(texts, seconds, strict=True) if took >= SLOWEST]
    assert [text for text in slow if min(seconds_for(text) for _ in range(3)) >= SLOWEST] == []

    readable = sum(isinstance(read_expression(text, VALUES), Expression) for text in texts)
    assert readable > INPUTS / 4  # evaluation is tried too


def seconds_for(text: str) -> float:
    begun = time.thread_time()
    found = read_expression(text, VALUES)
    if isinstance(found, Expression):
        result = evaluate(found, VALUES)
        assert isinstance(result, Problem) or is_value(result)
        with_values(found, VALUES)
    else:
        assert found.message
        assert found.hint
    return time.thread_time() - begun


def is_value(result: object) -> bool:
    if isinstance(result, list):
        return all(is_value(one) for one in result)
    return result is None or isinstance(result, bool | int | float | str | dict)


@given(st.text(alphabet="ab*?", max_size=12), st.text(alphabet="ab*?", max_size=8))
def test_patterns_mean_what_the_shell_means(text: str, pattern: str) -> None:
    assert matches(text, pattern) == fnmatchcase(text, pattern)


def test_a_pattern_made_to_be_slow_is_not() -> None:
    text, pattern = "a" * 60_000, "*a" * 200 + "b"
    begun = time.thread_time()
    assert not matches(text, pattern)
    assert time.thread_time() - begun < 1
