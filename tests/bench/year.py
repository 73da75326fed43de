"""How long a virtual year of 50 items takes; `python -m tests.bench.year`. The goal is a minute of CPU."""

import sys
import time

from tests.property.test_virtual_year import (
    SCHEDULES,
)
from tests.property.test_virtual_year import (
    test_a_virtual_year_of_50_items_starts_every_slot_once_and_leaves_nothing_behind as live_a_year,
)

MOST = 60.0  # seconds


def main() -> int:
    began = time.process_time()
    live_a_year()
    seconds = time.process_time() - began
    starts = sum(map(len, SCHEDULES.values()))
    print(f"a year of 50 items, {starts} starts: {seconds:.0f} s of CPU (goal: at most {MOST:.0f} s)")
    return seconds > MOST


if __name__ == "__main__":
    sys.exit(main())
