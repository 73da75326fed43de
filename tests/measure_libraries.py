"""What decision 27 is based on: our own search for circles and our own joining of two edits beside
graphlib and merge3, and what h11 costs. Run it with `python -m tests.measure_libraries`.

Processor time, the best of several runs that take turns.
"""

import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

from merge3 import Merge3

from core.adapters.sandbox.egress.exchange import Exchange
from core.rules.merging import merge
from core.rules.reading.relations import find_circles

ROOT = Path(__file__).parents[1]
RUNS = 5
CIRCLES = 500
ACTIONS = 5_000
LINES = 2_000
HEADS = 2_000
HEAD = (
    b"GET http://example.com:8080/a/b?c=d HTTP/1.1\r\nHost: example.com:8080\r\n"
    b"User-Agent: curl/8\r\nAccept: */*\r\nProxy-Connection: Keep-Alive\r\n\r\n"
)
# All that the proxy imports but h11, and the two modules on it.
WITHOUT_H11 = (
    "dataclasses, select, socket, threading, core.adapters.sandbox.egress.addresses, "
    "core.adapters.sandbox.egress.tls_hello, core.model.light_dataclass, core.rules.printable"
)


def best(*works: Callable[[], object]) -> list[float]:
    """The shortest time of each, in milliseconds."""
    times = [[milliseconds(work) for work in works] for _ in range(RUNS)]
    return [min(column) for column in zip(*times, strict=True)]


def milliseconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return (time.process_time() - start) * 1000


def circles_of_graphlib(needs: dict[str, list[str]]) -> list[list[str]]:
    """All circles: it reports one per search, which is taken out before the next."""
    left = dict(needs)
    found = []
    while True:
        try:
            TopologicalSorter(left).prepare()
        except CycleError as error:
            circle: Sequence[str] = error.args[1]
            found.append(list(circle))
            left = {name: wanted for name, wanted in left.items() if name not in circle}
        else:
            return found


def rings(count: int) -> dict[str, list[str]]:
    return {f"{side}{n}": [f"{'ba'[side == 'b']}{n}"] for n in range(count) for side in "ab"}


def chain(count: int) -> dict[str, list[str]]:
    return {f"n{number}": [f"n{number - 1}"] if number else [] for number in range(count)}


def texts() -> tuple[bytes, bytes, bytes]:
    """A base, and two versions of it with an edit in every 20 lines, never in the same ones."""
    lines = [b"line %d\n" % number for number in range(LINES)]
    ours = [b"ours\n" if n % 20 == 0 else line for n, line in enumerate(lines)]
    persons = [b"persons\n" if n % 20 == 10 else line for n, line in enumerate(lines)]
    return b"".join(lines), b"".join(ours), b"".join(persons)


def merged_by_merge3(base: bytes, ours: bytes, persons: bytes) -> bytes:
    lines = [text.splitlines(keepends=True) for text in (base, ours, persons)]
    return b"".join(Merge3(lines[0], lines[1], lines[2]).merge_lines())


def cpu_of_import(modules: str) -> float:
    """In milliseconds, with what Python itself needs to start."""
    code = f"import time, {modules}; print(time.process_time() * 1000)"
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return float(done.stdout)


def main() -> None:
    many, without, edits = rings(CIRCLES), chain(ACTIONS), texts()
    assert len(find_circles(many)) == len(circles_of_graphlib(many)) == CIRCLES
    assert find_circles(without) == circles_of_graphlib(without) == []
    assert merge(*edits) == merged_by_merge3(*edits)

    ours, theirs = best(lambda: find_circles(many), lambda: circles_of_graphlib(many))
    print(f"{CIRCLES} circles of two: ours {ours:.1f} ms, graphlib {theirs:.0f} ms")

    chained, their_chain = best(lambda: find_circles(without), lambda: circles_of_graphlib(without))
    print(f"none in {ACTIONS} actions: ours {chained:.1f} ms, graphlib {their_chain:.1f} ms")

    joined, their_join = best(lambda: merge(*edits), lambda: merged_by_merge3(*edits))
    print(f"two edits of {LINES} lines: ours {joined:.1f} ms, merge3 {their_join:.1f} ms")

    (read,) = best(lambda: [Exchange().take(HEAD) for _ in range(HEADS)])
    print(f"a request's head with h11: {read / HEADS * 1000:.0f} µs")

    rest, proxy = (
        min(cpu_of_import(modules) for _ in range(2 * RUNS))
        for modules in (WITHOUT_H11, "core.adapters.sandbox.egress.proxy")
    )
    print(f"h11 in the import of the proxy: {proxy - rest:.1f} of {proxy:.1f} ms")


if __name__ == "__main__":
    main()
