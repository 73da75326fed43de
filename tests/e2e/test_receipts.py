"""`heartbeat open`: the file, or the receipt of a beat, in the registered editor."""

from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    machine = Machine(tmp_path)
    machine.register_editor()
    machine.write(
        action("one", "echo first"), action("two", "echo second", "schedule: daily:03:00")
    )
    machine.heartbeat("run", "one")
    machine.heartbeat("run", "two")
    return machine


def test_without_more_words_it_opens_the_file(machine: Machine) -> None:
    assert machine.heartbeat("open").code == 0
    assert machine.opened_file() == machine.file


@pytest.mark.parametrize(
    ("which", "name", "words"),
    [
        ("1", "beat-1.txt", "first"),
        ("last", "beat-2.txt", "second"),
        ("two", "beat-2.txt", "second"),
        ("action:one", "beat-1.txt", "first"),
    ],
)
def test_a_receipt_is_named_by_its_beat_or_its_item(
    machine: Machine, which: str, name: str, words: str
) -> None:
    assert machine.heartbeat("open", "--receipt", which).code == 0
    file = machine.opened_file()
    assert (file.name, words in file.read_text()) == (name, True)
    assert file.read_text().replace("\n", "").isprintable()  # no colours in an editor


@pytest.mark.parametrize("which", ["77", "nothing"])
def test_a_missing_receipt_is_reported(machine: Machine, which: str) -> None:
    done = machine.heartbeat("open", "--receipt", which)
    assert (done.code, f"There is no receipt of {which}." in done.err) == (2, True)


def test_old_receipt_files_are_deleted(machine: Machine) -> None:
    folder = machine.state / "receipts"
    folder.mkdir()
    for number in range(100, 140):
        (folder / f"beat-{number}.txt").write_text("old")
    machine.heartbeat("open", "--receipt", "1")
    assert len(list(folder.iterdir())) == 20
    assert (folder / "beat-1.txt").exists()
