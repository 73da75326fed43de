"""Whole beats: what is kept, and what the day's score says, of several tasks and actions."""

import random
from collections.abc import Iterator, Sequence

from tests.bench.verdict_cases.case import Beat, Case, Mix, Says

MIXES = 16
SEED = 12


def mixes(cases: Sequence[Case]) -> Iterator[Mix]:
    """Cases of all themes in new company; always the same ones."""
    busy = [case for case in cases if case.beats == (Beat.BUSY,) and not case.company]
    dice = random.Random(SEED)
    for number in range(1, MIXES + 1):
        chosen = dice.sample(busy, dice.randint(2, 6))
        exit_codes = tuple(dice.choice((0, 0, 1)) for _ in range(dice.randint(0, 3)))
        yield Mix(f"mix {number}", tuple(chosen), exit_codes)

    yield from _three_failed_and_one_good(busy)


def _three_failed_and_one_good(busy: Sequence[Case]) -> Iterator[Mix]:
    failed = [case for case in busy if case.rounds[0].says is Says.FAILED][:3]
    good = next(case for case in busy if "honest, writes it" in case.name)
    yield Mix("one of four kept", (*failed, good))
    yield Mix("one of four kept, with an action", tuple(failed), (0,))
