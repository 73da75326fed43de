"""A fake that knows what the commands of the suites would do."""

from datetime import timedelta
from pathlib import Path

from tests.fakes.processes import FakeProcesses

MANY_BYTES = "head -c 3000000 /dev/zero | tr '\\0' a; echo; echo the end"


def fake_processes() -> FakeProcesses:
    made = FakeProcesses()
    made.has_folder = Path.is_dir
    made.endings = {"exit 3": 3}
    made.takes = {"echo so far; exec sleep 50": timedelta(seconds=50)}
    made.prints = {
        "exit 3": "",
        "echo first; echo second >&2; echo last": "first\nsecond\nlast\n",
        "echo so far; exec sleep 50": "so far\n",
        MANY_BYTES: "a" * 3_000_000 + "\nthe end\n",
    }
    return made
