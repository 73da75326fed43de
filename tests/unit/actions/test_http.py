"""`http`: what it takes, what an approval of it covers, what is sent, and which answers will do."""

from datetime import timedelta

import pytest

from core.actions.http import HTTP
from core.actions.runnable import Call, Done
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.action_type import Params
from core.model.approval import ReviewState
from core.model.errors import HeartbeatError
from core.model.http import Answer, NoAnswer, Request
from core.model.occurrence import Outcome
from tests.fakes.outside import FakeHttp, no_secret
from tests.fakes.world import FakeWorld
from tests.unit.actions.written_action import (
    NOW,
    action,
    call,
    codes,
    document,
    executables,
    reach,
    state_after_change,
)

URL = "https://example.org/"
PIN = {"secret:pin": "1234"}


def run(params: Params, answer: Answer | NoAnswer) -> Done:
    return HTTP.run(FakeWorld(http=FakeHttp(answer)), call(HTTP, params, values=PIN))


def sent(params: Params, timeout: timedelta = timedelta(minutes=5)) -> Request:
    http = FakeHttp()
    HTTP.run(FakeWorld(http=http), call(HTTP, params, values=PIN, timeout=timeout))
    (request,) = http.sent
    return request


# -- how it is written -----------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["target", "url"])
def test_it_takes_an_address_what_is_sent_and_what_is_expected(key: str) -> None:
    lines = (
        f"type: http\n{key}: {URL}\nmethod: POST\nheaders:\n  Accept: text/plain\nbody: hello\n"
        "expect_status: 201\nexpect_body: made"
    )
    assert codes(lines) == []
    assert action(lines).params == {
        key: URL,
        "method": "POST",
        "headers": {"Accept": "text/plain"},
        "body": "hello",
        "expect_status": "201",
        "expect_body": "made",
    }


@pytest.mark.parametrize("key", ["target", "url"])
def test_an_address_is_enough_to_make_it_an_http_action(key: str) -> None:
    assert action(f"{key}: {URL}").type is HTTP
    assert codes(f"{key}: {URL}") == []


def test_without_an_address_it_cannot_run() -> None:
    lines = "type: http\nmethod: GET"
    assert codes(lines) == ["HB304"]
    assert "`target`" in str(action(lines).unclear)


@pytest.mark.parametrize("params", [{"target": URL}, {"url": URL}, {"target": "", "url": URL}])
def test_either_key_of_the_address_will_do(params: Params) -> None:
    assert HTTP.missing(params) == ()


@pytest.mark.parametrize("key", ["target", "url"])
@pytest.mark.parametrize(
    "address", ["example.org", "ftp://example.org/", "/index.html", "https:/x"]
)
def test_what_is_not_a_web_address_is_reported_where_it_is_written(key: str, address: str) -> None:
    (flaw,) = HTTP.flaws({key: address})
    assert (flaw.code, flaw.key) == ("HB319", key)
    assert flaw.message == f"`{address}` is not a web address."


def test_an_address_that_is_used_is_checked_though_the_other_key_is_empty() -> None:
    (flaw,) = HTTP.flaws({"target": "", "url": "example.org"})
    assert (flaw.code, flaw.key) == ("HB319", "url")


@pytest.mark.parametrize(
    "address", [URL, "http://127.0.0.1:8080", "HTTPS://EXAMPLE.ORG", "{{secret:address}}/beat"]
)
def test_a_web_address_in_any_letter_case_or_from_a_variable_is_fine(address: str) -> None:
    assert [*HTTP.flaws({"target": address})] == []


@pytest.mark.parametrize(
    "status", ["2xx", "20", "2000", "000", "099", "600", "OK", "200-299", "²⁰⁰", "-20", ""]
)
def test_what_is_not_a_status_is_reported(status: str) -> None:
    (flaw,) = HTTP.flaws({"target": URL, "expect_status": status})
    assert (flaw.code, flaw.key) == ("HB319", "expect_status")
    assert flaw.message == f"`{status}` is not a status."
    assert "204" in flaw.hint


