"""`http:URL`: how its hint is read, what an approval of it covers, and which answers pass."""

from datetime import timedelta

import pytest

from core.checks.http import HTTP, HttpCheck
from core.model.approval import ReviewState
from core.model.check import Finding, Measurement
from core.model.http import Answer, NoAnswer, Request
from tests.fakes.outside import FakeHttp
from tests.unit.checks.written_check import (
    FakeMeasuring,
    executables,
    measure,
    problem,
    read,
    reported,
    state_after_change,
    words,
)

PASSES, FAILS, UNMEASURED = Finding.PASSES, Finding.FAILS, Finding.UNMEASURED
URL = "https://example.org/"


def found(hint: str, answer: Answer | NoAnswer) -> Measurement:
    return measure(FakeMeasuring(http=FakeHttp(answer)), hint)


# -- how it is read --------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "check"),
    [
        ("http:https://example.org/", HttpCheck(URL)),
        ("http: https://example.org/", HttpCheck(URL)),
        ("HTTP:https://example.org/", HttpCheck(URL)),
        ("https://example.org/", HttpCheck(URL)),
        ("http://localhost:8080", HttpCheck("http://localhost:8080")),
        ("http:http://localhost:8080", HttpCheck("http://localhost:8080")),
        ("http:https://x/?a=b&c<d", HttpCheck("https://x/?a=b&c<d")),
        ('http:"https://x/a b" status=200', HttpCheck("https://x/a b", 200)),
        ("http:https://x/ status=204", HttpCheck("https://x/", 204)),
        ("https://x/ Status = 404", HttpCheck("https://x/", 404)),
        ("http:https://x/ contains fine", HttpCheck("https://x/", None, ("fine",))),
        ('https://x/ contains "all is fine"', HttpCheck("https://x/", None, ("all is fine",))),
        ("https://x/ contains 'say \"a\"'", HttpCheck("https://x/", None, ('say "a"',))),
        (
            'https://x/ contains "status=1" status=200 contains b',
            HttpCheck("https://x/", 200, ("status=1", "b")),
        ),
    ],
)
def test_the_address_may_be_its_own_prefix_and_what_is_asked_comes_in_any_order(
    hint: str, check: HttpCheck
) -> None:
    assert read(hint) == check
    assert reported(hint) == []


@pytest.mark.parametrize(
    "address", ["", "example.org", "ftp://example.org", "https://", "http://", "/index.html"]
)
def test_what_is_not_a_web_address_cannot_be_read(address: str) -> None:
    assert problem(f"http:{address}") == (
        f"`{address}` is not a web address.",
        "Write `http:https://example.org/ status=200`.",
    )


@pytest.mark.parametrize(
    ("terms", "named", "instead"),
    [
        ("status=fine", "status=fine", "status=N"),
        ("status=20", "status=20", "status=N"),
        ("status=2000", "status=2000", "status=N"),
        ("status=000", "status=000", "status=N"),
        ("status=600", "status=600", "status=N"),
        ("status=٢٠٠", "status=٢٠٠", "status=N"),
        ("status=", "status=", "status=N"),
        ("status>200", "status>200", "status=N"),
        ("contains", "contains", 'contains "text"'),
        ('contains ""', "contains", 'contains "text"'),
        ("status=200 size>3", "size>3", "status=N"),
    ],
)
def test_what_cannot_be_asked_is_named_with_what_can(terms: str, named: str, instead: str) -> None:
    message, hint = problem(f"http:{URL} {terms}")
    assert message == f"`{named}` cannot be used here."
    assert instead in hint


def test_a_hint_that_cannot_be_read_is_reported_with_a_code() -> None:
    assert reported("http:example.org") == [
        ("HB212", "The check cannot be read: `example.org` is not a web address.")
    ]


def test_a_person_reads_it_as_it_is_written() -> None:
    assert words(f"http:{URL} status=204") == f"checked by http:{URL} status=204"
    assert not HTTP.needs_judge


# -- what an approval covers -----------------------------------------------------------------------


@pytest.mark.parametrize("hint", [f"http:{URL}", URL, "http://127.0.0.1/ status=200"])
def test_asking_an_address_needs_an_approval_and_runs_no_command(hint: str) -> None:
    (one,) = executables(hint)
    assert (one.key, one.fields) == ("check:a", (("verify", hint),))
    assert (one.commands, one.candidates) == (("",), ())
    assert one.reach == ("asks that address",)


@pytest.mark.parametrize("after", ["https://example.com/", f"{URL} status=200"])
def test_it_waits_again_when_its_hint_has_changed(after: str) -> None:
    assert state_after_change(URL, URL) is ReviewState.APPROVED
    assert state_after_change(URL, after) is ReviewState.CHANGED


# -- how it is measured ----------------------------------------------------------------------------


def test_it_gets_the_address_and_waits_for_at_most_half_a_minute() -> None:
    measuring = FakeMeasuring()
    measure(measuring, f"http:{URL} status=200")
    assert measuring.http.sent == [Request("GET", URL, {}, "", timedelta(seconds=30))]


@pytest.mark.parametrize("status", [200, 204, 299])
def test_any_status_from_200_to_299_passes(status: int) -> None:
    assert found(URL, Answer(status, "")) == Measurement(
        PASSES, f"status {status}", {"status": status}
    )


@pytest.mark.parametrize("status", [199, 300, 301, 404, 500])
def test_any_other_status_fails(status: int) -> None:
    assert found(URL, Answer(status, "fine")) == Measurement(
        FAILS, f"status {status}", {"status": status}
    )


@pytest.mark.parametrize(
    ("asked", "answered", "finding"),
    [
        ("404", 404, PASSES),
        ("200", 200, PASSES),
        ("200", 204, FAILS),
        ("404", 200, FAILS),
    ],
)
def test_only_the_status_that_is_asked_for_passes(
    asked: str, answered: int, finding: Finding
) -> None:
    measured = found(f"{URL} status={asked}", Answer(answered, ""))
    assert (measured.finding, measured.words) == (finding, f"status {answered}")


def test_every_text_must_be_in_the_answer() -> None:
    hint = f'{URL} contains "all is" contains "well"'
    assert found(hint, Answer(200, "all is well")).finding is PASSES

    measured = found(hint, Answer(200, "All is well"))
    assert (measured.finding, measured.words) == (FAILS, "status 200, without “all is”")
    measured = found(hint, Answer(200, ""))
    assert measured.words == "status 200, without “all is”, without “well”"


def test_the_status_counts_even_where_the_text_is_there() -> None:
    measured = found(f"{URL} contains fine", Answer(500, "fine"))
    assert (measured.finding, measured.words) == (FAILS, "status 500")


def test_a_long_text_is_shown_short_and_looked_for_whole() -> None:
    measured = found(f"{URL} contains {'x' * 60}", Answer(200, "x" * 59))
    assert (measured.finding, measured.words) == (FAILS, f"status 200, without “{'x' * 39}…”")


def test_without_an_answer_nothing_is_measured() -> None:
    no_answer = NoAnswer("no answer within 30 s", ("timeout",))
    assert found(URL, no_answer) == Measurement(UNMEASURED, "no answer within 30 s")


def test_failures_with_other_statuses_or_texts_are_told_apart() -> None:
    hint = f"{URL} status=200 contains a contains b"
    answers = [Answer(200, ""), Answer(200, "a"), Answer(200, "b"), Answer(500, "ab")]
    assert len({found(hint, one).data for one in answers}) == len(answers)
