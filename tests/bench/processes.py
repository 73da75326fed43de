"""What running a command costs, compared with the bare spawn of its shell; `python -m
tests.bench.processes`.

The figure to look at is the ratio: all of `Processes.run("true")`, the shell's own processor
time included, may take 3 times that of spawning `sh -c true` and waiting for it. Both are
measured in turn, in the same run.
"""

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path
from statistics import median

from core.adapters.processes.children import SystemChildren
from core.adapters.processes.posix import SystemProcesses
from core.model.process import Command
from tests.bench.figure import Figure, report

ROUNDS = 15
TIMES = 100
MOST = 3.0


def processor_seconds() -> float:
    """Of this process and of the children that it has waited for."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def milliseconds(work: Callable[[], object]) -> float:
    before = processor_seconds()
    for _ in range(TIMES):
        work()
    return (processor_seconds() - before) / TIMES * 1000


def spawn() -> None:
    os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "true"], os.environ), 0)


def child() -> None:
    started = SystemChildren().start(["/bin/sh", "-c", "true"], os.environ)
    os.waitpid(started.pid, 0)
    started.close()


def costs(folder: Path) -> Figure:
    runner = SystemProcesses(time.monotonic)
    command = Command("true", folder, timedelta(minutes=5))
    works: dict[str, Callable[[], object]] = {
        "posix_spawn of `sh -c true`": spawn,
        "Children.start of the same": child,
        "Processes.run of `true`": lambda: runner.run(command),
        "the same beside another child": lambda: runner.run(command),
    }
    spent: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, work in works.items():
            other = subprocess.Popen(["sleep", "1000"]) if "another" in name else None
            spent[name].append(milliseconds(work))
            if other:
                other.kill()
                other.wait()
    bare = median(spent["posix_spawn of `sh -c true`"])
    print(f"{'processor ms, the shell included':34}{'median':>8}{'ratio':>7}")
    for name, rounds in spent.items():
        print(f"{name:34}{median(rounds):8.3f}{median(rounds) / bare:7.2f}")
    ratio = median(spent["Processes.run of `true`"]) / bare
    return Figure("running a command, as a multiple of the bare spawn's CPU", ratio, MOST)


def resident_kilobytes(program: str) -> int:
    """The memory of a fresh interpreter after the program; median of nine."""
    ending = (
        "\nprint(next(line.split()[1] for line in open('/proc/self/status') if "
        "line.startswith('VmRSS')))"
    )
    runs = [
        subprocess.run(
            [sys.executable, "-c", program + ending], capture_output=True, text=True, check=True
        ).stdout
        for _ in range(9)
    ]
    return int(median(int(run) for run in runs))


def memory() -> None:
    bare = resident_kilobytes("pass")
    used = (
        "import core.adapters.processes.children as c; a = "
        "c.SystemChildren().start(['/bin/true'], {}); a.close()"
    )
    print(f"memory: bare interpreter {bare / 1024:.1f} MB")
    for name, program in (
        ("pathlib", "import pathlib"),
        ("core.adapters.processes.children, with a child started", used),
        ("subprocess, instead of it", "import pathlib, subprocess"),
        ("core.adapters.processes.posix", "import core.adapters.processes.posix"),
    ):
        print(f"  {name}: +{(resident_kilobytes(program) - bare) / 1024:.1f} MB")


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        cost = costs(Path(folder))
    memory()

    return [cost]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
