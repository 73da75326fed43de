"""How long a person waits after "Run now": from the panel's message to the tray until the first
action has its effect, on a real panel; `python -m tests.bench.run_now`."""

import sys
import tempfile
import time
from pathlib import Path
from statistics import median

from tests.bench.figure import Figure, report
from tests.desktop.desktop import Desktop, wait_for
from tests.desktop.heartbeat_tray import LATER, HeartbeatTray
from tests.e2e.machine import Machine, action, alive

ROUNDS = 9
MOST_MILLISECONDS = 200


def wait_until_planned(machine: Machine, before: int) -> None:
    """Until the plan that follows a save is made: clicks that come later meet a tray at rest."""
    wait_for(lambda: len(machine.starts("plan")) > before, "the plan")
    wait_for(lambda: not any(alive(plan.pid) for plan in machine.starts("plan")), "its end")


def seconds_to_effect(machine: Machine, tray: HeartbeatTray, number: int) -> float:
    plans = len(machine.starts("plan"))
    effect = machine.workspace / f"effect-{number}"
    machine.write(LATER, action(f"once-{number}", f"touch {effect.name}"))
    machine.approve()
    wait_until_planned(machine, plans)
    wait_for(lambda: "Run now" in tray.labels(), "the menu of a tray at rest")

    entry = tray.number(("Run now",))
    clicked = time.time()
    tray.ask_menu("Event", "isvu", (entry, "clicked", ("i", 0), 0))
    wait_for(effect.exists, "the effect")
    wait_for(lambda: "Run now" in tray.labels(), "the end of the beat", 30)

    return effect.stat().st_mtime - clicked


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory(prefix="heartbeat-") as folder:
        machine = Machine(Path(folder) / "machine")
        machine.witness_starts()
        machine.write(LATER)
        machine.heartbeat("pause")  # so that only the click starts anything

        desktop = Desktop(Path(folder))
        try:
            desktop.start()
            with HeartbeatTray(desktop, machine) as tray:
                tray.wait_until_visible()
                waits = [seconds_to_effect(machine, tray, number) for number in range(ROUNDS)]
        finally:
            desktop.stop()

    print(*(f"{wait * 1000:.0f} ms" for wait in waits))
    what = 'from "Run now" to the first effect'
    return [Figure(what, median(waits) * 1000, MOST_MILLISECONDS, "ms")]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
