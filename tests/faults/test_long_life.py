"""A year of half-hours in one resident: it is as small at the end as at the beginning."""

import json
import subprocess
import sys
import tempfile
from pathlib import Path

BEATS = 17_520
RAM = Path("/dev/shm")  # where there is one, a commit costs no wait for the disk


def test_a_resident_is_after_a_year_of_beats_what_it_was_before() -> None:
    with tempfile.TemporaryDirectory(dir=RAM if RAM.is_dir() else None) as folder:
        command = [sys.executable, "-m", "tests.faults.long_life", folder, str(BEATS)]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, timeout=280, check=True)
    told = json.loads(done.stdout)
    early, late = told["early"], told["late"]
    assert told["days"] >= 365
    assert told["shown"] >= 2 * BEATS, "every beat was shown when it began and when it was over"
    assert late["resident_kib"] - early["resident_kib"] <= 2 * 1024
    assert late["threads"] == early["threads"]
    assert late["descriptors"] == early["descriptors"]
    assert late["children"] == early["children"] == 0
