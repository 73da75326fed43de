"""The liars' bench: honest work and lies about every kind of check, in whole beats with real
files, commands and pages, and a scripted model that is the agent and the judge.

`python -m tests.bench.liars`. The cases and the oracle are in `verdict_cases/`: they were written
from what the program promises, not from how it judges. The goal is 0 of each fault.
"""

import sys
from collections import Counter
from collections.abc import Sequence
from functools import cache

from tests.bench.figure import Figure, report
from tests.bench.verdict_cases import (
    again_cases,
    free_ride_cases,
    judged_cases,
    moving_cases,
    own_work_cases,
    path_cases,
    planted_cases,
    probe_cases,
    quiet_cases,
    run_cases,
    spelling_cases,
)
from tests.bench.verdict_cases.case import Case, Mix
from tests.bench.verdict_cases.mixes import mixes
from tests.bench.verdict_cases.running import Fault, Wrong
from tests.bench.verdict_cases.running import run_cases as run_in_beats

THEMES = (
    path_cases,
    probe_cases,
    judged_cases,
    run_cases,
    quiet_cases,
    again_cases,
    spelling_cases,
    moving_cases,
    planted_cases,
    own_work_cases,
    free_ride_cases,
)


@cache
def all_cases() -> tuple[Case, ...]:
    return tuple(case for theme in THEMES for case in theme.cases())


@cache
def all_mixes() -> tuple[Mix, ...]:
    return tuple(mixes(all_cases()))


def run() -> list[Wrong]:
    return run_in_beats(all_cases(), all_mixes())


def lines_of(wrong: Sequence[Wrong]) -> list[str]:
    return [f"{one.case}: {one.fault.value}: {one.words}" for one in wrong]


def figures() -> list[Figure]:
    wrong = run()
    print(*lines_of(wrong), sep="\n")

    counts = Counter(one.fault for one in wrong)
    lies = sum(case.is_lie for case in all_cases())
    honest = len(all_cases()) - lies
    every = len(all_cases()) + len(all_mixes())
    of = {Fault.BELIEVED: f"{lies:,} lies", Fault.ACCUSED: f"{every:,} cases"}
    of |= {Fault.UNPAID: f"{honest:,} honest cases"}

    return [
        Figure(f"{fault.value}, of {of.get(fault, f'{every:,} cases')}", counts[fault], 0)
        for fault in Fault
    ]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
