"""What a program asks of the system, seen by strace; and strace words that make one of those
calls go wrong."""

import re
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

# All that changes something outside of the process; openat only where it makes or empties a file.
CHANGING = (
    "write,writev,pwrite64,pwritev,fsync,fdatasync,rename,renameat,renameat2,unlink,unlinkat,rmdir,ftruncate,truncate,"
    "mkdir,mkdirat,link,linkat,symlink,symlinkat,chmod,fchmod,fchmodat,fchown,fsetxattr,utimensat,fallocate,openat"
)
_CALL = re.compile(r"(?P<name>\w+)\((?P<arguments>.*)")


class Call(NamedTuple):
    name: str
    number: int  # its number among the calls of this name, from 1
    arguments: str

    def __str__(self) -> str:
        return f"{self.name} {self.number}: {self.arguments[:120]}"


def watching(trace: Path) -> list[str]:
    """Put before a command: notes its changing calls. Only those of its first thread: their
    numbers stay the same."""
    return ["strace", "-qq", "-s", "200", "-o", str(trace), "-e", f"trace={CHANGING}"]


def going_wrong(call: Call, how: str) -> list[str]:
    """Put before a command: this call goes wrong."""
    wrong = f"inject={call.name}:{how}:when={call.number}"
    return ["strace", "-qq", "-o", "/dev/null", "-e", f"trace={call.name}", "-e", wrong]


def changing_calls(trace: Path) -> list[Call]:
    numbers: Counter[str] = Counter()
    calls = []
    for line in trace.read_text(errors="replace").splitlines():
        match = _CALL.match(line)
        if not match:
            continue
        name, arguments = match["name"], match["arguments"]
        numbers[name] += 1
        opens_only = name == "openat" and "O_CREAT" not in arguments and "O_TRUNC" not in arguments
        if not opens_only and not (name == "write" and arguments.startswith(("1,", "2,"))):
            calls.append(Call(name, numbers[name], arguments))
    return calls


def sample(calls: Sequence[Call], most_of_a_kind: int) -> list[Call]:
    """Some of every kind, evenly spread, the first and the last among them."""
    chosen = []
    for name in sorted({call.name for call in calls}):
        alike = [call for call in calls if call.name == name]
        step = max(1, -(-len(alike) // most_of_a_kind))
        chosen += [*alike[::step], *([alike[-1]] if (len(alike) - 1) % step else [])]
    return chosen
