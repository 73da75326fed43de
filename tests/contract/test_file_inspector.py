"""What core.ports.FileInspector promises, asked of the real one and, where no disk is needed, of
the fake."""

import os
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.files.inspector import FileInspectorOnDisk
from core.model.file_work import LARGEST_TEXT, NoFile, SeenFile, UnseenFile
from core.ports.files import FileInspector
from tests.fakes.files import FakeFileInspector, seen


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


THEN = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
Save = Callable[[str, str], FileInspector]


@pytest.fixture(params=["disk", "fake"])
def save(request: pytest.FixtureRequest, root: Path) -> Save:
    """Saves a file, and gives the inspector of all of them."""
    fake = FakeFileInspector()

    def in_memory(name: str, text: str) -> FileInspector:
        fake.files[name] = seen(text, THEN)
        return fake

    def on_disk(name: str, text: str) -> FileInspector:
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
        os.utime(root / name, (THEN.timestamp(), THEN.timestamp()))
        return FileInspectorOnDisk(root)

    return on_disk if request.param == "disk" else in_memory


def test_an_inspection_finds_what_was_saved(save: Save) -> None:
    found = save("a.md", "grün\n").inspect("a.md")
    assert isinstance(found, SeenFile)
    assert (found.size, found.text, found.modified) == (6, "grün\n", THEN)


def test_of_a_name_without_a_file_there_is_none(save: Save) -> None:
    assert isinstance(save("a.md", "x").inspect("b.md"), NoFile)


def test_every_file_has_a_fingerprint_that_only_a_change_changes(save: Save) -> None:
    save("notes/b.md", "same")
    before = save("a.md", "one").fingerprints()
    assert [*before] == ["a.md", "notes/b.md"]
    after = save("a.md", "two").fingerprints()
    assert after["a.md"] != before["a.md"]
    assert after["notes/b.md"] == before["notes/b.md"]


def test_names_are_found_by_their_pattern_in_order(save: Save) -> None:
    for name in ("notes/c.txt", "notes/b.md", "a.md"):
        files = save(name, "x")
    assert files.names("*.md") == ("a.md", "notes/b.md")
    assert files.names("notes/?.*") == ("notes/b.md", "notes/c.txt")
    assert files.names("none*") == ()


def test_a_file_is_seen_with_its_size_time_and_text(root: Path) -> None:
    (root / "a.md").write_bytes("grün\n".encode())
    os.utime(root / "a.md", (1_000_000, 1_000_000))
    found = FileInspectorOnDisk(root).inspect("a.md")
    assert isinstance(found, SeenFile)
    assert (found.size, found.text, found.modified) == (
        6,
        "grün\n",
        datetime.fromtimestamp(1_000_000, UTC),
    )


def test_a_changed_file_has_another_fingerprint_also_where_its_size_and_time_are_the_same(
    root: Path,
) -> None:
    files = FileInspectorOnDisk(root)
    marks = []
    for content in ("one", "two"):
        (root / "a.md").write_text(content)
        os.utime(root / "a.md", (1_000_000, 1_000_000))
        found = files.inspect("a.md")
        assert isinstance(found, SeenFile)
        marks.append((found.fingerprint, files.fingerprints()))
    assert marks[0][0] != marks[1][0]
    assert marks[0][1] != marks[1][1]


@pytest.mark.parametrize("name", ["none.md", "none/a.md", "a\0b"])
def test_a_missing_file_is_reported_as_no_file(root: Path, name: str) -> None:
    assert isinstance(FileInspectorOnDisk(root).inspect(name), NoFile)


def test_files_outside_and_special_files_are_unseen(root: Path) -> None:
    (root.parent / "secret").write_text("x")
    (root / "link").symlink_to(root.parent / "secret")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    for name in ("link", "../secret", str(root.parent / "secret"), "folder", "pipe"):
        assert isinstance(FileInspectorOnDisk(root).inspect(name), UnseenFile), name


def test_a_huge_file_is_measured_and_not_looked_into(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(LARGEST_TEXT + 1)
    found = FileInspectorOnDisk(root).inspect("huge")
    assert isinstance(found, SeenFile)
    assert (found.size, found.text) == (LARGEST_TEXT + 1, None)


def test_a_huge_file_has_changed_if_its_content_has_and_not_its_time(root: Path) -> None:
    place = root / "huge.bin"
    with place.open("wb") as file:
        file.truncate(LARGEST_TEXT + 1)

    def mark() -> str:
        found = FileInspectorOnDisk(root).inspect("huge.bin")
        assert isinstance(found, SeenFile)
        return found.fingerprint

    before = mark()
    os.utime(place, (1, 1))
    assert mark() == before

    with place.open("r+b") as opened:
        opened.seek(LARGEST_TEXT // 2)
        opened.write(b"x")

    os.utime(place, (1, 1))
    assert mark() != before


def test_fingerprints_are_of_ordinary_files_inside(root: Path) -> None:
    (root.parent / "secret").write_text("x")
    (root / "link").symlink_to(root.parent / "secret")
    os.mkfifo(root / "pipe")
    for name in ("a.md", "notes/b.md", ".git/config", "history/2026-11-16.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    assert sorted(FileInspectorOnDisk(root).fingerprints()) == ["a.md", "notes/b.md"]


def test_names_match_a_pattern_and_leave_out_what_is_not_to_be_looked_at(root: Path) -> None:
    hidden = root / "state"
    for name in ("a.md", "notes/b.md", "notes/c.txt", ".git/config", "state/key.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    files = FileInspectorOnDisk(root, (hidden,))
    assert files.names("*.md") == ("a.md", "notes/b.md")
    assert files.names("notes/?.*") == ("notes/b.md", "notes/c.txt")
    assert FileInspectorOnDisk(root).names("state/*") == ("state/key.md",)


def test_a_hidden_folder_is_not_looked_into_by_a_link_either(root: Path) -> None:
    (root / "state").mkdir()
    (root / "state" / "key").write_text("the key of the seal")
    (root / "notes").symlink_to(root / "state" / "key")
    for name in ("state/key", "notes", "state/../state/key"):
        assert isinstance(FileInspectorOnDisk(root).inspect(name), SeenFile)
        assert isinstance(FileInspectorOnDisk(root, (root / "state",)).inspect(name), UnseenFile)
