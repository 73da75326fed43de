"""How fast a file and the settings are read, as ratios of one run: `python -m tests.bench.reading`.
Exit code 1 where a goal is missed.

Processor time, the best of several runs that take turns, so that a busy machine disturbs all
sides alike.
"""

import compileall
import contextlib
import os
import sys
import tempfile
import time
from collections.abc import Callable
from pathlib import Path

from markdown_it import MarkdownIt

from core.kinds import read_document
from core.rules.reading.blocks import MAXIMUM_BYTES
from tests.bench.figure import Figure, report
from tests.installed import HEARTBEAT, environment

ROOT = Path(__file__).parents[2]
PARSES = 12
STARTS = 20
SMALL = """---
version: 1
status: idle
---
# Heartbeat

## Tasks
- [ ] inbox | Sort the new mail | required | verify: file:inbox.md fresh<1h
- [ ] backup | Keep a copy | optional | run: cp -r notes copies | schedule: daily:18:00

## Pending Actions
### [HIGH] Say hello
- **id**: hello
- **command**: echo hello
- **status**: PENDING
"""


CHAPTER = """## Chapter NUMBER

Some words about what goes on in this chapter, as people write them: *not too long*, with a [link](x.md).

- first point
- second point
  - with a detail
  - and `another`

```sh
./backup.sh --list
```

> Somebody said something worth keeping, and it is kept here
> over two lines.

1. What was agreed in meeting NUMBER:
   Anna writes the first page, Ben reads it, and *nobody* prints it before both have seen it twice.
2. What is open: `budget.ods`, the cover, and who talks to the printer in **March**.

| what | who | when |
|---|---|---|
| cover | Anna | spring |
| print | Ben | summer |

More words, with a bit of <b>HTML</b> in between, an address such as https://example.org/page and an
ordinary end of the paragraph on its third line, as it happens in notes that grew over the years, some of
them longer than they should be.

## Tasks

- [ ] sort_NUMBER | Sort the new mail into a page | required | verify: file:inbox/today.md fresh<1h | max_attempts: 5
- [x] weather_NUMBER | Prepare the weather brief | optional | verify: weather_sent
- [ ] count_NUMBER | Count the words | run: wc -w book.md | schedule: daily:18:00
  - only those of chapter NUMBER

<!-- a remark over
two lines -->

## Pending Actions

### [HIGH] Look after the website NUMBER
- **id**: website-NUMBER
- **type**: http
- **target**: https://example.org/health
- **params**:
  - expect_status: 200
- **schedule**: every:5m
- **retry**: 3
- **status**: PENDING

### [LOW] Keep a copy NUMBER
- **id**: copy-NUMBER
- **type**: shell
- **command**: ./backup.sh --all
- **timeout**: 2h
- **depends_on**: website-NUMBER
- **status**: PENDING
- **completed_at**: 2026-01-15T10:30:02Z
- **result**: OK

"""


def file_of(lines: int) -> str:
    """A file of so many lines with nothing wrong in it: the chapter again and again, each time
    with its own ids."""
    chapters = "".join(
        CHAPTER.replace("NUMBER", str(number)) for number in range(lines // CHAPTER.count("\n") + 1)
    )
    text = "".join(chapters.splitlines(keepends=True)[:lines])
    assert len(text.encode()) < MAXIMUM_BYTES
    return text


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


def best(*works: Callable[[], object], runs: int) -> list[float]:
    """The shortest time of each; they take turns."""
    times = [[seconds(work) for work in works] for _ in range(runs)]
    return [min(column) for column in zip(*times, strict=True)]


def best_of_commands(*commands: list[str | Path], home: Path, runs: int) -> list[float]:
    times = [[cpu_of_command(command, home) for command in commands] for _ in range(runs)]
    return [min(column) for column in zip(*times, strict=True)]


def cpu_of_command(command: list[str | Path], home: Path) -> float:
    quiet = [(os.POSIX_SPAWN_OPEN, 1, os.devnull, os.O_WRONLY, 0)]
    child = os.posix_spawn(
        command[0], [str(word) for word in command], environment(home), file_actions=quiet
    )
    _, status, usage = os.wait4(child, 0)
    assert os.waitstatus_to_exitcode(status) == 0
    return usage.ru_utime + usage.ru_stime


def settings_figures() -> list[Figure]:
    """What a command costs that needs the settings: `status` looks up there which workspace is
    meant. Once the file has been checked, and right after each change of it."""
    with tempfile.TemporaryDirectory() as folder:
        home = Path(folder)
        workspace = home / "workspace"
        config = home / ".config" / "heartbeat" / "config.toml"
        elsewhere = home / "elsewhere"
        for one in (workspace, config.parent, elsewhere):
            one.mkdir(parents=True)

        (workspace / "HEARTBEAT.md").write_text(SMALL, encoding="utf-8")
        settings = f'workspace = "{workspace}"\ninterval = "45m"\n'
        config.write_text(settings, encoding="utf-8")
        status: list[str | Path] = [HEARTBEAT, "status"]
        bare: list[str | Path] = [sys.executable, "-c", "pass"]

        with contextlib.chdir(elsewhere):
            cpu_of_command(status, home)
            bare_time, later = best_of_commands(bare, status, home=home, runs=STARTS)

            first_times = []
            for number in range(STARTS // 2):
                config.write_text(f"{settings}history_days = {number}\n", encoding="utf-8")
                first_times.append(cpu_of_command(status, home))

    first = min(first_times)
    print(
        f"`heartbeat status` with a config.toml: {later * 1000:.0f} ms, after a change of it "
        f"{first * 1000:.0f} ms\n"
    )
    what = "as a multiple of `python -c pass`"
    return [
        Figure(f"`heartbeat status` with a config.toml, {what}", later / bare_time, 9),
        Figure(f"the same right after a change of config.toml, {what}", first / bare_time),
    ]


def figures() -> list[Figure]:
    tenth, whole = file_of(1_000), file_of(10_000)
    markdown = MarkdownIt("commonmark")
    ours_tenth, ours, theirs = best(
        lambda: read_document(tenth.encode()),
        lambda: read_document(whole.encode()),
        lambda: markdown.parse(whole),
        runs=PARSES,
    )
    for room in ("core", "tray_app"):
        compileall.compile_dir(
            ROOT / room, quiet=1
        )  # as the set-up does; this environment may write no bytecode
    with tempfile.TemporaryDirectory() as folder:
        small = Path(folder) / "HEARTBEAT.md"
        small.write_text(SMALL, encoding="utf-8")
        bare, check = best_of_commands(
            [sys.executable, "-c", "pass"],
            [HEARTBEAT, "check", small],
            home=Path(folder),
            runs=STARTS,
        )
    print(f"10,000 lines: {ours * 1000:.0f} ms, markdown-it-py {theirs * 1000:.0f} ms")
    print(
        f"`heartbeat check` on a small file: {check * 1000:.0f} ms, `python -c pass` "
        f"{bare * 1000:.0f} ms\n"
    )
    return [
        Figure("reading 10,000 lines, as a share of markdown-it-py's time", ours / theirs, 0.2),
        Figure("ten times the lines, as a multiple of the time", ours / ours_tenth, 12),
        Figure(
            "`heartbeat check` on a small file, as a multiple of `python -c pass`",
            check / bare,
            10,
        ),
        *settings_figures(),
    ]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
