"""`heartbeat mcp`, as installed, with the official client at its other end."""

import asyncio
import json
import subprocess
from collections.abc import Awaitable, Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from mcp import Client, ClientSession, StdioServerParameters, stdio_client

from tests.agent.workbench import Workbench
from tests.e2e.machine import COMMAND, Machine, action

Talk = Callable[[ClientSession], Awaitable[Any]]


def talk(machine: Machine, conversation: Talk, *words: str) -> Any:
    async def whole() -> Any:
        server = StdioServerParameters(
            command=COMMAND, args=["mcp", *words], env=machine.environment, cwd=machine.workspace
        )
        with (machine.folder / "said.log").open("a+") as said:
            async with (
                stdio_client(server, errlog=said) as streams,
                ClientSession(*streams) as session,
            ):
                await session.initialize()
                return await conversation(session)

    return asyncio.run(asyncio.wait_for(whole(), 60))


async def said(session: ClientSession, name: str, **arguments: object) -> str:
    result = await session.call_tool(name, arguments)
    (part,) = result.content
    text = str(getattr(part, "text", ""))
    return f"refused: {text}" if result.is_error else text


def test_it_offers_the_four_tools_and_the_status_and_no_way_to_approve(machine: Machine) -> None:
    machine.write()

    async def conversation(session: ClientSession) -> list[str]:
        return sorted(tool.name for tool in (await session.list_tools()).tools)

    names = talk(machine, conversation)
    assert names == [
        "heartbeat_add",
        "heartbeat_list",
        "heartbeat_remove",
        "heartbeat_run",
        "heartbeat_status",
    ]


def test_prompts_are_added_listed_and_removed_by_the_rules_of_the_command_line(
    machine: Machine,
) -> None:
    machine.write()

    async def conversation(session: ClientSession) -> list[str]:
        mail = {"id": "mail", "title": "Mail", "prompt": "Look.", "gate": "touch gate-ran"}
        return [
            await said(session, "heartbeat_add", **mail),
            await said(session, "heartbeat_add", **mail),
            await said(session, "heartbeat_add", **{**mail, "id": "../up"}),
            await said(session, "heartbeat_add", id="x"),
            await said(session, "heartbeat_list"),
            await said(session, "heartbeat_remove", id="nothing"),
            await said(session, "heartbeat_approve", id="mail"),
        ]

    added, again, escape, short, listed, gone, approve = talk(machine, conversation)
    assert added == "Added the prompt mail. Before its gate runs, the person has to approve it."
    assert again == "Changed the prompt mail. Before its gate runs, the person has to approve it."
    assert escape.startswith("refused: `../up` cannot be an id.")
    assert short == "refused: There is no prompt x yet, so it needs a title."
    assert "mail | Mail | gate: touch gate-ran" in listed
    assert gone.startswith("refused: There is no prompt nothing.")
    assert approve.startswith("refused: There is no tool heartbeat_approve.")
    assert machine.json("list")["prompts"][0]["id"] == "mail"


def test_a_beat_runs_and_what_waits_for_approval_does_not(machine: Machine) -> None:
    machine.write(action("one", "touch one-ran"))
    machine.approve()
    machine.write(action("one", "touch one-ran"), action("two", "touch two-ran"))

    async def conversation(session: ClientSession) -> tuple[str, str]:
        return await said(session, "heartbeat_run"), await said(
            session, "heartbeat_run", ids=["nothing"]
        )

    report, unknown = talk(machine, conversation)
    outcomes = {item["id"]: item["outcome"] for item in json.loads(report)["items"]}
    assert outcomes == {"one": "completed", "two": "needs_approval"}
    assert (machine.workspace / "one-ran").exists()
    assert not (machine.workspace / "two-ran").exists()
    assert unknown.startswith("refused: It did not work: There is no item nothing.")


def test_the_status_is_that_of_the_command(machine: Machine) -> None:
    machine.write()

    async def conversation(session: ClientSession) -> str:
        return await said(session, "heartbeat_status")

    assert json.loads(talk(machine, conversation)) == machine.json("status")


