"""People who save without pause, in every editor's way, while the program keeps writing
statuses: no save is lost."""

import random
import subprocess
import sys
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.files.read import read_settled
from core.adapters.files.save import SharedFile
from core.model.workspace_file import Failed, Snapshot, Written
from tests.person import START, WAYS

DESKS = 10  # at once, each with its own person and file
SAVES = 205  # of each
STATUS = b"- **status**: "


def set_status(data: bytes, status: bytes) -> bytes:
    lines = data.splitlines(keepends=True)
    return b"".join(STATUS + status + b"\n" if line.startswith(STATUS) else line for line in lines)


def one_desk(folder: Path, seed: int) -> tuple[list[str], bytes, Counter[str]]:
    """A person saves and the program writes until the person is done: the saves, the last text,
    the writes' endings."""
    path = folder / "HEARTBEAT.md"
    path.write_bytes(START)
    file = SharedFile(path, folder, folder.with_name(f"{folder.name}-state"), time.sleep)
    endings: Counter[str] = Counter()
    chance = random.Random(seed)

    def beat() -> None:
        base = read_settled(path, folder, datetime.now(UTC), time.sleep)
        if isinstance(base, Snapshot):
            time.sleep(chance.uniform(0, 0.3))  # the beat does its work
            status = b"RUN %d" % endings.total()
            ending = file.write(base, lambda data: set_status(data, status), datetime.now(UTC))
            assert not isinstance(ending, Failed), ending
            endings[
                "merged" if isinstance(ending, Written) and ending.merged else type(ending).__name__
            ] += 1

    with open(folder.with_name(f"{folder.name}-saves"), "w+") as saves:
        words = [sys.executable, "-m", "tests.person", str(path), str(SAVES), str(seed), "1"]
        with subprocess.Popen(words, stdout=saves) as person:
            while person.poll() is None:
                beat()
        assert person.returncode == 0
        saves.seek(0)
        marks = saves.read().splitlines()
    beat()
    return marks, path.read_bytes(), endings


@pytest.mark.slow
@pytest.mark.timeout(600)
def test_no_save_is_lost(tmp_path: Path) -> None:
    folders = [tmp_path / f"desk{number}" for number in range(DESKS)]
    for folder in folders:
        folder.mkdir()
    with ThreadPoolExecutor(DESKS) as pool:
        results = list(pool.map(one_desk, folders, range(DESKS)))
    saves = [mark for marks, _, _ in results for mark in marks]
    assert len(set(saves)) == DESKS * SAVES >= 2000
    lost = [
        mark
        for marks, text, _ in results
        for mark in marks
        if mark.encode() not in text.splitlines()
    ]
    assert lost == []
    assert {mark.split()[-1] for mark in saves} == set(WAYS)

    endings = sum((counter for _, _, counter in results), Counter[str]())
    assert endings["Written"] + endings["merged"] >= 200, (
        endings
    )  # or the storm would have shown nothing
    assert endings["merged"] >= 10, endings
    for folder, (_, text, _) in zip(folders, results, strict=True):
        assert STATUS + b"RUN" in text
        assert not [entry.name for entry in folder.iterdir() if ".heartbeat-" in entry.name]
    print(f"{len(saves)} saves, {len(lost)} lost, {dict(endings)}")
