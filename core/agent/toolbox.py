"""The tools of one batch, and the record of every call. Law: what is not granted is not offered, and nothing raises."""

import json
import threading
from collections.abc import Mapping
from functools import partial
from typing import Any

from core.agent.arguments import wrong_with
from core.agent.built_in import BuiltIn, Record, RefusedError
from core.agent.ground import Ground
from core.agent.mcp_client import ToolServers
from core.agent.outside import READS, addresses_of, read_before_start
from core.agent.tool import Tool
from core.agent.tools.commands import command_tools
from core.agent.tools.files import file_tools
from core.agent.tools.heartbeats import heartbeat_tools
from core.agent.tools.memory import memory_tools
from core.agent.tools.messages import message_tools
from core.agent.tools.reports import report_tools
from core.agent.tools.servers import server_tools
from core.agent.tools.web import web_tools
from core.model.agent import Batch, BatchEnding, BatchResult
from core.model.evidence import Act
from core.rules.permitting.tags import missing_tags
from core.rules.redacting import without_tokens, without_values

LONGEST_RESULT = 8000  # characters that the model gets back of one call
LONGEST_ARGUMENT, LONGEST_ACT, LONGEST_OUTPUT = 200, 600, 2000  # of a call in the record
# They change something, and never what a task's check looks at: a claim after one of them is as bare as before.
BESIDE_THE_WORK = frozenset(
    {"remember", "resolve_pending", "notify", "http_get", "heartbeat_add", "heartbeat_remove", "heartbeat_run"}
)
MOST_CALLS = 200
MOST_REPEATS = 3  # of one and the same call in a row: small models call the same tool for ever


class BatchToolbox:
    """The `Toolbox` of core/agent/tool.py."""

    def __init__(self, ground: Ground, batch: Batch) -> None:
        self._ground = ground
        ids = frozenset(task.id for task in batch.tasks)
        self._record = Record(ids, read_before_start(batch), addresses_of(batch))
        self._lock = threading.Lock()  # one call at a time: two tools never meet in the same file
        self._last, self._repeats = "", 0
        self._servers: ToolServers | None = None  # not started yet
        offered = [one for one in self._built_in() if not one.tag or ground.grants(one.tag)]
        self._tools = {one.name: one for one in offered}

    def _built_in(self) -> tuple[BuiltIn, ...]:
        ground, record = self._ground, self._record
        return (
            *file_tools(ground),
            *command_tools(ground),
            *web_tools(ground, record),
            *message_tools(ground, record),
            *memory_tools(ground),
            *heartbeat_tools(ground, record),
            *report_tools(record),
        )

    def tools(self) -> tuple[Tool, ...]:
        with self._lock:
            self._add_servers()
        return tuple(
            Tool(one.name, one.description, one.schema, one.tag, one.could_do_it, partial(self.call, one.name))
            for one in self._tools.values()
        )

    def _add_servers(self) -> None:
        """Start the approved servers whose tags are all granted, once, and offer what they have."""
        if self._servers is not None:
            return
        ground, granted = self._ground, self._ground.settings.agent.permissions
        usable = {
            name: server
            for name, server in ground.servers.items()
            if not missing_tags(server.permissions, granted, ground.root, ground.home)
        }
        self._servers = ToolServers(usable, ground.root, ground.environment, ground.cancelled)
        offered = server_tools(self._servers, ground, self._record)
        self._tools |= {one.name: one for one in offered if one.name not in self._tools}
        for name, trouble in self._servers.troubles.items():
            self._record.acts.append(Act(f"start the tool server {name}", f"It did not start: {trouble}.", False))

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        with self._lock:
            arguments = self._without_secrets(dict(arguments))
            answer, did_it = self._answer(name, arguments)
            answer = self._presentable(answer, LONGEST_RESULT)
            self._record.acts.append(Act(self._shown(name, arguments), answer[:LONGEST_OUTPUT], did_it))
            return answer

    def _without_secrets(self, value: Any) -> Any:
        """A provider knows its key, and may let the model write it down, or half of it where a text is cut later."""
        if isinstance(value, str):
            return without_values(value, self._ground.secrets())
        if isinstance(value, list):
            return [self._without_secrets(one) for one in value]
        if isinstance(value, dict):
            return {self._without_secrets(key): self._without_secrets(one) for key, one in value.items()}
        return value

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, bool]:
        """What the model reads, and whether something was done that could have done a task."""
        tool = self._tools.get(name)
        if tool is None:
            return f"There is no tool {name[:60]}. There are: {', '.join(self._tools)}.", False
        if tool.whole_schema is None and (wrong := wrong_with(arguments, tool.schema)):
            return f"{wrong} Nothing was done.", False
        if too_much := self._too_much(name, arguments):
            return too_much, False
        try:
            answer = tool.do(arguments)
        except RefusedError as refused:
            return str(refused), False
        except Exception as error:  # a full disk, a locked ledger, a mistake of ours: the batch goes on after each
            return f"It did not work: {error}", False
        self._record.has_read = self._record.has_read or name in READS
        return answer, tool.could_do_it and name not in BESIDE_THE_WORK

    def _too_much(self, name: str, arguments: Mapping[str, Any]) -> str:
        this = json.dumps([name, arguments], sort_keys=True, default=str)
        self._repeats = self._repeats + 1 if this == self._last else 1
        self._last = this
        if self._repeats > MOST_REPEATS:
            return "You have made exactly this call several times in a row. Go on with something else, or report."
        if len(self._record.acts) >= MOST_CALLS:
            return "No more calls in this beat. Report what you have."
        return ""

    def _shown(self, name: str, arguments: Mapping[str, Any]) -> str:
        parts = [f"{key}={self._shortened(value)}" for key, value in list(arguments.items())[:8]]
        return self._presentable(f"{name}({', '.join(parts)})", LONGEST_ACT)

    @staticmethod
    def _shortened(value: object) -> str:
        text = json.dumps(value, ensure_ascii=False, default=str) if not isinstance(value, str) else value
        return text if len(text) <= LONGEST_ARGUMENT else text[:LONGEST_ARGUMENT] + "…"

    def _presentable(self, text: str, longest: int) -> str:
        """Without secrets and without signs that nobody sees, and not longer than that."""
        text = without_values(text, self._ground.secrets())
        text = without_tokens(text)
        text = "".join(sign if sign.isprintable() or sign in "\n\t\r" else "·" for sign in text)
        return text if len(text) <= longest else text[: longest - 1] + "…"

    def recorded(self) -> BatchResult:
        with self._lock:
            record = self._record
            return BatchResult(
                BatchEnding.FINISHED,
                reports=dict(record.reports),
                acts=tuple(record.acts),
                review=record.review,
                wants_run=tuple(record.wants_run),
            )

    def close(self) -> None:
        if self._servers is not None:
            self._servers.close()
