"""What a call of an MCP server costs our process: with our own client and with the official one;
`python -m tests.measure_tool_servers`.

Each row is a fresh interpreter that imports the client, starts `mcp-server-time`, lists its tools,
calls one and ends the server. It is counted without what the server itself needs. "With a model"
means that pydantic and httpx are loaded before, as in every beat that asks one.
"""

import json
import subprocess
import sys
from pathlib import Path
from statistics import median

TIMES = 5
SERVER = str(Path(sys.executable).with_name("mcp-server-time"))

WITH_A_MODEL = """
import httpx
from pydantic import BaseModel

class Answer(BaseModel):
    text: str
"""
OURS = """
import os, time
from pathlib import Path
from core.adapters.processes.tool_servers import SystemToolServers
from core.agent.mcp.client import ToolServers
from core.model.settings import McpServer

servers = ToolServers(
    {"time": McpServer(SERVER, ("--local-timezone", "UTC"))}, Path.cwd(), dict(os.environ),
    SystemToolServers(time.monotonic), time.monotonic,
)
tools = {tool.own_name: tool for tool in servers.start()}
assert "UTC" in servers.call(tools["get_current_time"], {"timezone": "UTC"})
servers.close()
"""
OFFICIAL = """
import asyncio, os
from mcp import ClientSession, StdioServerParameters, stdio_client

async def talk():
    server = StdioServerParameters(command=SERVER, args=["--local-timezone", "UTC"])
    with open(os.devnull, "w") as null:
        async with stdio_client(server, errlog=null) as streams, ClientSession(*streams) as session:
            await session.initialize()
            await session.list_tools()
            result = await session.call_tool("get_current_time", {"timezone": "UTC"})
            assert "UTC" in result.content[0].text

asyncio.run(talk())
"""
MEASURED = """
import json, resource, sys
used = resource.getrusage(resource.RUSAGE_SELF)
print(json.dumps([1000 * (used.ru_utime + used.ru_stime), used.ru_maxrss / 1024]))
"""


def spent(program: str) -> tuple[float, float]:
    """Milliseconds of CPU, and the most MB of memory."""
    done = subprocess.run(
        [sys.executable, "-c", f"SERVER = {SERVER!r}\n{program}\n{MEASURED}"],
        stdout=subprocess.PIPE,
        check=True,
    )
    milliseconds, megabytes = json.loads(done.stdout)
    return milliseconds, megabytes


def main() -> None:
    programs = {
        "official": OFFICIAL,
        "ours": OURS,
        "none, with a model": WITH_A_MODEL,
        "official, with a model": WITH_A_MODEL + OFFICIAL,
        "ours, with a model": WITH_A_MODEL + OURS,
    }
    runs: dict[str, list[tuple[float, float]]] = {name: [] for name in programs}
    for _ in range(TIMES):
        for name, program in programs.items():
            runs[name].append(spent(program))

    cpu = {name: median(one for one, _ in of_one) for name, of_one in runs.items()}
    memory = {name: median(one for _, one in of_one) for name, of_one in runs.items()}
    print(f"{'client':28}{'CPU ms':>8}{'MB':>8}")
    for name in programs:
        print(f"{name:28}{cpu[name]:8.0f}{memory[name]:8.1f}")

    print(f"alone: {alone(cpu):.2f} of the CPU, {alone(memory):.2f} of the memory")
    print(f"added with a model: {added(cpu):.2f} of the CPU, {added(memory):.2f} of the memory")


def alone(values: dict[str, float]) -> float:
    return values["ours"] / values["official"]


def added(values: dict[str, float]) -> float:
    before = values["none, with a model"]
    ours = values["ours, with a model"] - before
    return ours / (values["official, with a model"] - before)


if __name__ == "__main__":
    main()
