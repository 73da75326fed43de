"""What a beat costs: with nothing due, and with 10 to 3,000 `true` actions; `python -m
tests.bench.beat`.

The figures to look at are the ratios, each measured in one run: a beat with nothing due against
`python -c pass`, and what an action adds to a beat of the program's own processor time against
the bare spawn of its shell. A beat with nothing due writes nothing: not to the workspace, not to
the ledger, and it makes no disk wait. Only the lock says who holds it, and SQLite makes its
index of readers.
"""

import os
import re
import resource
import subprocess
import sys
import tempfile
from collections.abc import Callable
from pathlib import Path
from statistics import median

from tests.bench.figure import Figure, report
from tests.e2e.machine import COMMAND, Machine, action
from tests.faults.system_calls import CHANGING

ROUNDS = 9
SPAWNS = 200
TIMES = {10: 25, 300: 3, 1000: 3, 3000: 1}  # how often beats with so many actions are measured
MOST_OF_A_SPAWN_OF_10 = 6.0  # most of it is what any first action imports
MOST_OF_A_SPAWN_OF_1000 = 2.5
MOST_OF_300 = 11.0
MOST_OF_AN_INTERPRETER = 10.0
NOT_COUNTED = re.compile(r"/lock>|ledger\.db-(shm|wal)|__pycache__|/dev/")


def processor_seconds() -> float:
    """Of this process and of the children that it has waited for, with theirs."""
    uses = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(use.ru_utime + use.ru_stime for use in uses)


def cost(work: Callable[[], object]) -> float:
    before = processor_seconds()
    work()
    return processor_seconds() - before


def spawn() -> None:
    for _ in range(SPAWNS):
        os.waitpid(os.posix_spawn("/bin/sh", ["sh", "-c", "true"], os.environ), 0)


def beat_words(machine: Machine) -> list[str]:
    """As the always-on process starts it."""
    return [sys.executable, "-P", "-m", "core.child", "beat", str(machine.workspace)]


def run(machine: Machine, words: list[str], before: list[str] | None = None) -> None:
    command = [*(before or []), *words]
    subprocess.run(
        command, env=machine.environment, cwd=machine.workspace, check=True, capture_output=True
    )


def machine_with(folder: Path, actions: int) -> Machine:
    """All of its actions are due, until a beat has done them."""
    machine = Machine(folder)
    machine.write(*(action(f"a{number}", "true") for number in range(actions)))
    machine.approve()
    return machine


def idle_machine(folder: Path) -> Machine:
    machine = machine_with(folder, 10)
    run(machine, beat_words(machine))
    run(machine, beat_words(machine))  # what the first one left to be written is written
    return machine


def writes_of_an_idle_beat(machine: Machine, trace: Path) -> list[str]:
    calls = CHANGING.removesuffix(
        ",openat"
    )  # what it makes would be written to, and what is there it only opens
    run(
        machine,
        beat_words(machine),
        ["strace", "-f", "-y", "-qq", "-o", str(trace), "-e", f"trace={calls}"],
    )
    return [line for line in trace.read_text().splitlines() if not NOT_COUNTED.search(line)]


def idle(folder: Path) -> list[Figure]:
    machine = idle_machine(folder / "idle")
    works: dict[str, list[str]] = {
        "`python -c pass`": [sys.executable, "-c", "pass"],
        "a beat with nothing due": beat_words(machine),
        "the same, as `heartbeat run`": [COMMAND, "run"],
    }
    spent: dict[str, list[float]] = {name: [] for name in works}
    for _ in range(ROUNDS):
        for name, words in works.items():
            spent[name].append(cost(lambda words=words: run(machine, words)))  # type: ignore[misc]
    bare = median(spent["`python -c pass`"])
    print(f"{'processor ms':44}{'median':>8}{'ratio':>7}")
    for name, rounds in spent.items():
        print(f"{name:44}{median(rounds) * 1000:8.1f}{median(rounds) / bare:7.1f}")
    writes = writes_of_an_idle_beat(machine, folder / "trace")
    print(f"writes of a beat with nothing due: {len(writes)}", *writes, sep="\n  ")
    beat = median(spent["a beat with nothing due"])
    return [
        Figure(
            "a beat with nothing due, as a multiple of `python -c pass`",
            beat / bare,
            MOST_OF_AN_INTERPRETER,
        ),
        Figure("what that beat writes", len(writes), 0),
    ]


def busy(folder: Path) -> list[Figure]:
    """Each beat is compared with what was measured right before it, and of those ratios the median
    counts: a machine that is slower for a while is slower for all of them."""
    nothing = idle_machine(folder / "nothing")
    own: dict[int, list[float]] = {count: [] for count in TIMES}
    spent: dict[int, list[float]] = {count: [] for count in TIMES}

    for number in range(max(TIMES.values())):
        for count, times in TIMES.items():
            if number < times:
                machine = machine_with(folder / f"{count}-{number}", count)
                bare = cost(spawn) / SPAWNS
                empty = cost(lambda: run(nothing, beat_words(nothing)))
                beat = cost(lambda one=machine: run(one, beat_words(one)))  # type: ignore[misc]
                spent[count].append(beat)
                own[count].append((beat - empty) / count / bare - 1)

    print(f"\n{'processor ms, the shell included':44}{'a beat':>8}{'own':>7}")
    for count in TIMES:
        beat = median(spent[count]) * 1000
        print(f"{f'a beat with {count:,} actions':44}{beat:8.0f}{median(own[count]):7.1f}")

    what = "what the program adds to one of {:,} actions, as a multiple of its spawn"
    return [
        Figure(what.format(10), median(own[10]), MOST_OF_A_SPAWN_OF_10),
        Figure(what.format(1000), median(own[1000]), MOST_OF_A_SPAWN_OF_1000),
        Figure(
            "a beat with 3,000 actions, as a multiple of one with 300",
            median(spent[3000]) / median(spent[300]),
            MOST_OF_300,
        ),
    ]


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        return [*idle(Path(folder)), *busy(Path(folder))]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
