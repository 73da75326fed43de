"""How an ending reads."""

from datetime import timedelta

import pytest

from core.model.process import Ending, How


def ending(output: str) -> Ending:
    return Ending(How.EXITED, 0, output, timedelta())


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
