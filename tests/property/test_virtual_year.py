"""A year of 50 actions: every slot has exactly one start, on time, and the year leaves nothing
behind. `python -m tests.bench.year` times it."""

import gc
import os
import sys
from datetime import timedelta
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.property.virtual_year import END, SCHEDULES, START, a_year


class Footprint(NamedTuple):
    blocks: int  # of memory that Python holds
    resident: int  # bytes of the whole process
    descriptors: int


def footprint() -> Footprint:
    gc.collect()
    pages = int(Path("/proc/self/statm").read_text().split()[1])
    descriptors = len([*Path("/proc/self/fd").iterdir()])
    return Footprint(sys.getallocatedblocks(), pages * os.sysconf("SC_PAGE_SIZE"), descriptors)


@pytest.mark.slow
def test_a_virtual_year_of_50_items_starts_every_slot_once_and_leaves_nothing_behind() -> None:
    assert len(SCHEDULES) == 50
    assert sum(map(len, SCHEDULES.values())) > 20_000
    with a_year() as year:
        workspace = year.stage.workspace()
        starts = year.live_until(START + timedelta(days=91), workspace)
        early = footprint()
        starts += year.live_until(END, workspace)
        late = footprint()
        assert [next(slots, None) for slots in year.coming.values()] == [None] * 50, (
            "every slot has had its start"
        )
        assert starts == sum(map(len, SCHEDULES.values()))
        assert late.descriptors == early.descriptors
        assert late.blocks - early.blocks < 2_000, "Python holds on to nothing"
        assert late.resident - early.resident < 2_000_000
        assert len(year.stage.ledger.occurrences.history()) < 1_500, "the ledger keeps two weeks"
