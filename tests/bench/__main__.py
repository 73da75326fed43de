"""Every benchmark in one command: `python -m tests.bench` or `./run bench`, `--only NAME` for some.

Each runs in a process of its own, so that none measures what another has left behind. At the end
come the table of the README's "Figures" and what was missed; the exit code is 1 where a goal was
missed or a benchmark failed. `--readme` puts the table into README.md, if all benchmarks ran.
"""

import argparse
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

from tests.bench.figure import Figure, read_figures
from tests.measure_house import put_into

FOLDER = Path(__file__).parent
ROOT = FOLDER.parents[1]
NOT_A_BENCHMARK = {"__init__", "__main__", "figure"}


def names() -> list[str]:
    """Every module of this folder that measures something."""
    return sorted({file.stem for file in FOLDER.glob("*.py")} - NOT_A_BENCHMARK)


def run(name: str, folder: Path) -> tuple[list[Figure], bool]:
    """Its figures, and whether it ran to its end."""
    print(f"== {name}", flush=True)
    file = folder / f"{name}.json"
    command = [sys.executable, "-m", f"tests.bench.{name}", "--figures", str(file)]
    subprocess.run(command, cwd=ROOT, check=False)
    print(flush=True)

    return read_figures(file), file.is_file()


def markdown(figures: dict[str, list[Figure]]) -> str:
    """The table of the README."""
    lines = ["| what | figure | goal: at most | measured by |", "|---|---|---|---|"]
    for name, of_one in figures.items():
        for figure in of_one:
            goal = figure.goal_in_words()
            lines.append(
                f"| {figure.what} | {figure.value_in_words()} | {goal} "
                f"| `./run bench --only {name}` |"
            )

    return "\n".join(lines)


def main(words: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="./run bench", description=__doc__)
    parser.add_argument("--only", action="append", choices=names(), metavar="NAME")
    parser.add_argument("--readme", action="store_true", help="put the table into README.md")
    options = parser.parse_args(words)
    if options.readme and options.only:
        parser.error("--readme needs the figures of all benchmarks: leave out --only")

    figures: dict[str, list[Figure]] = {}
    failed: list[str] = []
    with tempfile.TemporaryDirectory() as folder:
        for name in options.only or names():
            figures[name], is_finished = run(name, Path(folder))
            if not is_finished:
                failed.append(name)

    print(markdown(figures))

    missed = [one for of_one in figures.values() for one in of_one if not one.is_met]
    for figure in missed:
        print(f"MISSED: {figure.what}: {figure.value_in_words()}, at most {figure.goal_in_words()}")
    for name in failed:
        print(f"FAILED: {name} ended before it had its figures")

    if options.readme and not failed:
        put_into(ROOT / "README.md", markdown(figures))

    return 1 if missed or failed else 0


if __name__ == "__main__":
    sys.exit(main())
