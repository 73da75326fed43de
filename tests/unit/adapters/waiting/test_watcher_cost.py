"""The watcher lives in the always-on process: it loads next to nothing and sleeps while nothing
happens."""

import subprocess
import sys
from pathlib import Path

PROGRAM = """
import os, sys, threading, time
from pathlib import Path
from core.adapters.files.backups import OwnWrites
from core.adapters.waiting.watcher import FolderWatcher

def switches():
    tasks = Path("/proc/self/task").iterdir()
    lines = [line for task in tasks for line in (task / "status").read_text().splitlines()]
    return sum(int(line.split()[1]) for line in lines if line.startswith("voluntary"))

folder = Path(sys.argv[1])
(folder / "HEARTBEAT.md").write_text("text")
watcher = FolderWatcher(
    folder, folder / "config.toml", OwnWrites(folder).explain, print, time.monotonic
)
watcher.start()
descriptors = len(os.listdir("/proc/self/fd"))
before = switches()
for _ in range(1000):
    (folder / "HEARTBEAT.md").read_bytes()
print(switches() - before, len(os.listdir("/proc/self/task")), *sorted(sys.modules))
watcher.stop()
assert len(os.listdir("/proc/self/fd")) == descriptors - 3
assert threading.active_count() == 1
"""
TOO_MUCH = {
    "asyncio",
    "hashlib",
    "difflib",
    "json",
    "yaml",
    "pydantic",
}


def test_it_has_few_threads_loads_nothing_heavy_and_is_not_woken_by_readers(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, tmp_path], capture_output=True, text=True, check=True
    )
    switches, threads, *modules = done.stdout.split()
    # The program's own, the watcher's, watchdog's two, and its one for the only folder.
    assert threads == "5"
    assert not TOO_MUCH & set(modules)
    assert int(switches) < 20  # a thousand reads; a watcher that is told of them wakes for each
