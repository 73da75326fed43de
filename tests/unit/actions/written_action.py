"""An action as it is written in HEARTBEAT.md: read, approved and changed; and a run of one."""

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.actions.runnable import Call, RunnableType
from core.kinds import executables_of, read_document
from core.model.action_type import Params
from core.model.approval import Approval, ApprovedBy, Executable, Reviewed, ReviewState
from core.model.document import Action, ActionStatus, Document, Priority
from core.model.settings import Settings
from core.model.workspace import Workspace
from core.rules.approving.approval import approval_of, review
from tests.fakes.files import FakeScripts

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
PLACE = "/workspace"
BEAT = 7


def document(lines: str) -> Document:
    """One action with these lines of its block, such as `type: shell`; two spaces nest a line."""
    block = [_list_line(line) for line in lines.strip("\n").splitlines()]
    return read_document("\n".join(["## Pending Actions", "### A", "- id: a", *block]).encode())


def _list_line(line: str) -> str:
    indent = len(line) - len(line.lstrip(" "))
    return f"{line[:indent]}- {line[indent:]}"


def action(lines: str) -> Action:
    (found,) = document(lines).actions
    return found


def codes(lines: str) -> list[str]:
    return [one.code for one in document(lines).diagnostics]


def executables(lines: str) -> tuple[Executable, ...]:
    root = Path(PLACE)
    read = document(lines)
    return executables_of(Workspace(root, root / "HEARTBEAT.md", read, (), ()), Settings())


def reach(lines: str) -> tuple[str, ...]:
    (one,) = executables(lines)
    return one.reach


def state_after_change(
    before: str,
    after: str,
    *,
    scripts_before: Mapping[str, str] | None = None,
    scripts_after: Mapping[str, str] | None = None,
) -> ReviewState:
    """What becomes of the approval of an action when its block or a script changes."""
    approved = approval_of(_reviewed(before, scripts_before, None), NOW, ApprovedBy.PERSON)
    return _reviewed(after, scripts_after, {approved.key: approved}).standing


def _reviewed(
    lines: str, scripts: Mapping[str, str] | None, given: Mapping[str, Approval] | None
) -> Reviewed:
    (one,) = executables(lines)
    return review(one, FakeScripts(scripts).find(one.candidates), PLACE, given or {})


def call(
    kind: RunnableType,
    params: Params,
    *,
    values: Mapping[str, str] | None = None,
    timeout: timedelta = timedelta(minutes=5),
    sandbox: bool = False,
) -> Call:
    """A run of the action `a`, which is called "The name", with the values of its variables."""
    written = Action(
        id="a",
        name="The name",
        priority=Priority.MEDIUM,
        type=kind,
        status=ActionStatus.PENDING,
        schedule=None,
        retry=1,
        retry_delay=timedelta(seconds=30),
        timeout=timeout,
        depends_on=(),
        condition=None,
        params=params,
        sandbox=sandbox,
        line=2,
        fields=(),
    )
    return Call(written, BEAT, NOW, dict(values or {}).__getitem__)
