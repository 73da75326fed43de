"""The tools for the memory file: they add and remove lines of two of its sections, and leave the
rest as it is."""

from collections.abc import Callable
from pathlib import Path
from typing import Literal

from core.agent.arguments import Arguments, Text
from core.agent.own_tool import own_tool
from core.agent.tool import Effect, Record, Tool, ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.model.diagnostic import Problem
from core.model.evidence import Touched
from core.model.file_work import FileFailed, FileWork, Operation
from core.model.holder import Holder, Purpose
from core.model.tags import MEMORY
from core.model.workspace_file import Failed, Missing, Postponed, Refusal, Snapshot
from core.rules.approving.control_names import MEMORY_FILE
from core.rules.writing.memory import remembered, resolved


class Remember(Arguments):
    section: Literal["Observed Patterns", "Pending"]
    line: Text


class ResolvePending(Arguments):
    line: Text


def memory_tools(world: ToolWorld, _record: Record) -> tuple[Tool, ...]:
    return (
        own_tool(
            Remember,
            lambda given: _change(world, lambda data: remembered(data, given.section, given.line)),
            name="remember",
            description="Add a line to the memory.",
            permission=MEMORY,
            reads_outside=False,
            effect=Effect.OTHER,
            touches=_writes_memory,
        ),
        own_tool(
            ResolvePending,
            lambda given: _change(world, lambda data: resolved(data, given.line)),
            name="resolve_pending",
            description="Remove a Pending line.",
            permission=MEMORY,
            reads_outside=False,
            effect=Effect.OTHER,
            touches=_writes_memory,
        ),
    )


def _writes_memory(_: object) -> Touched:
    return Touched(reads=False, paths=(MEMORY_FILE,), writes=(MEMORY_FILE,))


def _change(world: ToolWorld, change: Callable[[bytes], bytes | Problem]) -> str:
    held = world.lock.acquire(Purpose.MEMORY, world.clock.now())
    if isinstance(held, Holder):
        raise ToolRefusedError("Another beat is writing in the workspace; try again later.")

    with held:
        return _write(world, change)


def leads_elsewhere(root: Path) -> bool:
    """Whether the memory file is a link: it could lead to a prompt, or to another file that these
    tools must not write."""
    return (root / MEMORY_FILE).resolve() != root.resolve() / MEMORY_FILE


def _write(world: ToolWorld, change: Callable[[bytes], bytes | Problem]) -> str:
    path = world.root / MEMORY_FILE
    base = world.files.read(path, world.root)
    if isinstance(base, Refusal):
        raise ToolRefusedError(base.message)
    if leads_elsewhere(world.root):
        raise ToolRefusedError(
            f"{MEMORY_FILE} is a link to another file; the person has to replace it with a file."
        )

    wanted = change(b"" if isinstance(base, Missing) else base.data)
    if isinstance(wanted, Problem):
        raise ToolRefusedError(f"{wanted.message} {wanted.hint}".strip())

    if isinstance(base, Missing):
        _create(world, wanted)
    else:
        _replace(world, base, wanted)

    return "Done."


def _create(world: ToolWorld, content: bytes) -> None:
    work = FileWork(Operation.WRITE, MEMORY_FILE, content=content.decode())
    done = world.file_worker.do(work, world.undo_folder, world.clock.now())
    if isinstance(done, FileFailed):
        raise ToolRefusedError(f"{MEMORY_FILE} was not written: {done.reason}.")


def _replace(world: ToolWorld, base: Snapshot, content: bytes) -> None:
    path = world.root / MEMORY_FILE
    world.undo_folder.keep(path.resolve())
    written = world.files.write(base, world.root, lambda _: content, world.clock.now())
    if isinstance(written, Postponed | Failed):
        raise ToolRefusedError(f"{written.reason} Nothing was changed.")

    world.undo_folder.changed(path.resolve())