@pytest.mark.parametrize("status", ["100", "200", "204", "404", "500", "599"])
def test_one_number_is_a_status(status: str) -> None:
    assert [*HTTP.flaws({"target": URL, "expect_status": status})] == []


def test_an_odd_address_or_status_is_a_warning_and_does_not_keep_it_from_running() -> None:
    lines = "type: http\nurl: example.org\nexpect_status: fine"
    found = document(lines)
    assert [(one.code, one.line, one.severity) for one in found.diagnostics] == [
        ("HB319", 5, "warning"),
        ("HB319", 6, "warning"),
    ]
    assert found.actions[0].unclear is None


@pytest.mark.parametrize(
    ("params", "words"),
    [
        ({"target": URL}, f"GET {URL}"),
        ({"url": URL, "method": "POST"}, f"POST {URL}"),
        ({"url": URL, "method": ""}, f"GET {URL}"),
    ],
)
def test_a_person_reads_which_request_it_makes(params: Params, words: str) -> None:
    assert HTTP.summary(params) == words


# -- what an approval covers -----------------------------------------------------------------------

WRITTEN = f"""
type: http
target: {URL}
method: POST
headers:
  Accept: text/plain
body: hello
expect_status: 201
expect_body: made
timeout: 1m
"""


@pytest.mark.parametrize(
    ("old", "new"),
    [
        (URL, "https://example.com/"),
        (f"target: {URL}", f"url: {URL}"),
        ("method: POST", "method: DELETE"),
        ("method: POST\n", ""),
        ("Accept: text/plain", "Accept: text/html"),
        ("Accept: text/plain", "Accept: text/plain\n  Authorization: {{secret:pin}}"),
        ("body: hello", "body: {{secret:pin}}"),
        ("expect_status: 201", "expect_status: 500"),
        ("expect_body: made", "expect_body: gone"),
    ],
)
def test_it_waits_again_when_what_it_sends_or_expects_has_changed(old: str, new: str) -> None:
    assert old in WRITTEN
    assert state_after_change(WRITTEN, WRITTEN.replace(old, new)) is ReviewState.CHANGED


def test_it_stays_approved_when_only_its_timeout_has_changed() -> None:
    after = WRITTEN.replace("timeout: 1m", "timeout: 1h")
    assert state_after_change(WRITTEN, after) is ReviewState.APPROVED


def test_every_request_needs_an_approval_and_runs_no_command() -> None:
    (one,) = executables(f"url: {URL}")
    assert (one.commands, one.candidates) == ((), ())
    assert HTTP.needs_approval({"url": "http://127.0.0.1/"})


@pytest.mark.parametrize("key", ["target", "url"])
def test_a_person_is_told_where_it_sends_to(key: str) -> None:
    assert reach(f"type: http\n{key}: {URL}") == (f"sends to {URL}",)


def test_of_two_addresses_the_person_is_told_the_one_that_is_used() -> None:
    params = {"target": "https://used.example/", "url": "https://not-used.example/"}
    assert HTTP.reach(params, False) == ("sends to https://used.example/",)
    assert HTTP.summary(params) == "GET https://used.example/"
    assert sent(params).url == "https://used.example/"


# -- what is sent ----------------------------------------------------------------------------------


def test_without_a_method_it_is_a_get_with_nothing_else() -> None:
    timeout = timedelta(seconds=20)
    assert sent({"url": URL}, timeout) == Request("GET", URL, {}, "", timeout)


def test_the_whole_request_is_sent_with_the_values_of_variables() -> None:
    params: Params = {
        "target": URL + "{{secret:pin}}",
        "method": "post",
        "headers": {"Authorization": "Bearer {{secret:pin}}", "Accept": "*/*"},
        "body": "pin={{secret:pin}}",
    }
    assert sent(params) == Request(
        "POST",
        URL + "1234",
        {"Authorization": "Bearer 1234", "Accept": "*/*"},
        "pin=1234",
        timedelta(minutes=5),
    )


