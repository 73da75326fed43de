"""What a run of an action is given, and the ways in which it can end."""

import pytest

from core.actions.runnable import (
    Done,
    after_sending,
    completed,
    cut_off,
    failed,
    raised,
    unclear,
)
from core.actions.shell import SHELL
from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.occurrence import FAILURES, Outcome
from core.model.report import NotSent
from tests.unit.actions.written_action import call

ONE = call(
    SHELL,
    {"command": "say {{date}}", "env": {"DAY": "{{date}}", "LEVEL": "1"}},
    values={"date": "2026-11-16"},
)


def test_a_text_is_given_as_it_is_written_or_filled() -> None:
    assert ONE.text("command") == "say {{date}}"
    assert ONE.filled("command") == "say 2026-11-16"


def test_the_values_of_a_table_are_filled_and_its_names_stay() -> None:
    assert ONE.filled_table("env") == {"DAY": "2026-11-16", "LEVEL": "1"}


def test_what_is_not_written_is_empty() -> None:
    assert (ONE.text("working_dir"), ONE.filled("working_dir")) == ("", "")
    assert ONE.filled_table("headers") == {}


def test_a_text_is_not_a_table_and_a_table_is_not_a_text() -> None:
    assert ONE.text("env") == ""
    assert ONE.filled_table("command") == {}


def test_a_run_that_completed_has_a_result_and_no_error() -> None:
    assert completed("3 files") == Done(Outcome.COMPLETED, "3 files", "", ())


def test_a_run_that_failed_has_an_error_and_data_that_tell_it_from_others() -> None:
    assert failed("it answered 500", "status", "500") == Done(
        Outcome.FAILED, "", "it answered 500", ("status", "500")
    )


def test_a_run_that_was_cut_off_counts_as_an_attempt_and_is_not_a_failure_of_its_own() -> None:
    done = cut_off()
    assert done.outcome is Outcome.INTERRUPTED
    assert done.outcome in FAILURES
    assert done.cause != failed("", "").cause


def test_what_the_person_has_to_write_differently_is_no_attempt() -> None:
    done = unclear("`soon` is not a duration.", "older_than", "soon")
    assert done == Done(
        Outcome.NEEDS_CLARIFICATION, "", "`soon` is not a duration.", ("older_than", "soon")
    )
    assert done.outcome not in FAILURES


def test_an_error_such_as_a_secret_that_is_not_there_is_a_failure_with_its_sentence() -> None:
    done = raised(HeartbeatError("There is no secret `pin`.", "Store it.", about="pin"))
    assert done == Done(Outcome.FAILED, "", "There is no secret `pin`.", ("HeartbeatError", "pin"))


@pytest.mark.parametrize(
    "other",
    [
        HeartbeatError("There is no secret `pin`.", about="key"),
        KeyringUnavailableError("There is no secret `pin`.", about="pin"),
    ],
)
def test_errors_about_other_things_are_told_apart_whatever_they_say(
    other: HeartbeatError,
) -> None:
    first = raised(HeartbeatError("There is no secret `pin`.", about="pin"))
    assert raised(other).cause != first.cause


def test_a_message_is_sent_or_failed_with_the_reason() -> None:
    assert after_sending(None) == Done(Outcome.COMPLETED, "OK")
    assert after_sending(NotSent("the server said no", ("phone", "403"))) == Done(
        Outcome.FAILED, "", "the server said no", ("not_sent", "phone", "403")
    )
