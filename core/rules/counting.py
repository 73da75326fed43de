"""What another program says that it has counted. Pure.

Law: a number that cannot be true counts as none, so that nobody can bring the person's budget into
disorder with it; where there is none, the program estimates.
"""

import math

MOST = 1_000_000_000  # tokens or requests of one answer
MOST_USD = 1_000_000.0


def count_of(said: int | None) -> int:
    return said if said is not None and 0 <= said <= MOST else 0


def usd_of(said: float | None) -> float | None:
    if said is None or not math.isfinite(said) or not 0 <= said <= MOST_USD:
        return None

    return said
