"""The memory file: lines of two of its sections come and go, and nothing else in it is touched."""

from collections.abc import Callable
from pathlib import Path

from core.agent.built_in import TEXT, BuiltIn, RefusedError, one_of
from core.agent.ground import Ground
from core.model.diagnostic import Problem
from core.model.file_work import FileFailed, FileWork, Operation
from core.model.holder import Holder
from core.model.workspace_file import Failed, Missing, Postponed, Refusal
from core.rules.permitting.control_names import MEMORY_FILE
from core.rules.permitting.known_tags import MEMORY
from core.rules.writing.memory import SECTIONS, remembered, resolved


def memory_tools(ground: Ground) -> tuple[BuiltIn, ...]:
    return (
        BuiltIn(
            "remember",
            "Add a line to the memory.",
            {"section": one_of(*SECTIONS), "line": TEXT},
            MEMORY,
            lambda given: _change(ground, lambda data: remembered(data, given["section"], given["line"])),
        ),
        BuiltIn(
            "resolve_pending",
            "Remove a Pending line.",
            {"line": TEXT},
            MEMORY,
            lambda given: _change(ground, lambda data: resolved(data, given["line"])),
        ),
    )


def _change(ground: Ground, change: Callable[[bytes], bytes | Problem]) -> str:
    held = ground.lock.acquire("memory", ground.clock.now())
    if isinstance(held, Holder):
        raise RefusedError("Another beat is writing in the workspace; try again later.")
    with held:
        return _write(ground, change)


def leads_elsewhere(root: Path) -> bool:
    """Behind a link could be a prompt, or another file that is not for these tools."""
    return (root / MEMORY_FILE).resolve() != root.resolve() / MEMORY_FILE


def _write(ground: Ground, change: Callable[[bytes], bytes | Problem]) -> str:
    path, now = ground.root / MEMORY_FILE, ground.clock.now()
    base = ground.files.read(path, ground.root)
    if isinstance(base, Refusal):
        raise RefusedError(base.message)
    if leads_elsewhere(ground.root):
        raise RefusedError(f"{MEMORY_FILE} is a link to another file; the person has to make it a file of its own.")
    wanted = change(b"" if isinstance(base, Missing) else base.data)
    if isinstance(wanted, Problem):
        raise RefusedError(f"{wanted.message} {wanted.hint}".strip())
    if isinstance(base, Missing):
        done = ground.own_worker.do(FileWork(Operation.WRITE, MEMORY_FILE, content=wanted.decode()), ground.undo, now)
        if isinstance(done, FileFailed):
            raise RefusedError(f"{MEMORY_FILE} was not written: {done.reason}.")
        return "Done."
    ground.undo.keep(path.resolve())
    written = ground.files.write(base, ground.root, lambda _: wanted, now)
    if isinstance(written, Postponed | Failed):
        raise RefusedError(f"{written.reason} Nothing was changed.")
    ground.undo.changed(path.resolve())
    return "Done."
