"""Files of the workspace. Reading sees nothing outside of it; what is overwritten can be brought back."""

from collections.abc import Callable, Mapping
from itertools import accumulate
from pathlib import PurePath
from typing import Any

from core.agent.built_in import NUMBER, TEXT, BuiltIn, RefusedError
from core.agent.ground import Ground
from core.agent.outside import MARK, as_data
from core.agent.tools.heartbeat_file import change_heartbeat_file
from core.model.file_work import FileFailed, FileWork, Operation
from core.model.seen_file import NoFile, SeenFile, UnseenFile
from core.model.workspace_file import Missing, Refusal
from core.rules.permitting.known_tags import WORKSPACE

MOST_READ = 6000  # characters of a file at once
BROAD_PATTERN = "*"


def file_tools(ground: Ground) -> tuple[BuiltIn, ...]:
    return (
        BuiltIn(
            "read_file",
            "Read a workspace file.",
            {"path": TEXT, "first_line": NUMBER},
            WORKSPACE,
            lambda given: _read(ground, given),
            optional=("first_line",),
            could_do_it=False,
        ),
        BuiltIn(
            "list_files",
            "List workspace files by pattern (* ?).",
            {"pattern": TEXT},
            WORKSPACE,
            lambda given: _names(ground, given["pattern"]),
            could_do_it=False,
        ),
        BuiltIn(
            "write_file",
            "Create or replace a workspace file.",
            {"path": TEXT, "content": TEXT},
            WORKSPACE,
            lambda given: _write(ground, given["path"], given["content"]),
        ),
        BuiltIn(
            "edit_file",
            "Replace a text that stands once in a file.",
            {"path": TEXT, "old": TEXT, "new": TEXT},
            WORKSPACE,
            lambda given: _edit(ground, given["path"], given["old"], given["new"]),
        ),
    )


def _read(ground: Ground, given: Mapping[str, Any]) -> str:
    path, first = given["path"], max(given.get("first_line", 1), 1)
    match ground.look.look(path):
        case NoFile():
            raise RefusedError(f"There is no file {path} in the workspace.")
        case UnseenFile(reason):
            raise RefusedError(reason)
        case SeenFile(text=None):
            raise RefusedError(f"{path} is too large to be read.")
        case SeenFile(text=text):
            assert text is not None
    if "\0" in text:
        raise RefusedError(f"{path} is not a text file.")
    lines = text.splitlines(keepends=True)
    ends = list(accumulate(len(line) + len(MARK) for line in lines[first - 1 :]))
    last = first - 1 + max(sum(end <= MOST_READ for end in ends), min(len(ends), 1))
    shown = "".join(lines[first - 1 : last])
    more = f"\nLines {first} to {last} of {len(lines)}; go on with first_line={last + 1}." if last < len(lines) else ""
    return as_data(path, shown) + more


def _names(ground: Ground, pattern: str) -> str:
    names = ground.look.names(pattern or BROAD_PATTERN)
    if not names:
        return f"No file of the workspace matches {pattern}."
    ends = list(accumulate(len(name) + len(MARK) for name in names))
    shown = sum(end <= MOST_READ for end in ends)
    more = f"\n{len(names) - shown} or more are left out; narrow the pattern." if shown < len(names) else ""
    return as_data("list_files", "\n".join(names[:shown])) + more


def _write(ground: Ground, path: str, content: str) -> str:
    if _is_heartbeat_file(ground, path):
        return change_heartbeat_file(ground, lambda _: content.encode())
    return _put(ground, path, content)


def _edit(ground: Ground, path: str, old: str, new: str) -> str:
    change = _replacing(path, old, new)
    if _is_heartbeat_file(ground, path):
        return change_heartbeat_file(ground, change)
    reading = ground.files.read(ground.root / path, ground.root)
    if isinstance(reading, Missing):
        raise RefusedError(f"There is no file {path} in the workspace.")
    if isinstance(reading, Refusal):
        raise RefusedError(reading.message)
    return _put(ground, path, change(reading.data).decode())


def _replacing(path: str, old: str, new: str) -> Callable[[bytes], bytes]:
    def change(data: bytes) -> bytes:
        try:
            text = data.decode()
        except UnicodeDecodeError:
            raise RefusedError(f"{path} is not UTF-8 text.") from None
        count = text.count(old) if old else 0
        if count != 1:
            many = f"stands {count} times in {path}; give more of the text around it"
            raise RefusedError(f"`old` {many if count else f'does not stand in {path}; read it first'}.")
        return text.replace(old, new).encode()

    return change


def _put(ground: Ground, path: str, content: str) -> str:
    done = ground.worker.do(FileWork(Operation.WRITE, path, content=content), ground.undo, ground.clock.now())
    if isinstance(done, FileFailed):
        raise RefusedError(f"{path} was not written: {done.reason}.")
    return f"Wrote {path} ({len(content.encode())} bytes)."


def _is_heartbeat_file(ground: Ground, path: str) -> bool:
    """Whether the path, as it is written, is the workspace's HEARTBEAT.md; a link to it is refused later on."""
    written = PurePath(path)
    name = ground.workspace().file.relative_to(ground.root)
    return written in (PurePath(name), ground.root / name)
