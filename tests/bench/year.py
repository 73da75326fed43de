"""How long a virtual year of 50 items takes; `python -m tests.bench.year`. The goal is a minute
of CPU."""

import sys
import time

from tests.bench.figure import Figure, report
from tests.property.virtual_year import END, SCHEDULES, a_year

MOST = 60.0  # seconds


def figures() -> list[Figure]:
    began = time.process_time()
    with a_year() as year:
        starts = year.live_until(END, year.stage.workspace())
    seconds = time.process_time() - began

    assert starts == sum(map(len, SCHEDULES.values()))
    return [Figure(f"CPU of a virtual year of 50 items, {starts:,} starts", seconds, MOST, "s")]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
