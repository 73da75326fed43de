"""What the always-on process costs, without and with the tray: `python -m tests.bench.resident`
(about 3 minutes).

Memory is given as a ratio to a bare interpreter of the same run, so that it means the same on
every machine. A wake-up is a voluntary context switch of any of its threads. The figures to look
at are marked with their limits.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from statistics import median

from tests.bench.figure import Figure, report
from tests.desktop.desktop import Desktop, difference
from tests.e2e.machine import COMMAND, Machine, Running, action, alive, wait_for

IDLE_SECONDS = 60
READING_SECONDS = 10
SAVES, SLOTS = 10, 10
MOST_MEMORY = {"daemon": 3.0, "tray": 2.7}  # times a bare interpreter
MOST_WAKE_UPS = 0  # in an idle minute, and while other programs read
MOST_CPU = 0.0  # milliseconds in an idle minute
MOST_TO_ICON = 500  # milliseconds of CPU from the command to the icon
MOST_WAIT = 2.0  # seconds from a save to its plan, from a slot to its beat


def status_field(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def wake_ups(pid: int) -> int:
    tasks = [int(task.name) for task in Path(f"/proc/{pid}/task").iterdir()]
    return sum(status_field(task, "voluntary_ctxt_switches") for task in tasks)


def cpu_milliseconds(pid: int) -> float:
    tasks = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((task / "schedstat").read_text().split()[0]) for task in tasks) / 1e6


def bare_interpreter_kib() -> int:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        wait_for(
            lambda: "sleep" in Path(f"/proc/{process.pid}/wchan").read_text(),
            "the bare interpreter to sleep",
        )
        return status_field(process.pid, "VmRSS")
    finally:
        process.kill()
        process.wait()


def wake_ups_by_a_reader(pid: int, folder: Path) -> int:
    """While another program opens, reads and lists everything in the folder, again and again."""
    before = wake_ups(pid)
    until = time.monotonic() + READING_SECONDS
    while time.monotonic() < until:
        subprocess.run(["grep", "-r", "a word", folder], check=False, capture_output=True)

    return wake_ups(pid) - before


@contextmanager
def resident(
    mode: str, desktop: Desktop | None, *actions: str
) -> Iterator[tuple[Machine, Running, float]]:
    """Up and at rest, with the milliseconds of CPU that it took to be seen."""
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        machine = Machine(Path(folder) / "machine")
        machine.witness_starts()
        machine.environment |= desktop.environment if desktop else {}
        machine.write(*actions)
        with machine.start(mode) as running:
            running.wait_until_said("with an icon in the tray" if mode == "tray" else "Watching")
            if desktop:
                wait_for(lambda: difference(desktop.empty_panel, desktop.panel_shot()), "the icon")
            to_icon = cpu_milliseconds(running.pid)
            wait_until_planned(machine)
            yield machine, running, to_icon


def wait_until_planned(machine: Machine) -> None:
    (*_, plan) = wait_for(lambda: machine.starts("plan"), "a plan")
    wait_for(lambda: not alive(plan.pid), "the plan to end")


def idle(mode: str, desktop: Desktop | None) -> list[Figure]:
    """Memory, threads, and what a minute of nothing costs."""
    bare = bare_interpreter_kib()
    with resident(mode, desktop, action("later", "true", "schedule: yearly:02-28:03:00")) as (
        machine,
        running,
        to_icon,
    ):
        pid = running.pid
        time.sleep(3)  # until the last answer to the panel is sent
        switches_before = wake_ups(pid)
        cpu_before = cpu_milliseconds(pid)
        time.sleep(IDLE_SECONDS)
        switches = wake_ups(pid) - switches_before
        cpu = cpu_milliseconds(pid) - cpu_before
        memory = status_field(pid, "VmRSS")
        threads = status_field(pid, "Threads")
        by_reader = wake_ups_by_a_reader(pid, machine.workspace)
    ratio = memory / bare
    print(f"{mode}, idle for {IDLE_SECONDS} s")
    print(
        (
            f"  memory   {memory / 1024:6.1f} MiB, {ratio:.2f} times the {bare / 1024:.1f} of a "
            "bare "
            "interpreter"
        ),
        end=" ",
    )
    print(f"(at most {MOST_MEMORY[mode]})")
    print(f"  threads  {threads:6}")
    print(f"  wake-ups {switches:6} (at most {MOST_WAKE_UPS})")
    print(
        f"  wake-ups {by_reader:6} while another program reads for {READING_SECONDS} s "
        f"(at most {MOST_WAKE_UPS})"
    )
    print(f"  CPU      {cpu:6.1f} ms (at most {MOST_CPU})")
    print(
        f"  start    {to_icon:6.0f} ms of "
        f"CPU{f' until the icon is there (at most {MOST_TO_ICON})' if desktop else ''}"
    )
    who = "the resident with the tray icon" if desktop else "the resident"
    measured = [
        Figure(f"memory of {who}, as a multiple of a bare interpreter's", ratio, MOST_MEMORY[mode]),
        Figure(f"wake-ups of {who} in an idle minute", switches, MOST_WAKE_UPS),
        Figure(f"CPU of {who} in an idle minute", cpu, MOST_CPU, "ms"),
        Figure(
            f"wake-ups of {who} in {READING_SECONDS} s of reading by others",
            by_reader,
            MOST_WAKE_UPS,
        ),
    ]
    if desktop:
        measured.append(Figure("CPU from the command to the icon", to_icon, MOST_TO_ICON, "ms"))

    return measured


def from_save_to_plan() -> Figure:
    with resident("daemon", None, action("later", "true", "schedule: yearly:02-28:03:00")) as (
        machine,
        *_,
    ):
        waits = []
        for number in range(SAVES):
            plans = len(machine.starts("plan"))
            machine.file.write_text(machine.text() + f"\nLine {number}.\n")
            saved = time.time()
            wait_for(lambda before=plans: len(machine.starts("plan")) > before, "a plan")  # type: ignore[misc]
            waits.append(machine.starts("plan")[-1].at - saved)
            wait_until_planned(machine)
    print(
        f"from a save to the start of the plan: {median(waits):.2f} s, at most {max(waits):.2f} s "
        f"of {SAVES}"
    )
    return Figure("from a save to its plan", median(waits), MOST_WAIT, "s")


def from_slot_to_beat() -> Figure:
    """To the start of the process, and to the start of the action, which comes after reading and
    planning."""
    with resident("daemon", None, action("tick", "true", "schedule: every:2s")) as (machine, *_):
        wait_for(lambda: len(machine.starts("beat")) > SLOTS, "enough beats", 60)
        beats = [start.at for start in machine.starts("beat")]
        occurrences = machine.json("history")["occurrences"]
    to_process, to_action = [], []
    for one in occurrences[:-1]:  # the first of all was due at once
        slot = datetime.fromisoformat(one["slot"]).timestamp()
        to_process.append(min(at - slot for at in beats if at > slot))
        to_action.append(datetime.fromisoformat(one["started"]).timestamp() - slot)
    print(
        f"from a slot to the start of the beat: {median(to_process) * 1000:.0f} ms, at most "
        f"{max(to_process):.2f} s"
    )
    print(
        f"from a slot to the start of its action: {median(to_action) * 1000:.0f} ms, at most "
        f"{max(to_action):.2f} s"
    )
    return Figure("from a slot to its beat", median(to_process), MOST_WAIT, "s")


def figures() -> list[Figure]:
    assert Path(COMMAND).exists(), "heartbeat must be installed next to this interpreter"
    measured = idle("daemon", None)

    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        desktop = Desktop(Path(folder))
        try:
            desktop.start()
            measured += idle("tray", desktop)
        finally:
            desktop.stop()

    return [*measured, from_save_to_plan(), from_slot_to_beat()]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
