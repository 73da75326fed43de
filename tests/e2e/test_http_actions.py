"""`http` actions through the installed command, against a real server on loopback: each row of
docs/spec.md, "Actions"."""

import re
import ssl
import time
import urllib.request
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.machine import Machine, block, wait_for
from tests.e2e.servers import Reply, Site, self_signed, site

LARGEST = 10 * 1024 * 1024


@pytest.fixture
def server() -> Iterator[Site]:
    with site() as server:
        yield server


def ended(machine: Machine, *lines: str) -> dict[str, Any]:
    """What became of one http action with these lines."""
    machine.write(block("get", "type: http", *lines))
    done = machine.heartbeat("run", "get", "--json")
    (item,) = machine.read_json(done)["items"]
    assert done.code == (0 if item["outcome"] == "completed" else 1)
    found: dict[str, Any] = item
    return found


@pytest.mark.parametrize("key", ["target", "url"])
def test_a_get_is_sent_to_its_target_or_url(machine: Machine, server: Site, key: str) -> None:
    item = ended(machine, f"{key}: http://{server.address}/health?deep=1")
    assert (item["outcome"], item["result"], item["error"]) == ("completed", "OK (200)", None)
    assert [(one.method, one.path, one.body) for one in server.asked] == [
        ("GET", "/health?deep=1", "")
    ]
    text = machine.text()
    assert re.search(r"- \*\*status\*\*: COMPLETED\n- \*\*completed_at\*\*: \S+\+0[12]:00\n", text)
    assert "- **result**: OK (200)\n" in text
    assert re.search(r"- \[x\] get: OK \(200\) \(..:..:..\)\n", machine.text())


def test_without_a_type_a_target_makes_it_http(machine: Machine, server: Site) -> None:
    machine.write(block("get", f"target: http://{server.address}/"))
    assert machine.json("run")["items"][0]["result"] == "OK (200)"


def test_method_headers_and_body_arrive_as_written_with_their_variables(
    machine: Machine, server: Site
) -> None:
    item = ended(
        machine,
        f"url: http://{server.address}/notes",
        "method: put",
        'body: {"day": "{{weekday}}", "n": "{{completed_count}}"}',
        "headers:\n  - X-Mode: quick: {{failure_count}}\n  - Content-Type: application/json",
    )
    assert item["outcome"] == "completed"
    (asked,) = server.asked
    weekday = datetime.now(ZoneInfo("Europe/Berlin")).strftime("%A")
    assert (asked.method, asked.body) == ("PUT", f'{{"day": "{weekday}", "n": "0"}}')
    assert (asked.headers["x-mode"], asked.headers["content-type"]) == (
        "quick: 0",
        "application/json",
    )


def test_a_header_that_no_request_can_hold_is_a_failure_and_not_a_crash(
    machine: Machine, server: Site
) -> None:
    item = ended(machine, f"url: http://{server.address}/", "headers:\n  - X-Mode: schön")
    assert item["outcome"] == "failed"
    assert item["error"].startswith("no answer: ")
    assert server.asked == []


def test_a_status_from_200_to_299_is_fine_and_any_other_a_failure(
    machine: Machine, server: Site
) -> None:
    fine, others = (200, 201, 204, 299), (300, 304, 400, 404, 418, 500, 503)
    for status in (*fine, *others):
        server.replies[f"/{status}"] = Reply(status)
    machine.write(
        *(block(f"s{one}", f"url: http://{server.address}/{one}") for one in (*fine, *others))
    )
    items = {
        one["id"]: (one["outcome"], one["result"] or one["error"])
        for one in machine.json("run", code=1)["items"]
    }
    assert items == {f"s{one}": ("completed", f"OK ({one})") for one in fine} | {
        f"s{one}": ("failed", f"it answered {one}") for one in others
    }
    assert "- **error**: it answered 404\n- **retry_count**: 1/1\n" in machine.text()


def test_the_expected_status_and_no_other_is_fine(machine: Machine, server: Site) -> None:
    server.replies["/"] = Reply(404)
    assert (
        ended(machine, f"url: http://{server.address}/", "expect_status: 404")["result"]
        == "OK (404)"
    )
    server.replies["/"] = Reply(200)
    assert (
        ended(machine, f"url: http://{server.address}/", "expect_status: 404")["error"]
        == "it answered 200, not 404"
    )


def test_the_body_must_hold_the_expected_text(machine: Machine, server: Site) -> None:
    server.replies["/"] = Reply(body='{"status": "grün"}'.encode())
    assert (
        ended(machine, f"url: http://{server.address}/", 'expect_body: "status": "grün"')["outcome"]
        == "completed"
    )
    item = ended(machine, f"url: http://{server.address}/", "expect_body: rot")
    assert (item["outcome"], item["error"]) == ("failed", "the answer does not contain “rot”")


def test_a_body_is_read_in_the_encoding_that_the_server_names(
    machine: Machine, server: Site
) -> None:
    server.replies["/"] = Reply(
        body="grün".encode("latin-1"), headers={"Content-Type": "text/plain; charset=latin-1"}
    )
    assert (
        ended(machine, f"url: http://{server.address}/", "expect_body: grün")["outcome"]
        == "completed"
    )
    server.replies["/"] = Reply(body=b"green", headers={"Content-Type": "text/plain; charset=hex"})
    assert (
        ended(machine, f"url: http://{server.address}/", "expect_body: green")["outcome"]
        == "completed"
    )


