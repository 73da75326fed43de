"""A year of half-hours in one resident: 17,520 real children and a real ledger, a virtual clock,
and nothing grows."""

import json
import subprocess
import sys

import pytest

from tests.faults.resident_year import BEATS, Footprint, Lived


@pytest.mark.slow
def test_a_year_of_half_hours_leaves_the_resident_as_it_was() -> None:
    lived = a_year_in_its_own_process()

    assert lived.children == BEATS + 1
    assert lived.late[:3] == lived.early[:3]  # descriptors, threads, zombies
    assert lived.late.kilobytes - lived.early.kilobytes < 2048


def a_year_in_its_own_process() -> Lived:
    """What other tests have left in this process would move while the year is measured."""
    done = subprocess.run(
        [sys.executable, "-m", "tests.faults.resident_year"], stdout=subprocess.PIPE, check=True
    )
    said = json.loads(done.stdout)
    return Lived(**said | {"early": Footprint(*said["early"]), "late": Footprint(*said["late"])})
