"""What the kinds of check share: what holds passes, and what was not measured never fails."""

from core.checks.measurable import finding_of, unmeasured, watches_nothing
from core.model.check import Finding, Measurement


def test_what_holds_passes_and_what_does_not_hold_fails() -> None:
    assert finding_of(True) is Finding.PASSES
    assert finding_of(False) is Finding.FAILS


def test_what_was_not_measured_has_a_reason_and_claims_no_value() -> None:
    assert unmeasured("no answer") == Measurement(Finding.UNMEASURED, "no answer", {}, ())


def test_most_checks_look_at_no_file_before_the_task() -> None:
    assert watches_nothing(object()) == ""
