"""A stand-in for `claude`, `codex` or `gemini` on the PATH: takes the documented call, uses the
tools over real MCP, and answers in the documented form. What it was given is left in the folder
that $HOME names.
"""

import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

NAME = Path(sys.argv[0]).name
WORDS = sys.argv[1:]
HOME = Path(os.environ["HOME"])
SCRIPT = json.loads((HOME / "script.json").read_text())
TEXT = SCRIPT.get("text", "HEARTBEAT_OK")


def value(option: str) -> str:
    return WORDS[WORDS.index(option) + 1]


def configured() -> list[str]:
    """The command line of the server `heartbeat`, where this program would look for it."""
    if NAME == "claude":
        server = json.loads(value("--mcp-config"))["mcpServers"]["heartbeat"]
        return [server["command"], *server["args"]]
    if NAME == "codex":
        pairs = dict(
            word.split("=", 1) for word in WORDS if word.startswith("mcp_servers.heartbeat.")
        )
        command, arguments = (
            json.loads(pairs[f"mcp_servers.heartbeat.{key}"]) for key in ("command", "args")
        )
        return [command, *arguments]
    server = json.loads(Path(".gemini/settings.json").read_text())["mcpServers"]["heartbeat"]
    return [server["command"], *server["args"]]


class Tools:
    def __init__(self) -> None:
        self.server = subprocess.Popen(configured(), stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.ask(
            "initialize",
            {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": NAME}},
        )

    def ask(self, method: str, parameters: dict[str, Any]) -> dict[str, Any]:
        self.number += 1
        request = {"jsonrpc": "2.0", "id": self.number, "method": method, "params": parameters}
        assert self.server.stdin
        assert self.server.stdout
        self.server.stdin.write(json.dumps(request).encode() + b"\n")
        self.server.stdin.flush()
        answer = json.loads(self.server.stdout.readline())
        return dict(answer["result"])

    def close(self) -> None:
        self.server.communicate()


def claude_answer() -> str:
    cache = {"cache_read_input_tokens": 90, "cache_creation_input_tokens": 5}
    answer = {
        "type": "result",
        "subtype": SCRIPT.get("subtype", "success"),
        "is_error": bool(SCRIPT.get("error")),
        "result": SCRIPT.get("error") or TEXT,
        "num_turns": 3,
        "total_cost_usd": 0.02,
        "usage": {"input_tokens": 5, "output_tokens": 7, **cache},
    }
    return json.dumps(answer)


def codex_answer() -> str:
    events: list[dict[str, object]] = [
        {"type": "thread.started", "thread_id": "1"},
        {"type": "turn.started"},
    ]
    if error := SCRIPT.get("error"):
        events += [
            {"type": "error", "message": "Reconnecting"},
            {"type": "turn.failed", "error": {"message": error}},
        ]
    else:
        usage = {"input_tokens": 100, "cached_input_tokens": 90, "output_tokens": 7}
        events += [
            {"type": "item.completed", "item": {"id": "0", "type": "reasoning", "text": "hmm"}},
            {"type": "item.completed", "item": {"id": "1", "type": "agent_message", "text": TEXT}},
            {"type": "turn.completed", "usage": usage},
        ]
    return "\n".join(json.dumps(event) for event in events)


def gemini_answer() -> str:
    if error := SCRIPT.get("error"):
        return json.dumps(
            {"session_id": "1", "error": {"type": "Error", "message": error, "code": 41}}, indent=2
        )
    model = {
        "api": {"totalRequests": 3, "totalErrors": 0},
        "tokens": {"prompt": 100, "candidates": 5, "total": 107, "cached": 90, "thoughts": 2},
    }
    return json.dumps(
        {"session_id": "1", "response": TEXT, "stats": {"models": {"gemini-3-pro": model}}}
    )


def main() -> None:
    given = {"words": WORDS, "prompt": sys.stdin.read(), "environment": dict(os.environ)}
    given["folder"] = [path.name for path in Path().iterdir()]
    if SCRIPT.get("hang"):
        (HOME / "pid").write_text(str(os.getpid()))
        time.sleep(3600)
    if "print" in SCRIPT:
        print(SCRIPT["print"])
        print("no login: run it once by hand", file=sys.stderr)
        sys.exit(3)
    tools = Tools()
    given["tools"] = [tool["name"] for tool in tools.ask("tools/list", {})["tools"]]
    for name, arguments in SCRIPT.get("calls", []):
        tools.ask("tools/call", {"name": name, "arguments": arguments})
    tools.close()
    (HOME / "given.json").write_text(json.dumps(given))
    print({"claude": claude_answer, "codex": codex_answer, "gemini": gemini_answer}[NAME]())


main()
