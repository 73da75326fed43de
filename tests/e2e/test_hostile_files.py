"""No file, however hostile, hurts `heartbeat check`: it is quick, changes nothing and says what
is wrong."""

import hashlib
import json
import os
import resource
import subprocess
import sys
import threading
from pathlib import Path
from typing import NamedTuple

import pytest

from core.model.codes import CODES
from core.model.diagnostic import Severity
from tests.installed import HEARTBEAT, environment
from tests.samples.hostile.cases import CASES, Case

MOST_CPU_SECONDS = 2.0
# On a slow or busy machine the same work costs more of the processor's time. Then it may cost as
# much more as the yardstick does, which is work of the same kind, measured right before.
YARDSTICK = """
class Part:
    __slots__ = ("text", "number")
    def __init__(self, text, number):
        self.text = text
        self.number = number

parts = [Part(f"- [ ] task {number}".strip(), number) for number in range(150_000)]
by_text = {part.text: part for part in parts if part.text.startswith("- [")}
"""
MOST_YARDSTICKS = 12.0  # the yardstick costs 0.17 s where the limit is the plain one
TRIES = 4
TIMEOUT = 120  # seconds, for a machine that has no time for us

# Root may read everything; without these rights it is like anybody else.
WITHOUT_RIGHTS = ["setpriv", "--bounding-set=-dac_override,-dac_read_search", "--"]


class Ending(NamedTuple):
    exit_code: int
    output: str
    errors: str
    cpu_seconds: float
    most_cpu_seconds: float = MOST_CPU_SECONDS

    @property
    def is_quick(self) -> bool:
        return self.cpu_seconds <= self.most_cpu_seconds


def run(case: Case, target: Path, scratch: Path, *words: str) -> Ending:
    prefix = WITHOUT_RIGHTS if case.as_root_without_rights and os.geteuid() == 0 else []
    with open(scratch / "output", "wb") as output, open(scratch / "errors", "wb") as errors:
        process = subprocess.Popen(
            [*prefix, HEARTBEAT, "check", target, *words],
            cwd=scratch,
            env=environment(scratch) | {"COLUMNS": "100"},
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=errors,
        )
        timer = threading.Timer(TIMEOUT, process.kill)
        timer.start()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        timer.cancel()
    used: resource.struct_rusage = usage
    return Ending(
        process.returncode,
        (scratch / "output").read_bytes().decode("utf-8"),
        (scratch / "errors").read_bytes().decode("utf-8"),
        used.ru_utime + used.ru_stime,
    )


def quick_run(case: Case, target: Path, scratch: Path, *words: str) -> Ending:
    ending = run(case, target, scratch, *words)
    for _ in range(TRIES):
        if ending.is_quick:
            break
        most = MOST_YARDSTICKS * yardstick()
        ending = run(case, target, scratch, *words)._replace(most_cpu_seconds=most)
    return ending


def yardstick() -> float:
    """The CPU seconds that the yardstick costs now."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-c", YARDSTICK], check=True, timeout=TIMEOUT)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def picture(folder: Path) -> dict[str, object]:
    """Everything in the folder: names, links, modes, times, and the bytes where they can be read
    at once."""
    found: dict[str, object] = {}
    for parent, folders, files in os.walk(folder):
        for name in [*folders, *files]:
            path = Path(parent) / name
            status = path.lstat()
            small = (
                path.is_file()
                and not path.is_symlink()
                and status.st_size <= 4 << 20
                and os.access(path, os.R_OK)
            )
            digest = hashlib.sha256(path.read_bytes()).hexdigest() if small else ""
            link = str(path.readlink()) if path.is_symlink() else ""
            found[str(path)] = (
                status.st_mode,
                status.st_size,
                status.st_mtime_ns,
                status.st_ino,
                link,
                digest,
            )
    return found


def assert_calm(ending: Ending) -> None:
    assert ending.exit_code in (0, 1, 2), ending.errors
    for text in (ending.output, ending.errors):
        assert "Traceback" not in text
        assert "unexpected" not in text
        assert all(line.isprintable() for line in text.split("\n"))
    assert ending.is_quick, ending


def test_the_corpus_is_large_and_every_case_has_its_own_name() -> None:
    assert len(CASES) >= 60
    assert len({case.name for case in CASES}) == len(CASES)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.name)
def test_a_hostile_file_is_answered_quickly_and_in_words(case: Case, tmp_path: Path) -> None:
    folder, scratch = tmp_path / "hostile", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    target = case.make(folder)
    before = picture(folder)

    ending = quick_run(case, target, scratch)
    assert_calm(ending)
    for code in case.codes:
        line = f"{CODES[code].severity} {code} "
        assert any(line in shown for shown in ending.output.split("\n")), code

    ending = quick_run(case, target, scratch, "--json")
    assert_calm(ending)
    found = {one["code"] for one in json.loads(ending.output)["diagnostics"]}
    assert found >= case.codes
    if not case.codes:
        assert found == set()
    severities = {CODES[code].severity for code in found}
    assert ending.exit_code == (1 if Severity.ERROR in severities else 0)

    assert picture(folder) == before


def test_a_folder_that_cannot_be_entered_is_wrong_input(tmp_path: Path) -> None:
    folder, scratch = tmp_path / "hostile", tmp_path / "scratch"
    folder.mkdir()
    scratch.mkdir()
    (folder / "HEARTBEAT.md").write_text("## Tasks\n")
    folder.chmod(0)
    closed = Case("closed", lambda _: folder, as_root_without_rights=True)
    try:
        for target in (folder, folder / "HEARTBEAT.md"):
            ending = run(closed, target, scratch, "--json")
            assert_calm(ending)
            assert ending.exit_code == 2
            assert "Permission denied" in json.loads(ending.output)["error"]["message"]
    finally:
        folder.chmod(0o700)
