"""What the tray costs, on a real panel: `python -m tests.bench.tray` (about 40 s).

Memory is given as a ratio to a bare interpreter of the same run, so that it means the same on
every machine.
"""

import subprocess
import sys
import tempfile
import time
from pathlib import Path

from tests.bench.figure import Figure, report
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.tray_on_panel import TrayOnPanel

IDLE_SECONDS = 30


def status_field(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{name}:"))


def cpu_milliseconds(pid: int) -> float:
    return int(Path(f"/proc/{pid}/schedstat").read_text().split()[0]) / 1e6


def is_asleep(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def bare_interpreter_kib() -> int:
    process = subprocess.Popen([sys.executable, "-c", "import time; time.sleep(60)"])
    try:
        wait_for(
            lambda: cpu_milliseconds(process.pid) > 5 and is_asleep(process.pid),
            "the bare interpreter to sleep",
        )
        return status_field(process.pid, "VmRSS")
    finally:
        process.kill()
        process.wait()


def measure(desktop: Desktop) -> list[Figure]:
    bare = bare_interpreter_kib()
    started = time.monotonic()
    tray = TrayOnPanel(desktop)
    pid = tray.program.pid
    tray.wait_until_visible()
    up_after = time.monotonic() - started
    up_cpu = cpu_milliseconds(pid)

    time.sleep(2)  # the panel asks a few things more
    wakeups_before = status_field(pid, "voluntary_ctxt_switches")
    cpu_before = cpu_milliseconds(pid)
    time.sleep(IDLE_SECONDS)
    wakeups = status_field(pid, "voluntary_ctxt_switches") - wakeups_before
    cpu = cpu_milliseconds(pid) - cpu_before
    memory = status_field(pid, "VmRSS")
    print(f"bare interpreter        {bare / 1024:6.1f} MiB")
    print(
        f"with the tray           {memory / 1024:6.1f} MiB   {memory / bare:.2f} times the bare one"
    )
    print(f"threads                 {status_field(pid, 'Threads'):6}")
    print(f"icon on the panel after {up_cpu:6.0f} ms of CPU, {up_after * 1000:.0f} ms in all")
    print(f"in {IDLE_SECONDS} idle seconds      {wakeups:6} wake-ups, {cpu:.1f} ms of CPU")

    return [
        Figure("memory of the tray alone, as a multiple of a bare interpreter's", memory / bare),
        Figure(f"wake-ups of the tray alone in {IDLE_SECONDS} idle seconds", wakeups),
    ]


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        desktop = Desktop(Path(folder))
        try:
            desktop.start()
            return measure(desktop)
        finally:
            desktop.stop()


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
