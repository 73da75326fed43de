"""What an `every:` action missed beside a long one is in the history: one row, with the reason."""

import re
from datetime import UTC, datetime, timedelta

from core.model.item import ItemKind
from core.model.occurrence import BeatReason, Occurrence, Outcome
from tests.e2e.machine import Machine, action

NOW = datetime.now(UTC)


def ran(machine: Machine, name: str, start: datetime, end: datetime) -> None:
    """A beat of the past, as the ledger has it, in which this action ran from start to end."""
    ledger = machine.ledger()
    beat = ledger.beats.open(BeatReason.TIMER, 1, start).number
    ledger.items.see({f"action:{name}": "every:1m" if name == "ping" else ""}, start)
    wanted = Occurrence(f"action:{name}", ItemKind.ACTION, start, beat, "due")
    claimed = ledger.occurrences.claim(wanted, start)
    assert claimed
    started = ledger.occurrences.start(claimed, start)
    ledger.occurrences.finish(started, Outcome.COMPLETED, end)
    ledger.beats.close(beat, end, completed=1)
    ledger.close()


def test_slots_that_passed_during_a_long_beat_are_one_row(machine: Machine) -> None:
    machine.write(
        action("ping", "echo x >> pings", "schedule: every:1m"),
        action("backup", "true", "schedule: yearly:02-28:03:00"),
    )
    machine.approve()
    hour_ago = NOW - timedelta(hours=1)
    ran(machine, "ping", hour_ago, hour_ago + timedelta(seconds=1))
    ran(machine, "backup", hour_ago + timedelta(seconds=30), NOW - timedelta(seconds=1))

    assert machine.heartbeat("run").code == 0
    assert machine.lines("pings") == ["x"]  # made up for once
    (row,) = machine.json("history", "ping", "--outcome", "missed")["occurrences"]
    assert re.fullmatch(
        r"\d+ slots from \d\d:\d\d to \d\d:\d\d: "
        r"another beat was running since \d\d:\d\d \(backup\)",
        row["reason"],
    ), row["reason"]
    words = machine.heartbeat("history", "ping").out
    assert "missed" in words
    assert "another beat was running" in words