def test_the_newest_kind_of_client_understands_it_too(machine: Machine) -> None:
    machine.write()

    async def whole() -> int:
        server = StdioServerParameters(
            command=COMMAND, args=["mcp"], env=machine.environment, cwd=machine.workspace
        )
        async with Client(stdio_client(server), mode="auto") as client:
            return len((await client.list_tools()).tools)

    assert asyncio.run(asyncio.wait_for(whole(), 60)) == 5


def lines_of(machine: Machine, *requests: bytes) -> list[dict[str, Any]]:
    done = subprocess.run(
        [COMMAND, "mcp"],
        input=b"\n".join(requests) + b"\n",
        capture_output=True,
        cwd=machine.workspace,
        env=machine.environment,
        timeout=60,
    )
    assert done.returncode == 0, done.stderr
    return [json.loads(line) for line in done.stdout.splitlines()]


def test_every_line_that_comes_out_is_the_protocol_whatever_comes_in(machine: Machine) -> None:
    machine.write()
    answers = lines_of(
        machine,
        b"hello",
        b"[]",
        b'{"jsonrpc": "2.0", "method": "notifications/initialized"}',
        b'{"jsonrpc": "2.0", "id": 1, "method": "resources/list"}',
        b'{"jsonrpc": "2.0", "id": 2, "method": "tools/call", "params": {"name": 3}}',
        b'{"jsonrpc": "2.0", "id": "x", "method": "ping"}',
        b'{"jsonrpc": "2.0", "id": 3, "method": "ping", "params": []}',
        (
            b'{"jsonrpc": "2.0", "id": 4, "method": "initialize", "params": {"protocolVersion": '
            b'"1999-01-01"}}'
        ),
        b"[" * 100_000,
        b"\xff\xfe",
    )
    codes = [(str(one.get("id")), one.get("error", {}).get("code", 0)) for one in answers]
    assert sorted(codes) == [
        ("1", -32601),
        ("2", -32602),
        ("3", 0),
        ("4", 0),
        ("None", -32700),
        ("None", -32700),
        ("None", -32700),
        ("None", -32600),
        ("x", 0),
    ]
    (hello,) = (one["result"] for one in answers if one.get("id") == 4)
    assert hello["protocolVersion"] == "2025-11-25"


def test_without_a_workspace_it_says_so_on_stderr(machine: Machine, tmp_path: Path) -> None:
    done = subprocess.run(
        [COMMAND, "--workspace", str(tmp_path / "nowhere"), "mcp"],
        stdin=subprocess.DEVNULL,
        capture_output=True,
        env=machine.environment,
        timeout=60,
    )
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"There is no folder" in done.stderr


# -- the tools of a running beat -------------------------------------------------------------------


def test_the_tools_of_a_running_beat_are_lent_with_its_grants_and_its_record(
    machine: Machine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    from core.agent.mcp.tool_socket import ToolServer

    bench = Workbench(tmp_path / "bench", monkeypatch)
    bench.grants = ("@workspace",)
    machine.environment["HEARTBEAT_WORKSPACE"] = "/nowhere"
    toolbox = bench.toolbox()

    async def conversation(session: ClientSession) -> list[str]:
        names = [tool.name for tool in (await session.list_tools()).tools]
        first = await said(session, "write_file", path="report.md", content="hello\n")
        second = await said(session, "write_file", path="../out.md", content="hello\n")
        return [*names, first, second]

    with ToolServer(toolbox) as door:
        *names, first, second = talk(machine, conversation, "--batch", door.address)
        address = door.address
    assert names == [tool.name for tool in toolbox.tools()]
    assert first == "Wrote report.md (6 bytes)."
    assert "is not inside the workspace" in second
    assert bench.text("report.md") == "hello\n"
    assert [act.could_do_it for act in toolbox.recorded().acts] == [True, False]

    async def too_late(session: ClientSession) -> str:
        with suppress(Exception):
            await session.list_tools()
            return "answered"
        return "over"

    assert talk(machine, too_late, "--batch", address) == "over"