def test_an_address_without_a_server_is_reported_as_no_answer(machine: Machine) -> None:
    with site() as gone:
        address = gone.address
    item = ended(machine, f"url: http://{address}/")
    assert item["outcome"] == "failed"
    assert item["error"].startswith("no answer: ")


def test_an_invalid_address_is_reported_as_no_answer(machine: Machine) -> None:
    urls = [
        "ftp://127.0.0.1/",
        "http://",
        "127.0.0.1/x",
        "http://[::1",
        "http://exa mple/",
        "https://\u0661.test:99999/",
    ]
    machine.write(*(block(f"a{number}", f"url: {url}") for number, url in enumerate(urls)))
    items = machine.json("run", code=1)["items"]
    assert [one["outcome"] for one in items] == ["failed"] * len(urls)
    assert all(one["error"].startswith("no answer: ") for one in items), items


def test_a_server_that_sends_a_byte_now_and_then_ends_with_the_timeout(
    machine: Machine, server: Site
) -> None:
    server.replies["/"] = Reply(drips=True)
    item = ended(machine, f"url: http://{server.address}/", "timeout: 1s")
    assert (item["outcome"], item["error"]) == ("failed", "no answer within 1 s")
    assert item["duration"] < 10


def test_a_request_to_end_does_not_wait_for_the_server(machine: Machine, server: Site) -> None:
    server.replies["/"] = Reply(drips=True)
    machine.write(block("get", f"url: http://{server.address}/"))
    with machine.start("run") as beat:
        wait_for(lambda: server.asked, "the request")
        began = time.monotonic()
        assert beat.end() == 1
        assert time.monotonic() - began < 12
    (one,) = machine.json("history")["occurrences"]
    assert (one["outcome"], one["error"]) == ("interrupted", "it was stopped before it finished")


# -- redirects -------------------------------------------------------------------------------------


def test_a_redirect_within_the_host_is_followed(machine: Machine, server: Site) -> None:
    server.replies["/old"] = Reply(302, headers={"Location": "/new"})
    server.replies["/new"] = Reply(301, headers={"Location": f"http://{server.address}/newest"})
    assert ended(machine, f"url: http://{server.address}/old")["result"] == "OK (200)"
    assert [one.path for one in server.asked] == ["/old", "/new", "/newest"]


def test_a_redirect_to_another_host_is_not_followed(machine: Machine, server: Site) -> None:
    with site() as other:
        name = other.address.replace("127.0.0.1", "localhost")
        for place in (
            "https://127.0.0.1/",
            f"http://{name}/",
            f"http://{other.address}/",
            f"//{name}/",
        ):
            server.replies["/"] = Reply(302, headers={"Location": place})
            item = ended(machine, f"url: http://{server.address}/", "headers:\n  - X-Key: k")
            assert item["outcome"] == "failed"
            assert item["error"].startswith("it redirects to another server, http")
        assert other.asked == []
        urllib.request.urlopen(f"http://{server.address}/").close()
        assert len(other.asked) == 1  # a client that follows every redirect ends there


def test_redirects_without_end_are_given_up(machine: Machine, server: Site) -> None:
    server.replies["/"] = Reply(302, headers={"Location": "/"})
    assert ended(machine, f"url: http://{server.address}/")["error"] == "more than 5 redirects"
    assert len(server.asked) == 6


# -- bodies and certificates -----------------------------------------------------------------------


def test_only_10_mib_of_a_body_are_kept(machine: Machine, server: Site) -> None:
    text = b"early" + bytes(LARGEST - 10) + b"later"
    server.replies["/"] = Reply(body=text + b"too late")
    assert (
        ended(machine, f"url: http://{server.address}/", "expect_body: later")["outcome"]
        == "completed"
    )
    assert (
        ended(machine, f"url: http://{server.address}/", "expect_body: too late")["outcome"]
        == "failed"
    )


def test_an_untrusted_certificate_is_refused(machine: Machine, tmp_path: Path) -> None:
    with site(self_signed(tmp_path)) as server:
        item = ended(machine, f"url: https://{server.address}/")
        assert item["outcome"] == "failed"
        assert "CERTIFICATE_VERIFY_FAILED" in item["error"]
        assert server.asked == []
        unchecked = ssl._create_unverified_context()
        urllib.request.urlopen(f"https://{server.address}/", context=unchecked).close()
        assert len(server.asked) == 1  # a client that does not check the certificate is answered


def test_a_proxy_of_the_session_does_not_get_the_request(machine: Machine, server: Site) -> None:
    with site() as proxy:
        machine.environment |= {
            "http_proxy": f"http://{proxy.address}",
            "ALL_PROXY": f"http://{proxy.address}",
        }
        assert ended(machine, f"url: http://{server.address}/")["outcome"] == "completed"
        assert (len(server.asked), proxy.asked) == (1, [])