@pytest.mark.parametrize(
    "params",
    [
        {"url": "https://x/{{secret:pin}}"},
        {"url": URL, "body": "{{secret:pin}}"},
        {"url": URL, "headers": {"A": "{{secret:pin}}"}},
    ],
)
def test_nothing_is_sent_when_the_keyring_does_not_give_a_secret(params: Params) -> None:
    http = FakeHttp()
    with pytest.raises(HeartbeatError):
        HTTP.run(FakeWorld(http=http), Call(call(HTTP, params).action, 1, NOW, no_secret))

    assert http.sent == []


# -- which answers will do -------------------------------------------------------------------------


@pytest.mark.parametrize("status", [200, 201, 204, 299])
def test_any_status_from_200_to_299_is_fine(status: int) -> None:
    assert run({"url": URL}, Answer(status, "")) == Done(Outcome.COMPLETED, f"OK ({status})")


@pytest.mark.parametrize("status", [100, 199, 300, 304, 404, 500])
def test_any_other_status_is_a_failure(status: int) -> None:
    done = run({"url": URL}, Answer(status, "fine"))
    assert (done.outcome, done.result) == (Outcome.FAILED, "")
    assert done.error == f"it answered {status}"


@pytest.mark.parametrize(("expected", "answered"), [("404", 404), ("301", 301), ("200", 200)])
def test_the_expected_status_is_fine_whatever_it_is(expected: str, answered: int) -> None:
    done = run({"url": URL, "expect_status": expected}, Answer(answered, ""))
    assert done == Done(Outcome.COMPLETED, f"OK ({answered})")


@pytest.mark.parametrize(("expected", "answered"), [("200", 204), ("404", 200), ("2xx", 200)])
def test_a_status_that_is_not_the_expected_one_is_a_failure(expected: str, answered: int) -> None:
    done = run({"url": URL, "expect_status": expected}, Answer(answered, ""))
    assert done.outcome is Outcome.FAILED
    assert done.error == f"it answered {answered}, not {expected}"


def test_failures_with_other_statuses_are_told_apart() -> None:
    assert run({"url": URL}, Answer(500, "")).cause != run({"url": URL}, Answer(503, "")).cause
    assert run({"url": URL}, Answer(500, "a")).cause == run({"url": URL}, Answer(500, "b")).cause


def test_the_expected_text_must_be_in_the_answer() -> None:
    params = {"url": URL, "expect_body": "all is well"}
    assert run(params, Answer(200, "<p>all is well</p>")).outcome is Outcome.COMPLETED

    done = run(params, Answer(200, "All is well"))
    assert done.outcome is Outcome.FAILED
    assert done.error == "the answer does not contain “all is well”"


def test_the_expected_text_may_have_variables_and_a_failure_does_not_show_their_values() -> None:
    params = {"url": URL, "expect_body": "pin {{secret:pin}}"}
    assert run(params, Answer(200, "your pin 1234")).outcome is Outcome.COMPLETED

    done = run(params, Answer(200, "your pin {{secret:pin}}"))
    assert done.outcome is Outcome.FAILED
    assert done.error == "the answer does not contain “pin {{secret:pin}}”"
    assert "1234" not in " ".join(done.cause)


def test_the_expected_status_and_text_must_both_be_there() -> None:
    params = {"url": URL, "expect_status": "404", "expect_body": "gone"}
    assert run(params, Answer(404, "it is gone")).outcome is Outcome.COMPLETED
    assert run(params, Answer(404, "oh")).outcome is Outcome.FAILED
    assert run(params, Answer(200, "it is gone")).outcome is Outcome.FAILED


def test_no_answer_is_a_failure_with_its_reason() -> None:
    done = run({"url": URL}, NoAnswer("no answer within 5 min", ("timeout", "300")))
    assert done.outcome is Outcome.FAILED
    assert done.error == "no answer within 5 min"
    assert done.cause == ("no_answer", "timeout", "300")


def test_a_request_that_was_cancelled_was_interrupted_and_has_not_failed() -> None:
    cancelled = CancelSwitch()
    cancelled.set()
    done = HTTP.run(FakeWorld(cancelled=cancelled), call(HTTP, {"url": URL}))
    assert done.outcome is Outcome.INTERRUPTED
    assert done.error == "it was stopped before it finished"
