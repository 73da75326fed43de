"""The resident at rest beside other always-on programs of this machine: cron, and nanobot, another
assistant that works by a HEARTBEAT.md; `python -m tests.bench.peers`.

Both are optional: `apt-get install cron`, and `pip install nanobot-ai` in an environment of its own
whose folder is on the PATH. What is not installed is left out, and said.
"""

import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from tests.bench.figure import Figure, report
from tests.bench.resident import cpu_milliseconds, resident, status_field, wake_ups
from tests.e2e.machine import action

START_SECONDS = 15  # until each of them is at rest
IDLE_SECONDS = 30
LATER = action("later", "true", "schedule: yearly:02-28:03:00")


@dataclass(frozen=True)
class Rest:
    """What a program costs that does nothing."""

    megabytes: float
    wake_ups: int  # per minute
    start: float  # milliseconds of CPU until it is at rest


def rest_of(pid: int) -> Rest:
    time.sleep(START_SECONDS)
    start = cpu_milliseconds(pid)
    before = wake_ups(pid)
    time.sleep(IDLE_SECONDS)
    per_minute = round((wake_ups(pid) - before) * 60 / IDLE_SECONDS)

    return Rest(status_field(pid, "VmRSS") / 1024, per_minute, start)


@contextmanager
def started(*words: str, home: Path) -> Iterator[int]:
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    process = subprocess.Popen(
        words, cwd=home, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    )
    try:
        yield process.pid
        assert process.poll() is None, f"{words} ended by itself"
    finally:
        process.send_signal(signal.SIGKILL)
        process.wait()


def nanobot(home: Path) -> Rest:
    """Its gateway, as set up by its own command, with a model that it never has to ask."""
    environment = {"PATH": os.environ["PATH"], "HOME": str(home), "LANG": "C.UTF-8"}
    subprocess.run(
        ["nanobot", "onboard"],
        env=environment,
        cwd=home,
        check=True,
        capture_output=True,
        input=b"",
    )
    settings = home / ".nanobot" / "config.json"
    written = json.loads(settings.read_text())
    written["providers"]["anthropic"]["apiKey"] = "sk-bench-0000000"
    settings.write_text(json.dumps(written))
    with started("nanobot", "gateway", "--foreground", home=home) as pid:
        return rest_of(pid)


def cron(home: Path) -> Rest:
    """That of this machine where it runs, because there can be only one."""
    running = [
        int(process.name)
        for process in Path("/proc").iterdir()
        if process.name.isdecimal() and comm_of(process) == "cron"
    ]
    if running:
        return rest_of(running[0])

    with started("cron", "-f", home=home) as pid:
        return rest_of(pid)


def comm_of(process: Path) -> str:
    try:
        return (process / "comm").read_text().strip()
    except OSError:  # it has ended
        return ""


PEERS = {"nanobot": nanobot, "cron": cron}


def figures() -> list[Figure]:
    with resident("daemon", None, LATER) as (_, running, _):
        rests = {"heartbeat": rest_of(running.pid)}

    for name, measure in PEERS.items():
        if not shutil.which(name):
            print(f"{name} is not installed; left out")
            continue
        with tempfile.TemporaryDirectory() as home:
            rests[name] = measure(Path(home))

    print(f"{'at rest':12}{'memory':>10}{'wake-ups a minute':>20}{'CPU to start':>16}")
    for name, rest in rests.items():
        print(f"{name:12}{rest.megabytes:7.1f} MB{rest.wake_ups:20}{rest.start:13.0f} ms")

    return [
        Figure(f"at rest: memory of {name}", rest.megabytes, unit="MB")
        for name, rest in rests.items()
    ] + [
        Figure(f"at rest: wake-ups of {name} in a minute", rest.wake_ups)
        for name, rest in rests.items()
    ]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
