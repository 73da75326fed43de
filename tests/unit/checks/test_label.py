"""Labels: what is left for a judge, and that nothing is measured about it."""

import pytest

from core.checks.label import LABEL, Label
from core.model.check import Finding, Hint, Measurement
from tests.unit.checks.written_check import (
    FakeMeasuring,
    document,
    executables,
    measure,
    read,
    words,
)


@pytest.mark.parametrize(
    "hint",
    ["weather_sent", "The weather was sent", "note: all is well", "sql:count", "task_completed"],
)
def test_every_hint_that_is_no_other_check_is_a_label(hint: str) -> None:
    assert read(f" {hint} ") == Label(hint)


@pytest.mark.parametrize("hint", ["cmd:make", "file:a.md", "http://x/", "json:a.json#/a == 1"])
def test_it_takes_none_of_the_hints_of_others(hint: str) -> None:
    assert not isinstance(read(hint), Label)


def test_it_claims_whatever_is_left() -> None:
    assert LABEL.claims(Hint("", "", (), False))
    assert LABEL.claims(Hint("anything", "anything", ("mails",), True))


def test_a_person_is_told_that_it_cannot_be_measured() -> None:
    (one,) = document("weather_sent").diagnostics
    assert (one.code, one.severity) == ("HB208", "info")


def test_a_judge_decides_it() -> None:
    assert words("weather_sent") == "a judge decides “weather_sent”"
    assert LABEL.needs_judge


def test_it_executes_nothing_and_needs_no_approval() -> None:
    assert executables("weather_sent") == ()


def test_nothing_is_measured() -> None:
    measuring = FakeMeasuring(exit_code=0)
    assert measure(measuring, "weather_sent") == Measurement(
        Finding.UNMEASURED, "only a judge could decide it"
    )
    assert (measuring.processes.started, measuring.http.sent, measuring.probed) == ([], [], [])
