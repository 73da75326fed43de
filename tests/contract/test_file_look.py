"""What core.ports.FileLook promises, asked of the real one."""

import os
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.file_look import FileLookOnDisk
from core.model.seen_file import LARGEST_TEXT, NoFile, SeenFile, UnseenFile


@pytest.fixture
def root(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    folder.mkdir()
    return folder


def test_a_file_is_seen_with_its_size_time_and_text(root: Path) -> None:
    (root / "a.md").write_bytes("grün\n".encode())
    os.utime(root / "a.md", (1_000_000, 1_000_000))
    found = FileLookOnDisk(root).look("a.md")
    assert isinstance(found, SeenFile)
    assert (found.size, found.text, found.modified) == (6, "grün\n", datetime.fromtimestamp(1_000_000, UTC))


def test_a_changed_file_has_another_fingerprint_also_where_its_size_and_time_are_the_same(root: Path) -> None:
    look = FileLookOnDisk(root)
    marks = []
    for content in ("one", "two"):
        (root / "a.md").write_text(content)
        os.utime(root / "a.md", (1_000_000, 1_000_000))
        found = look.look("a.md")
        assert isinstance(found, SeenFile)
        marks.append((found.fingerprint, look.fingerprints()))
    assert marks[0][0] != marks[1][0]
    assert marks[0][1] != marks[1][1]


@pytest.mark.parametrize("name", ["none.md", "none/a.md", "a\0b"])
def test_a_file_that_is_not_there_is_no_file(root: Path, name: str) -> None:
    assert isinstance(FileLookOnDisk(root).look(name), NoFile)


def test_nobody_can_tell_about_what_is_outside_or_no_file(root: Path) -> None:
    (root.parent / "secret").write_text("x")
    (root / "link").symlink_to(root.parent / "secret")
    (root / "folder").mkdir()
    os.mkfifo(root / "pipe")
    for name in ("link", "../secret", str(root.parent / "secret"), "folder", "pipe"):
        assert isinstance(FileLookOnDisk(root).look(name), UnseenFile), name


def test_a_huge_file_is_measured_and_not_looked_into(root: Path) -> None:
    with (root / "huge").open("wb") as file:
        file.truncate(LARGEST_TEXT + 1)
    found = FileLookOnDisk(root).look("huge")
    assert isinstance(found, SeenFile)
    assert (found.size, found.text) == (LARGEST_TEXT + 1, None)


def test_fingerprints_are_of_ordinary_files_inside(root: Path) -> None:
    (root.parent / "secret").write_text("x")
    (root / "link").symlink_to(root.parent / "secret")
    os.mkfifo(root / "pipe")
    for name in ("a.md", "notes/b.md", ".git/config", "history/2026-11-16.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    assert sorted(FileLookOnDisk(root).fingerprints()) == ["a.md", "notes/b.md"]


def test_names_match_a_pattern_and_leave_out_what_is_not_to_be_looked_at(root: Path) -> None:
    hidden = root / "state"
    for name in ("a.md", "notes/b.md", "notes/c.txt", ".git/config", "state/key.md"):
        (root / name).parent.mkdir(exist_ok=True)
        (root / name).write_text("x")
    look = FileLookOnDisk(root, (hidden,))
    assert look.names("*.md") == ("a.md", "notes/b.md")
    assert look.names("notes/?.*") == ("notes/b.md", "notes/c.txt")
    assert FileLookOnDisk(root).names("state/*") == ("state/key.md",)


def test_a_hidden_folder_is_not_looked_into_by_a_link_either(root: Path) -> None:
    (root / "state").mkdir()
    (root / "state" / "key").write_text("the key of the seal")
    (root / "notes").symlink_to(root / "state" / "key")
    for name in ("state/key", "notes", "state/../state/key"):
        assert isinstance(FileLookOnDisk(root).look(name), SeenFile)
        assert isinstance(FileLookOnDisk(root, (root / "state",)).look(name), UnseenFile)
