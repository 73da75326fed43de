"""How an ending reads, and what is kept of what a command prints."""

from datetime import timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from core.adapters.captured_output import HALF, CapturedOutput
from core.model.process import OUTPUT_LIMIT, Ending, How


def ending(output: str) -> Ending:
    return Ending(How.EXITED, 0, output, False, timedelta())


@pytest.mark.parametrize(
    ("output", "last"),
    [
        ("", ""),
        ("\n\n", ""),
        ("only", "only"),
        ("one\ntwo\n", "two"),
        ("one\r\ntwo\r\n", "two"),
        ("one\n  two  \n\n \n", "two"),
        ("10 %\r50 %\r100 %\r", "100 %"),
        ("one\x0btwo", "one\x0btwo"),
    ],
)
def test_the_last_line_is_the_last_that_is_not_blank(output: str, last: str) -> None:
    assert ending(output).last_line == last


@given(st.lists(st.binary(max_size=50), max_size=20))
def test_what_fits_is_kept_as_it_is(pieces: list[bytes]) -> None:
    output = CapturedOutput()
    for piece in pieces:
        output.add(piece)
    assert output.text() == (b"".join(pieces).decode(errors="replace"), False)


@given(st.lists(st.integers(0, 300_000), min_size=1, max_size=12))
def test_of_more_the_first_and_the_last_half_are_kept_however_it_arrives(sizes: list[int]) -> None:
    printed = b"".join(b"%07d\n" % number for number in range(sum(sizes) // 8 + 1))[: sum(sizes)]
    output, position = CapturedOutput(), 0
    for size in sizes:
        output.add(printed[position : position + size])
        position += size
    text, truncated = output.text()
    assert truncated == (len(printed) > 2 * HALF)
    if truncated:
        notice = f"\n[… {len(printed) - 2 * HALF} bytes left out …]\n"
        assert text == printed[:HALF].decode() + notice + printed[-HALF:].decode()
    assert len(text.encode()) <= OUTPUT_LIMIT
