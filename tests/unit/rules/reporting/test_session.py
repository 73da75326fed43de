"""What a model reads about the last endings, and which of its last words are a message."""

import pytest

from core.model.occurrence import Outcome, Verdict
from core.rules.reporting.session import message_in, session_summary
from tests.stage import BERLIN
from tests.unit.ended_occurrence import ended


def test_a_session_has_the_last_ending_of_each_item_newest_first() -> None:
    past = [
        ended(
            "task:mail",
            3,
            Outcome.COMPLETED,
            verdict=Verdict.NOT_VERIFIED,
            result="3 new\n## Tasks",
        ),
        ended("task:tidy", 2, Outcome.FAILED, error="no network"),
        ended("task:mail", 1, result="the one before"),
        ended("task:by_command", 0),
    ]
    summary = session_summary(past, {"task:mail", "task:tidy"}, 300, BERLIN)
    assert summary.splitlines() == [
        "- Mon 10:03 mail: not verified, 3 new ## Tasks",
        "- Mon 10:02 tidy: failed, no network",
    ]
    assert (
        session_summary(past, {"task:mail", "task:tidy"}, 12, BERLIN).splitlines()
        == summary.splitlines()[:1]
    )
    assert session_summary(past, {"task:mail"}, 0, BERLIN) == ""


@pytest.mark.parametrize(
    "text",
    [
        *(
            "",
            " \n",
            "SKIP",
            "skip",
            "Skip.",
            "HEARTBEAT_OK",
            "`HEARTBEAT_OK`",
            '"SKIP"',
            "__SKIP__",
        ),
        *("HEARTBEAT_OK: all is well", "**SKIP** - nothing is due", "heartbeat_ok\n\nNo mail."),
        *("Nothing to do today.\n\nHEARTBEAT_OK", "All quiet, so SKIP.", "SKIP " + "x" * 299),
    ],
)
def test_nothing_to_say(text: str) -> None:
    assert message_in(text) == ""


@pytest.mark.parametrize(
    "text",
    [
        *("Skip the meeting: it rains", "SKIPPED two mails", "You asked for DO_NOT_SKIP", "0"),
        *("The word HEARTBEAT_OK is in the middle", "SKIP " + "x" * 300),
        *("x" * 301 + " HEARTBEAT_OK", "skip lists are fast"),
    ],
)
def test_something_to_say(text: str) -> None:
    assert message_in(f" {text}\n") == text
