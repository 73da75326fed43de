"""Which processes of a command are left, whatever their parent is by now: found in all of /proc by
a token that the command carries."""

import time
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path


def survivors(token: str) -> list[int]:
    """Every living process with the token in its environment or its arguments; the dead have
    neither."""
    return [
        int(folder.name)
        for folder in Path("/proc").iterdir()
        if folder.name.isdigit() and carries(folder, token)
    ]


def carries(process: Path, token: str) -> bool:
    for name in ("environ", "cmdline"):
        with suppress(FileNotFoundError, ProcessLookupError, PermissionError):
            if token.encode() in (process / name).read_bytes():
                return True
    return False


def until(condition: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.005)
