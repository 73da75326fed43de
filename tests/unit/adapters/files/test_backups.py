"""Which writes are the program's own."""

from pathlib import Path

from core.adapters.files.backups import OwnWrites


def test_own_writes_are_known_one_after_another_and_only_from_where_they_started(
    tmp_path: Path,
) -> None:
    writer = OwnWrites(tmp_path)
    watcher = OwnWrites(tmp_path)
    writer.note("a", "b")
    writer.note("b", "c")
    assert not watcher.explain("c", "b")
    assert not watcher.explain("persons", "c")
    assert not watcher.explain("a", "persons")
    assert watcher.explain("a", "c")
    writer.note("c", "d")
    assert watcher.explain("c", "d")


def test_a_write_counts_once_and_the_same_change_again_is_the_persons(tmp_path: Path) -> None:
    writer = OwnWrites(tmp_path)
    watcher = OwnWrites(tmp_path)
    writer.note("a", "b")
    assert watcher.explain("a", "b")
    assert not watcher.explain("a", "b")
    assert not OwnWrites(tmp_path).explain("a", "b")


def test_only_the_last_own_writes_are_remembered(tmp_path: Path) -> None:
    writer = OwnWrites(tmp_path)
    watcher = OwnWrites(tmp_path)
    for number in range(200):
        writer.note(f"a{number}", f"a{number + 1}")
    assert watcher.explain("a199", "a200")
    assert not writer.include("a100")
    assert len((tmp_path / "backups" / "own-writes").read_text().splitlines()) == 50
