"""The tools for files of the workspace. They read nothing outside of it, and what they overwrite
can be restored."""

from collections.abc import Callable, Sequence
from itertools import accumulate
from pathlib import PurePath

from core.agent.arguments import Arguments, Text
from core.agent.own_tool import own_tool
from core.agent.taint import MARK, as_data
from core.agent.tool import Effect, NothingThereError, Record, Tool, ToolRefusedError
from core.agent.tool_world import ToolWorld
from core.agent.tools.heartbeat_file import change_heartbeat_file
from core.model.evidence import Touched
from core.model.file_work import FileFailed, FileWork, NoFile, Operation, SeenFile, UnseenFile
from core.model.tags import WORKSPACE
from core.model.workspace_file import Missing, Refusal

MOST_READ = 6000  # characters per call
ANY_NAME = "*"
LONGEST_PATH = 4096  # characters; no system opens a longer one


class ReadFile(Arguments):
    path: Text
    first_line: int = 1


class ListFiles(Arguments):
    pattern: Text


class WriteFile(Arguments):
    path: Text
    content: Text


class EditFile(Arguments):
    path: Text
    old: Text
    new: Text


def file_tools(world: ToolWorld, _record: Record) -> tuple[Tool, ...]:
    return (
        own_tool(
            ReadFile,
            lambda given: _read(world, _short(given.path), given.first_line),
            name="read_file",
            description="Read a workspace file.",
            permission=WORKSPACE,
            reads_outside=True,
            effect=Effect.NONE,
            touches=lambda given: Touched(reads=True, paths=(given.path,), writes=()),
        ),
        own_tool(
            ListFiles,
            lambda given: _names(world, _short(given.pattern, "pattern")),
            name="list_files",
            description="List workspace files by pattern (* ?).",
            permission=WORKSPACE,
            reads_outside=True,
            effect=Effect.NONE,
            touches=lambda given: _listed(given.pattern),
        ),
        own_tool(
            WriteFile,
            lambda given: _write(world, _short(given.path), given.content),
            name="write_file",
            description="Create or replace a workspace file.",
            permission=WORKSPACE,
            reads_outside=False,
            effect=Effect.WORK,
            touches=lambda given: _written(given.path),
        ),
        own_tool(
            EditFile,
            lambda given: _edit(world, _short(given.path), given.old, given.new),
            name="edit_file",
            description="Replace text that occurs once in a file.",
            permission=WORKSPACE,
            reads_outside=False,
            effect=Effect.WORK,
            touches=lambda given: _written(given.path),
        ),
    )


def _short(text: str, field: str = "path") -> str:
    if len(text) > LONGEST_PATH:
        raise ToolRefusedError(
            f"`{field}` is too long: it may have at most {LONGEST_PATH:,} characters. Nothing was "
            "done."
        )

    return text


def _listed(pattern: str) -> Touched:
    return Touched(reads=True, paths=(), writes=(), patterns=(pattern or ANY_NAME,))


def _written(path: str) -> Touched:
    return Touched(reads=False, paths=(path,), writes=(path,))


def _read(world: ToolWorld, path: str, first_line: int) -> str:
    lines = _text(world, path).splitlines(keepends=True)
    first = max(first_line, 1)

    wanted = lines[first - 1 :]
    count = max(_how_many_fit(wanted), min(len(wanted), 1))  # one line even if it is too long
    last = first - 1 + count
    shown = as_data(path, "".join(wanted[:count]))
    if last >= len(lines):
        return shown

    return f"{shown}\nLines {first} to {last} of {len(lines)}; go on with first_line={last + 1}."


def _text(world: ToolWorld, path: str) -> str:
    match world.shown_files.inspect(path):
        case NoFile():
            raise NothingThereError(f"There is no file {path} in the workspace.")
        case UnseenFile(reason):
            raise ToolRefusedError(reason)
        case SeenFile(text=None):
            raise ToolRefusedError(f"{path} is too large to be read.")
        case SeenFile(text=text):
            assert text is not None

    if "\0" in text:
        raise ToolRefusedError(f"{path} is not a text file.")

    return text


def _how_many_fit(lines: Sequence[str]) -> int:
    """How many of the lines, with their marks, are within what one call may return."""
    sizes = accumulate(len(line) + len(MARK) for line in lines)
    return sum(size <= MOST_READ for size in sizes)


def _names(world: ToolWorld, pattern: str) -> str:
    names = world.shown_files.names(pattern or ANY_NAME)
    if not names:
        raise NothingThereError(f"No file in the workspace matches {pattern}.")

    count = _how_many_fit(names)
    shown = as_data("list_files", "\n".join(names[:count]))
    if count == len(names):
        return shown

    return f"{shown}\n{len(names) - count} or more are left out; narrow the pattern."


def _write(world: ToolWorld, path: str, content: str) -> str:
    if _is_heartbeat_file(world, path):
        return change_heartbeat_file(world, lambda _: content.encode())
    return _put(world, path, content)


def _edit(world: ToolWorld, path: str, old: str, new: str) -> str:
    change = _replacing(path, old, new)
    if _is_heartbeat_file(world, path):
        return change_heartbeat_file(world, change)

    reading = world.files.read(world.root / path, world.root)
    if isinstance(reading, Missing):
        raise ToolRefusedError(f"There is no file {path} in the workspace.")
    if isinstance(reading, Refusal):
        raise ToolRefusedError(reading.message)

    return _put(world, path, change(reading.data).decode())


def _replacing(path: str, old: str, new: str) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise ToolRefusedError(f"{path} is not UTF-8 text.") from None

        count = text.count(old) if old else 0
        if count == 0:
            raise ToolRefusedError(f"`old` is not in {path}; read it first.")
        if count > 1:
            raise ToolRefusedError(
                f"`old` occurs {count} times in {path}; give more of the text around it."
            )

        return text.replace(old, new).encode()

    return change


def _put(world: ToolWorld, path: str, content: str) -> str:
    done = world.guarded_worker.do(
        FileWork(Operation.WRITE, path, content=content), world.undo_folder, world.clock.now()
    )
    if isinstance(done, FileFailed):
        raise ToolRefusedError(f"{path} was not written: {done.reason}.")

    return f"Wrote {path} ({len(content.encode())} bytes)."


def _is_heartbeat_file(world: ToolWorld, path: str) -> bool:
    """Whether the path, as it is written, is the workspace's HEARTBEAT.md. A link to that file is
    refused where it is written."""
    written = PurePath(path)
    name = world.workspace().file.relative_to(world.root)
    return written in (PurePath(name), world.root / name)
