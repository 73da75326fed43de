"""What the sandbox costs: `true` bare, in the sandbox, and there with allowed domains; `python -m
tests.bench.sandbox`.

The figures to look at are the ratios to the bare command of the same run: of the time on the
clock (the shortest run) and of the CPU time (all processes of the command and ours, the mean).
"""

import os
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

from core.adapters.processes.posix import SystemProcesses
from core.adapters.sandbox.bubblewrap import BubblewrapSandbox
from core.model.process import Command
from core.model.sandbox import Reach
from tests.bench.figure import Figure, report

TIMES = 40
FILES, FOLDERS = 200, 50  # of a full workspace


def milliseconds(work: Callable[[], object]) -> tuple[float, float]:
    """On the clock, and of CPU."""
    work()
    spent, cpu_before = [], cpu_seconds()
    for _ in range(TIMES):
        before = time.perf_counter()
        work()
        spent.append(time.perf_counter() - before)
    return min(spent) * 1000, (cpu_seconds() - cpu_before) / TIMES * 1000


def cpu_seconds() -> float:
    return sum(os.times()[:4])


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        small, full = Path(folder, "small"), Path(folder, "full")
        small.mkdir()
        (small / "HEARTBEAT.md").write_text("# Mine\n")
        for number in range(FOLDERS):
            (full / f"folder-{number}").mkdir(parents=True)
        for number in range(FILES):
            (full / f"file-{number}").write_text("x\n")
        processes = SystemProcesses(time.monotonic)
        sandbox = BubblewrapSandbox(processes, Path(folder, "stages"))
        before = time.perf_counter()
        assert sandbox.state().works
        print(f"the probe, once per process: {(time.perf_counter() - before) * 1000:.1f} ms")

        def inside(workspace: Path, *domains: str) -> Callable[[], object]:
            command = Command("true", workspace, timedelta(seconds=60))

            def work() -> None:
                assert sandbox.run(command, Reach(workspace, domains=domains)).ending.exit_code == 0

            return work

        bare = milliseconds(lambda: processes.run(Command("true", small, timedelta(seconds=60))))
        rows = {
            "bare": bare,
            "in the sandbox": milliseconds(inside(small)),
            f"with {FILES} files and {FOLDERS} folders": milliseconds(inside(full)),
            "in the sandbox with allowed domains": milliseconds(inside(small, "example.com")),
        }
    print(f"{'true':40}{'ms':>8}{'ratio':>8}{'CPU ms':>10}{'ratio':>8}")
    for name, (clock, cpu) in rows.items():
        print(f"{name:40}{clock:8.1f}{clock / bare[0]:8.1f}{cpu:10.1f}{cpu / bare[1]:8.1f}")
    return [
        Figure(f"`true` {name}, as a multiple of the bare command's time", clock / bare[0])
        for name, (clock, _) in rows.items()
        if name != "bare"
    ]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
