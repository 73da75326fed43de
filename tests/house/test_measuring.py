"""The two commands that measure: what they count, and what they do when a goal is missed."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench import __main__ as bench
from tests.bench.figure import Figure, in_words, read_figures
from tests.measure_house import as_text, measure, put_into

CYCLE = """\
import core.b


def late() -> None:
    import core.b

    print(core.b)
"""
MIXED = '''\
"""One of each."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import core.a


def decide(value: int) -> int:
    """With a ternary, a tuple assignment, a broad except and an open case."""
    a, b = 1, 2

    try:
        a = b if value else a
    except Exception:
        raise

    match value:
        case 1:
            return 1
        case _:
            return sum(one for one in (a, b))
'''


@pytest.fixture
def house(tmp_path: Path) -> Path:
    (tmp_path / "core").mkdir()
    (tmp_path / "tray_app").mkdir()
    (tmp_path / "core" / "__init__.py").write_text('"""Empty but for this."""\n')
    (tmp_path / "core" / "a.py").write_text(CYCLE)
    (tmp_path / "core" / "b.py").write_text(MIXED)

    return tmp_path


def test_a_small_source_is_counted_right(house: Path) -> None:
    rows = measure(house)

    assert rows["files"] == "3"
    assert rows["files without empty `__init__.py`"] == "2"
    assert rows["functions"] == "2"
    assert rows["imports inside functions"] == "1"
    assert rows["import cycles, top level"] == "0"
    assert rows["import cycles, with TYPE_CHECKING"] == "1 (2 modules)"
    assert rows["`case _` without `assert_never`"] == "1"
    assert rows["broad excepts per 1,000 lines"].endswith("(1)")
    assert rows["`a, b = x, y` per 100 statements"] != "0.00"
    assert "files" in as_text([("measured", rows)])


def test_complexity_is_counted_as_ruff_counts_it(house: Path) -> None:
    branches = "\n".join(f"    if x == {number}:\n        return" for number in range(8))
    (house / "core" / "many.py").write_text(f"def many(x: int) -> None:\n{branches}\n")
    settings = ["--isolated", "--select", "C901", "--config", "lint.mccabe.max-complexity=8"]
    ruff = Path(sys.executable).parent / "ruff"

    found = subprocess.run(
        [ruff, "check", *settings, "--output-format", "json", house], capture_output=True, text=True
    )

    assert measure(house)["functions with a complexity over 8"] == str(
        len(json.loads(found.stdout))
    )


def test_a_table_replaces_what_is_between_the_marks_of_a_page(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    page.write_text("before\n<!-- measured -->\nold\n<!-- end of measured -->\nafter\n")

    put_into(page, "new")

    assert page.read_text() == (
        "before\n<!-- measured -->\n\nnew\n\n<!-- end of measured -->\nafter\n"
    )


@pytest.mark.parametrize(
    ("value", "unit", "words"),
    [
        (0, "", "0"),
        (1600, "", "1,600"),
        (0.19, "", "0.19"),
        (56.3, "s", "56.3 s"),
        (2.0, "s", "2 s"),
    ],
)
def test_figures_have_the_digits_that_mean_something(value: float, unit: str, words: str) -> None:
    assert in_words(value, unit) == words


def test_a_missed_goal_fails_and_is_named(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    slow = [Figure("reading", 0.3, 0.2), Figure("only shown", 9.0)]
    monkeypatch.setattr(bench, "run", lambda _name, _folder: (slow, True))

    assert bench.main(["--only", "reading"]) == 1
    assert "MISSED: reading: 0.30, at most 0.20" in capsys.readouterr().out


def test_a_benchmark_that_breaks_off_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], tmp_path: Path
) -> None:
    monkeypatch.setattr(bench, "run", lambda name, _folder: (read_figures(tmp_path / name), False))

    assert bench.main(["--only", "reading"]) == 1
    assert "FAILED: reading" in capsys.readouterr().out
