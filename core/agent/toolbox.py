"""The tools of one batch, and the record of every call. Law: a tool that is not granted is not
offered, and nothing raises."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

from core.agent.mcp.client import ToolServers
from core.agent.places import touched_inside
from core.agent.taint import addresses_of, read_before_start
from core.agent.tool import (
    NothingThereError,
    OfferedTool,
    PartlyDoneError,
    Record,
    RepeatGuard,
    Repeating,
    Tool,
    ToolRefusedError,
    tool_for,
)
from core.agent.tool_world import ToolWorld
from core.agent.tools.commands import command_tools
from core.agent.tools.files import file_tools
from core.agent.tools.heartbeats import heartbeat_tools
from core.agent.tools.memory import memory_tools
from core.agent.tools.messages import message_tools
from core.agent.tools.reports import report_tools
from core.agent.tools.servers import server_tools
from core.agent.tools.web import web_tools
from core.model.agent import Batch, BatchEnding, BatchResult
from core.model.evidence import TOUCHED_NOTHING, Act, Touched
from core.model.light_dataclass import light_dataclass
from core.model.tags import NOTIFY
from core.rules.approving.tags import missing_tags
from core.rules.printable import printable
from core.rules.redacting import without_tokens, without_values

MOST_CALLS = 200
MOST_REPEATS = 3  # of the same call in a row; see RepeatGuard
LONGEST_RESULT = 8000  # characters that the model gets back from one call
# Characters that the record keeps of a call.
LONGEST_ARGUMENT = 200
LONGEST_ACT = 600
LONGEST_OUTPUT = 2000
MOST_ARGUMENTS = 8

# All our tools; a new one is a record that one of these functions returns.
TOOLS: list[Callable[[ToolWorld, Record], Sequence[Tool]]] = [
    file_tools,
    command_tools,
    web_tools,
    message_tools,
    memory_tools,
    heartbeat_tools,
    report_tools,
]


@light_dataclass(frozen=True, slots=True)
class _Called:
    """What became of one call; without more, nothing was done."""

    answer: str  # for the model
    could_do_it: bool = False
    happened: bool = False
    found: bool = True
    touched: Touched = TOUCHED_NOTHING


def texts_in(value: Any) -> Iterator[str]:
    """All texts of an argument, however it is nested."""
    waiting = [value]
    while waiting:
        one = waiting.pop()
        if isinstance(one, str):
            yield one
        elif isinstance(one, Mapping):
            waiting += [*one.keys(), *one.values()]
        elif isinstance(one, list | tuple):
            waiting += one


class BatchToolbox:
    """The `Toolbox` of core/agent/tool.py."""

    def __init__(self, world: ToolWorld, batch: Batch) -> None:
        self._world = world
        self._batch = batch
        self._refused = 0
        ids = frozenset(task.id for task in batch.tasks)
        self._record = Record(ids, read_before_start(batch), addresses_of(batch))
        self._lock = threading.Lock()  # one call at a time: two tools never write the same file
        self._repeats = RepeatGuard(MOST_REPEATS, Repeating.IN_A_ROW)
        # Asked for here, in the thread of the beat: the ledger that knows of the approvals is good
        # for that one.
        self._approved = world.servers
        self._servers: ToolServers | None = None  # not started yet
        self._tools = {
            tool.name: tool
            for make in TOOLS
            for tool in make(world, self._record)
            if not tool.permission or world.grants(tool.permission)
        }

    def tools(self) -> tuple[OfferedTool, ...]:
        with self._lock:
            self._add_servers()

        return tuple(one.offer for one in self._tools.values())

    def _add_servers(self) -> None:
        """Start the approved servers whose tags are all granted, and offer their tools. Only the
        first call does anything."""
        if self._servers is not None:
            return

        world = self._world
        granted = world.settings.agent.permissions
        usable = {
            name: server
            for name, server in self._approved.items()
            if not missing_tags(server.permissions, granted, world.root, world.home)
        }

        self._servers = ToolServers(
            usable,
            world.root,
            world.server_environment,
            world.tool_servers,
            world.clock.monotonic,
            world.cancelled,
        )
        offered = server_tools(self._servers, world, self._record)
        for one in offered:
            self._tools.setdefault(one.name, one)  # two can have one name: the first one keeps it

        for name, trouble in self._servers.troubles.items():
            self._record.acts.append(
                Act(
                    f"start the tool server {name}",
                    f"It did not start: {trouble}.",
                    could_do_it=False,
                    happened=False,
                )
            )

    def call(self, name: str, arguments: Mapping[str, Any]) -> str:
        with self._lock:
            arguments = self._without_secrets(dict(arguments))
            said = self._answer(name, arguments)
            answer = self._presentable(said.answer, LONGEST_RESULT)
            self._record.acts.append(
                Act(
                    self._shown(name, arguments),
                    answer[:LONGEST_OUTPUT],
                    could_do_it=said.could_do_it,
                    happened=said.happened,
                    found=said.found,
                    touched=touched_inside(said.touched, self._world.root),
                    said=self._said(name, arguments),
                )
            )

            return answer

    def _without_secrets(self, value: Any) -> Any:
        """The arguments without secrets: a provider knows its key, and its model may write it into
        a file. Before anything is cut, because half of a key would not be found."""
        if isinstance(value, str):
            return without_values(value, self._world.secret_values())
        if isinstance(value, list):
            return [self._without_secrets(one) for one in value]
        if isinstance(value, dict):
            return {
                self._without_secrets(key): self._without_secrets(one) for key, one in value.items()
            }

        return value

    def _answer(self, name: str, arguments: Mapping[str, Any]) -> "_Called":
        try:
            tool = tool_for(self._tools, name)
            self._repeats.check(name, arguments, tool.changes_something)
            if len(self._record.acts) >= MOST_CALLS:
                raise ToolRefusedError("No more calls in this beat. Report what you have.")

            answer = tool.run(arguments)
        except NothingThereError as nothing:
            self._refused += 1
            touched = tool.touches(arguments)
            return _Called(str(nothing), happened=True, found=False, touched=touched)
        except PartlyDoneError as broken:
            self._refused += 1
            return _Called(str(broken), touched=tool.touches(arguments))
        except ToolRefusedError as refused:
            self._refused += 1
            return _Called(str(refused))
        except Exception as error:
            self._refused += 1
            # A full disk, a locked ledger, a bug: the batch goes on after each of them.
            return _Called(f"It did not work: {error}")

        self._record.has_read = self._record.has_read or tool.reads_outside
        return _Called(
            answer,
            could_do_it=tool.effect.counts_as_work,
            happened=tool.effect.is_more_than_words,
            touched=tool.touches(arguments),
        )

    def _said(self, name: str, arguments: Mapping[str, Any]) -> tuple[str, ...]:
        """What the model wrote, as it would look in a result. A report repeats what was found."""
        tool = self._tools.get(name)
        if tool is not None and not tool.effect.is_more_than_words:
            return ()

        return tuple(self._presentable(text, len(text)) for text in texts_in(arguments))

    def _shown(self, name: str, arguments: Mapping[str, Any]) -> str:
        shown = list(arguments.items())[:MOST_ARGUMENTS]
        parts = [f"{key}={self._shortened(value)}" for key, value in shown]

        return self._presentable(f"{name}({', '.join(parts)})", LONGEST_ACT)

    @staticmethod
    def _shortened(value: object) -> str:
        if isinstance(value, str):
            text = value
        else:
            text = json.dumps(value, ensure_ascii=False, default=str)

        return text if len(text) <= LONGEST_ARGUMENT else text[:LONGEST_ARGUMENT] + "…"

    def _presentable(self, text: str, longest: int) -> str:
        """The text without secrets and invisible characters, shortened to `longest`."""
        text = without_values(text, self._world.secret_values())
        text = without_tokens(text)
        text = printable(text, "·", kept="\n\t\r")

        return text if len(text) <= longest else text[: longest - 1] + "…"

    @property
    def refused(self) -> int:
        return self._refused

    def is_all_reported(self) -> bool:
        batch = self._batch
        # Prompts and the plain file are answered by the last message.
        if not batch.tasks or batch.prompts or batch.plain or not self._world.grants(NOTIFY):
            return False

        with self._lock:
            is_reviewed = not batch.review or self._record.review is not None
            return is_reviewed and self._record.tasks <= self._record.reports.keys()

    def recorded(self) -> BatchResult:
        with self._lock:
            record = self._record
            return BatchResult(
                BatchEnding.FINISHED,
                reports=dict(record.reports),
                acts=tuple(record.acts),
                review=record.review,
                wants_run=tuple(record.wants_run),
                servers=self._servers.endings() if self._servers is not None else {},
            )

    def close(self) -> None:
        if self._servers is not None:
            self._servers.close()
