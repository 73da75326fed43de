"""A year of 50 actions: every slot has exactly one start, on time, and the year leaves nothing
behind. `python -m tests.bench.year` times it."""

import json
import subprocess
import sys

import pytest

from tests.property.virtual_year import SCHEDULES, Footprint, Lived


@pytest.mark.slow
def test_a_virtual_year_of_50_items_starts_every_slot_once_and_leaves_nothing_behind() -> None:
    assert len(SCHEDULES) == 50
    assert sum(map(len, SCHEDULES.values())) > 20_000

    lived = a_year_in_its_own_process()

    assert lived.slots_left == 0, "every slot has had its start"
    assert lived.starts == sum(map(len, SCHEDULES.values()))
    assert lived.late.descriptors == lived.early.descriptors
    assert lived.late.blocks - lived.early.blocks < 2_000, "Python holds on to nothing"
    assert lived.late.resident - lived.early.resident < 2_000_000
    assert lived.occurrences < 1_500, "the ledger keeps two weeks"


def a_year_in_its_own_process() -> Lived:
    """What other tests have left in this process would move while the year is measured."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.property.virtual_year"], stdout=subprocess.PIPE, check=True
    )
    said = json.loads(done.stdout)
    return Lived(**said | {"early": Footprint(*said["early"]), "late": Footprint(*said["late"])})
