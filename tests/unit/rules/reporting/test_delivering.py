"""Which plain files expect their answer to be delivered."""

import pytest

from core.rules.reporting.delivering import expects_answer
from tests.growth import LINEAR, growth


@pytest.mark.parametrize(
    "text",
    [
        "If nothing needs attention, reply HEARTBEAT_OK.",
        "Answer `SKIP` if there is nothing.",
        "Alert me if the disk is full.",
        "- Check the weather and notify me about rain",
        "- [ ] tell me when a parcel comes\nLook at the mail.",
        "Watch the build and let me know.",
        "Do not notify me unless the backup failed.",
        "Never alert me, except about the server.",
        "Don’t write a report. Send me a line if it rains.",
    ],
)
def test_a_file_that_expects_an_answer(text: str) -> None:
    assert expects_answer(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "Look at the sky.",
        "- Send a daily weather summary to Telegram",
        "Skip weekends. Sort the downloads.",
        "Sort the mail. Do not notify me.",
        "Never tell anybody.",
        "<!-- alert me -->\nSort the mail.",
        "Read the alerting rules of the intelligent skipper.",
    ],
)
def test_a_file_whose_answer_is_for_the_history(text: str) -> None:
    assert not expects_answer(text)


@pytest.mark.parametrize("words", ["do not notify ", "never let me know ", "don't tell it "])
def test_a_long_line_takes_time_in_proportion(words: str) -> None:
    def read(length: int) -> None:
        assert not expects_answer(words * length)

    assert growth(read, 8000) < LINEAR
