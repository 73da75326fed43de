"""Columns that line up whatever is in them, in terminals of every width."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tray_app.cli.tables import columns_of, filled, folded, shortened, table

ROWS = [
    (("verified +10", "mail"), "3 new mails"),
    (("needs approval", "日本語の報告"), "you have not approved its command " * 4),
    (("failed", "a" * 28), "exit code 1"),
]


@pytest.mark.parametrize(
    ("text", "columns"),
    [("mail", 4), ("日本", 4), ("e\u0301", 1), ("\x1b[31mred\x1b[0m", 3), ("", 0), ("✓ …", 3)],
)
def test_how_many_columns_a_text_takes(text: str, columns: int) -> None:
    assert columns_of(text) == columns


def test_where_there_is_room_the_words_of_all_rows_begin_in_one_column() -> None:
    lines = table(ROWS, 120)
    starts = [
        columns_of(line[: line.index(words)])
        for line, words in zip(
            (lines[0], lines[1], lines[-1]),
            ("3 new mails", "you have not", "exit code 1"),
            strict=True,
        )
    ]
    assert len(set(starts)) == 1


@pytest.mark.parametrize("columns", [60, 80, 120])
def test_no_line_is_wider_than_the_terminal_and_no_short_cell_is_cut(columns: int) -> None:
    lines = table(ROWS, columns)
    assert max(map(columns_of, lines)) <= columns
    shown = "\n".join(lines)
    for cells, _ in ROWS:
        assert all(cell in shown for cell in cells)


def test_in_a_narrow_terminal_the_words_stand_below() -> None:
    assert table(ROWS[:1], 30) == ["verified +10  mail", "    3 new mails"]


def test_words_that_are_too_long_end_with_an_ellipsis() -> None:
    assert folded("one two three four", 8, most=2) == ["one two", "three f…"]
    assert shortened("日本語", 5) == "日本…"
    assert shortened("a\nb", 5) == "a·b"
    assert filled("日", 4) == "日  "


@given(st.text(max_size=80), st.integers(4, 60))
def test_whatever_the_text_no_line_is_too_wide_and_nothing_moves_the_cursor(
    text: str, columns: int
) -> None:
    for line in (shortened(text, columns), *folded(text, columns, most=5)):
        assert columns_of(line) <= columns
        assert line.isprintable()
