"""Which statuses a server can answer with."""

import pytest

from core.rules.web import is_status


@pytest.mark.parametrize("text", ["100", "200", "404", "599"])
def test_three_digits_from_100_to_599_are_a_status(text: str) -> None:
    assert is_status(text)


@pytest.mark.parametrize(
    "text", ["", "99", "099", "000", "600", "2000", "20x", "²⁰⁰", "٢٠٠", " 200"]
)
def test_anything_else_is_not(text: str) -> None:
    assert not is_status(text)
