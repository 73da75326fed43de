"""What a beat with a model costs: five due tasks, a model on loopback that does and reports them,
both protocols; `python -m tests.bench.model`.

The processor time is that of the whole process, from its start to its end, as a multiple of
`python -c pass`; the memory is the most that it held at any time.
"""

import os
import subprocess
import sys
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.figure import Figure, report
from tests.bench.tokens import FILE, work, workspace
from tests.model_server import ModelServer

ROUNDS = 7
MOST_OF_AN_INTERPRETER = 45
MOST_MEGABYTES = 50
PROVIDERS = ("anthropic", "openai")


@dataclass(frozen=True)
class Cost:
    seconds: float  # of the processor
    megabytes: float


def cost_of(words: list[str], folder: Path) -> Cost:
    """Of a process and of its children that it has waited for."""
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (words, process.returncode)

    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def beat_cost(server: ModelServer, provider: str) -> Cost:
    """Of the first beat of a new workspace, as the always-on process starts it."""
    with workspace(FILE, provider, server.base_url(provider)) as root:
        server.play(*[partial(work, beat=0)] * 10)
        cost = cost_of([sys.executable, "-P", "-m", "core.child", "beat", str(root)], root)
        assert len(server.received) == 3, [one.path for one in server.received]

    return cost


def figures() -> list[Figure]:
    bare: list[Cost] = []
    beats: dict[str, list[Cost]] = {provider: [] for provider in PROVIDERS}

    with ModelServer() as server:
        for _ in range(ROUNDS):
            bare.append(cost_of([sys.executable, "-c", "pass"], Path.cwd()))
            for provider in PROVIDERS:
                beats[provider].append(beat_cost(server, provider))

    interpreter = median(cost.seconds for cost in bare)
    print(f"{'`python -c pass`':24}{interpreter * 1000:8.1f} ms")
    measured = []
    for provider, costs in beats.items():
        seconds = median(cost.seconds for cost in costs)
        megabytes = max(cost.megabytes for cost in costs)
        print(f"{provider:24}{seconds * 1000:8.1f} ms{megabytes:8.1f} MB")
        measured += [
            Figure(
                f"CPU of a beat with a model and five tasks, as a multiple of `python -c pass` "
                f"({provider})",
                seconds / interpreter,
                MOST_OF_AN_INTERPRETER,
            ),
            Figure(f"memory of that beat ({provider})", megabytes, MOST_MEGABYTES, "MB"),
        ]

    return measured


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
