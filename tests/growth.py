"""How the time of a function grows with the length of what it is given."""

from collections.abc import Callable
from time import process_time

LINEAR = 3  # times longer for twice the length: 2 if it is linear, 4 if it is quadratic
RUNS = 5


def growth(work: Callable[[int], object], length: int) -> float:
    """How many times longer `work` takes for twice the length. The quickest of some runs counts:
    it is the one that nothing else disturbed."""
    return _quickest(work, 2 * length) / _quickest(work, length)


def _quickest(work: Callable[[int], object], length: int) -> float:
    times = []
    for _ in range(RUNS):
        began = process_time()
        work(length)
        times.append(process_time() - began)

    return min(times)
