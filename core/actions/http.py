"""`http`: one request to a web address, and what is expected of the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.actions.runnable import Call, Done, RunnableType, completed, cut_off, failed
from core.model.action_type import (
    Flaw,
    Params,
    always,
    missing_in,
    runs_no_file,
    text_in,
)
from core.rules.printable import shown
from core.rules.web import is_status

if TYPE_CHECKING:
    from collections.abc import Iterator

    from core.ports.world import World

WEB = ("http://", "https://")


def _address(params: Params) -> str:
    return text_in(params, "target") or text_in(params, "url")


def _missing(params: Params) -> tuple[str, ...]:
    return () if params.get("url") else missing_in(params, "target")


def _flaws(params: Params) -> Iterator[Flaw]:
    key = "target" if text_in(params, "target") else "url"
    address = text_in(params, key)
    if address and not address.lower().startswith((*WEB, "{{")):
        yield Flaw(
            "HB319",
            key,
            f"`{shown(address)}` is not a web address.",
            "Write `https://example.org/`.",
            stops_it=False,
        )

    status = text_in(params, "expect_status")
    if "expect_status" in params and not is_status(status):
        yield Flaw(
            "HB319",
            "expect_status",
            f"`{shown(status)}` is not a status.",
            "Write one number such as `204`; without this line any status from 200 to 299 is fine.",
            stops_it=False,
        )


def _reach(params: Params, _: bool) -> tuple[str, ...]:
    return (f"sends to {_address(params)}",)


def _summary(params: Params) -> str:
    return f"{text_in(params, 'method') or 'GET'} {_address(params)}"


def _run(world: World, call: Call) -> Done:
    from core.model.http import NoAnswer, Request

    request = Request(
        call.text("method").upper() or "GET",
        call.filled("target" if call.text("target") else "url"),
        call.filled_table("headers"),
        call.filled("body"),
        call.action.timeout,
    )
    answer = world.http.send(request, world.cancelled)
    if isinstance(answer, NoAnswer):
        if world.cancelled.is_set():
            return cut_off()

        return failed(answer.reason, "no_answer", *answer.cause)

    expected = call.text("expect_status")
    if expected and str(answer.status) != expected.strip():
        error = f"it answered {answer.status}, not {expected}"
        return failed(error, "status", str(answer.status), expected)
    if not expected and not 200 <= answer.status < 300:
        return failed(f"it answered {answer.status}", "status", str(answer.status))

    wanted = call.filled("expect_body")
    if wanted and wanted not in answer.body:
        wanted = call.text("expect_body")
        return failed(f"the answer does not contain “{wanted}”", "lacks", wanted)

    return completed(f"OK ({answer.status})")


HTTP = RunnableType(
    name="http",
    keys=("target", "url", "method", "headers", "body", "expect_status", "expect_body"),
    table_keys=("headers",),
    command_keys=(),
    implied_by=("target", "url"),
    missing=_missing,
    flaws=_flaws,
    needs_approval=always,
    candidates=runs_no_file,
    reach=_reach,
    summary=_summary,
    displaces_files=False,
    message=None,
    run=_run,
)
