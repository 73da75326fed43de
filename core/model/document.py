"""What a workspace says: lines, nodes, and the items that were read from them.

The document is lossless: `bom + text` encodes to the bytes that were read, the lines tile the
text, and every line belongs to exactly one node. Positions are character offsets into `text`.
Frozen values, no IO.
"""

from collections.abc import Mapping
from datetime import timedelta
from enum import StrEnum
from typing import NamedTuple

from core.model.action_type import ActionType, Params
from core.model.diagnostic import Diagnostic, Unclear
from core.model.light_dataclass import field, light_dataclass


class Line(NamedTuple):
    number: int
    start: int
    end: int  # after the line end
    text: str  # without the line end


class NodeKind(StrEnum):
    FRONTMATTER = "frontmatter"
    HEADING = "heading"
    TASK = "task"
    DETAILS = "details"  # of the task above
    VERDICT = "verdict"  # the program's own line under a task
    ACTION = "action"
    PROBE = "probe"
    COMPLETED = "completed"
    REVIEW = "review"
    CONTEXT = "context"
    PLAIN = "plain"  # an active line of a plain file
    INACTIVE = "inactive"  # a line of a plain file that starts nothing by itself
    BLANK = "blank"
    REFUSED = "refused"


class Node(NamedTuple):
    """Consecutive lines with one meaning."""

    kind: NodeKind
    first: int
    last: int
    start: int
    end: int
    owner: str = ""  # the id of the task, action or probe


class Format(StrEnum):
    CONTRACT = "contract"
    ACTIONS = "actions"
    MIXED = "mixed"
    PLAIN = "plain"


class Priority(StrEnum):
    CRITICAL = "CRITICAL"
    HIGH = "HIGH"
    MEDIUM = "MEDIUM"
    LOW = "LOW"
    BG = "BG"


class ActionStatus(StrEnum):
    PENDING = "PENDING"
    RUNNING = "RUNNING"
    COMPLETED = "COMPLETED"
    FAILED = "FAILED"
    SKIPPED = "SKIPPED"
    NEEDS_CLARIFICATION = "NEEDS_CLARIFICATION"


RUN_TIMEOUT = timedelta(minutes=5)  # of a `run:` that names none


@light_dataclass(frozen=True, slots=True)
class Task:
    id: str
    description: str
    required: bool
    verify: str
    max_attempts: int
    checked: bool
    schedule: str | None
    run: str | None
    line: int
    unclear: Unclear | None = None  # why it cannot run as written
    timeout: timedelta = RUN_TIMEOUT  # of `run`
    details: str = ""  # the lines indented under it, which go to the model with it


class Field(NamedTuple):
    """One `- **key**: value` line of an action."""

    key: str
    value: str
    line: int
    start: int  # of the value, in the document's text
    end: int


@light_dataclass(frozen=True, slots=True)
class Action:
    id: str
    name: str
    priority: Priority
    type: ActionType | None
    status: ActionStatus
    schedule: str | None
    retry: int
    retry_delay: timedelta
    timeout: timedelta
    depends_on: tuple[str, ...]
    condition: str | None
    params: Params  # the keys of its type, from the block or its `params`
    sandbox: bool
    line: int
    fields: tuple[Field, ...]  # its own lines, not the nested ones, for writing back
    unclear: Unclear | None = None


class Probe(NamedTuple):
    name: str
    command: str
    line: int


class Completed(NamedTuple):
    """One line under `## Completed Today`."""

    id: str
    line: int
    words: str = ""  # all that is after its box


class FrontmatterValue(NamedTuple):
    value: object  # text, number, boolean, None, or a list or table of them
    line: int
    column: int
    start: int  # of the written value, in the document's text
    end: int
    writable: bool  # a simple value on the key's own line


@light_dataclass(frozen=True, slots=True)
class Frontmatter:
    values: Mapping[str, FrontmatterValue] = field(default_factory=dict)
    last_line: int = 0  # of the closing ---; 0 if the file has none
    writable: bool = False  # it was read as a whole, one key per line, so a line can be added

    def text(self, key: str) -> str | None:
        entry = self.values.get(key)
        return entry.value if entry and isinstance(entry.value, str) else None


@light_dataclass(frozen=True, slots=True)
class Document:
    bom: str
    text: str
    lines: tuple[Line, ...]
    nodes: tuple[Node, ...]
    frontmatter: Frontmatter
    format: Format
    context: str
    tasks: tuple[Task, ...]
    actions: tuple[Action, ...]
    probes: tuple[Probe, ...]
    completed: tuple[Completed, ...]
    review: str | None
    active: bool
    diagnostics: tuple[Diagnostic, ...]
    refused: bool = False
    never_run: tuple[int, ...] = ()  # lines that look like something to do and can never run
    # Why nothing may start by itself: a zone or active hours that cannot be read.
    held: Unclear | None = None

    @property
    def is_plain_item(self) -> bool:
        """Say whether the file as a whole is an item: a plain file with an active line. A file
        with only a review is a review."""
        return any(node.kind is NodeKind.PLAIN for node in self.nodes)


class Gate(NamedTuple):
    command: str
    cwd: str | None
    timeout: timedelta
    env: Mapping[str, str]
    permissions: tuple[str, ...]
    allowed_domains: tuple[str, ...]


class RunIf(StrEnum):
    """Which ending of its gate lets a prompt run."""

    SUCCESS = "success"
    FAILURE = "failure"
    ALWAYS = "always"


@light_dataclass(frozen=True, slots=True)
class Prompt:
    id: str
    title: str
    gate: Gate | None
    schedule: str | None
    run_if: RunIf
    body: str
    file: str
    unclear: Unclear | None = None


class PromptFile(NamedTuple):
    """What `heartbeat/<id>.md` says. It may not be a prompt."""

    prompt: Prompt | None
    diagnostics: tuple[Diagnostic, ...]
