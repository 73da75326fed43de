"""What core.ports.FileWorker promises, asked of the real one: no file is lost, and what it
displaced comes back."""

import os
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.adapters.files.operations import LARGEST_READ, FileOperations
from core.adapters.files.undo import UndoStore
from core.model.file_work import FileDone, FileFailed, FileWork, Operation, Undone

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


class Ground:
    """A workspace with files, each holding its own first name."""

    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.root.mkdir()
        self.store = UndoStore(self.root, folder / "state")

    def put(self, *names: str) -> None:
        for name in names:
            (self.root / name).parent.mkdir(parents=True, exist_ok=True)
            (self.root / name).write_text(name)

    def link(self, name: str, leads_to: str) -> None:
        (self.root / name).symlink_to(leads_to)

    def do(
        self, operation: Operation, path: str = "", destination: str = "", pattern: str = ""
    ) -> str:
        """The result, or the reason why not."""
        work = FileWork(operation, path, destination, pattern)
        done = FileOperations(self.root).do(work, self.store.open(1, "one"), NOW)
        return done.result if isinstance(done, FileDone) else done.reason

    @property
    def files(self) -> dict[str, str]:
        """Every file and link, with what it holds or leads to."""
        return {
            path.relative_to(self.root).as_posix(): f"-> {path.readlink()}"
            if path.is_symlink()
            else path.read_text()
            for path in sorted(self.root.rglob("*"))
            if path.is_symlink() or path.is_file()
        }

    def undo(self) -> None:
        assert isinstance(self.store.undo(None, None), Undone)


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path)


# -- a file that is at its destination already -----------------------------------------------------


def test_a_file_moved_to_where_it_is_stays(ground: Ground) -> None:
    ground.put("keep.dat")
    assert (
        ground.do(Operation.MOVE, "keep.dat", "keep.dat")
        == "keep.dat is both the source and the destination"
    )
    assert ground.files == {"keep.dat": "keep.dat"}


def test_files_that_are_in_the_folder_already_stay_when_the_others_are_moved_there(
    ground: Ground,
) -> None:
    ground.put("archive/old.txt", "new.txt")
    assert ground.do(Operation.MOVE, destination="archive/", pattern="**/*.txt") == "1 file"
    assert ground.files == {"archive/old.txt": "archive/old.txt", "archive/new.txt": "new.txt"}


def test_a_link_is_not_moved_onto_the_file_that_it_leads_to(ground: Ground) -> None:
    ground.put("v1.bin")
    ground.link("current", "v1.bin")
    before = ground.files
    assert (
        ground.do(Operation.MOVE, "current", "v1.bin")
        == "current is both the source and the destination"
    )
    assert (
        ground.do(Operation.MOVE, "v1.bin", "current")
        == "v1.bin is both the source and the destination"
    )
    assert ground.files == before


# -- a pattern and its folder ----------------------------------------------------------------------


def test_a_pattern_looks_into_the_folder_that_is_named(ground: Ground) -> None:
    ground.put("logs/in.log", "root.log")
    assert ground.do(Operation.DELETE, "logs", pattern="*.log") == "1 file"
    assert ground.files == {"root.log": "root.log"}


def test_a_pattern_without_a_folder_looks_into_the_workspace(ground: Ground) -> None:
    ground.put("logs/in.log", "root.log")
    assert ground.do(Operation.DELETE, pattern="*.log") == "1 file"
    assert ground.files == {"logs/in.log": "logs/in.log"}


@pytest.mark.parametrize("path", [".", "./", "logs/.."])
def test_the_workspace_itself_may_be_the_folder(ground: Ground, path: str) -> None:
    ground.put("logs/in.log", "root.log")
    assert ground.do(Operation.DELETE, path, pattern="*.log") == "1 file"
    assert ground.files == {"logs/in.log": "logs/in.log"}


@pytest.mark.parametrize(
    ("path", "pattern", "reason"),
    [
        ("nowhere", "*", "nowhere is not there, and `pattern` needs a folder"),
        ("file.log", "*", "file.log is not a folder, and `pattern` needs a folder"),
        ("..", "*", ".. is not inside the workspace"),
        ("outside", "*", "outside is not inside the workspace"),
        ("", "../*", "../* is not inside the workspace"),
        ("", "outside/*", "0 files"),
    ],
)
def test_no_pattern_leaves_the_workspace(
    ground: Ground, path: str, pattern: str, reason: str
) -> None:
    ground.put("file.log", "../away/precious.txt")
    ground.link("outside", "../away")
    assert ground.do(Operation.DELETE, path, pattern=pattern) == reason
    assert (ground.root.parent / "away" / "precious.txt").exists()


# -- several files to one place --------------------------------------------------------------------


@pytest.mark.parametrize("operation", [Operation.MOVE, Operation.COPY])
def test_what_a_pattern_finds_goes_into_a_folder_that_is_made_for_it(
    ground: Ground, operation: Operation
) -> None:
    ground.put("1.csv", "2.csv")
    assert ground.do(operation, destination="data", pattern="*.csv") == "2 files"
    moved = {name: text for name, text in ground.files.items() if name.startswith("data/")}
    assert moved == {"data/1.csv": "1.csv", "data/2.csv": "2.csv"}


@pytest.mark.parametrize("operation", [Operation.MOVE, Operation.COPY])
def test_two_files_of_one_name_do_not_land_on_each_other(
    ground: Ground, operation: Operation
) -> None:
    ground.put("a/report.csv", "b/report.csv", "b/other.csv")
    before = ground.files
    reason = ground.do(operation, destination="all/", pattern="*/*.csv")
    assert reason == "two folders contain report.csv, and both would go to the same place"
    assert ground.files == before


def test_a_file_on_its_way_does_not_land_on_one_that_is_there_and_was_found_too(
    ground: Ground,
) -> None:
    ground.put("archive/old.txt", "old.txt")
    before = ground.files
    assert "two folders" in ground.do(Operation.MOVE, destination="archive/", pattern="**/*.txt")
    assert ground.files == before


def test_what_a_pattern_finds_does_not_replace_a_file(ground: Ground) -> None:
    ground.put("1.csv", "2.csv", "data")
    before = ground.files
    reason = ground.do(Operation.MOVE, destination="data", pattern="*.csv")
    assert reason == "data is a file, and what a pattern finds goes into a folder"
    assert ground.files == before


# -- links -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("pattern", ["", "cur*"])
def test_a_deleted_link_leaves_what_it_led_to_and_comes_back_as_a_link(
    ground: Ground, pattern: str
) -> None:
    ground.put("v1.bin")
    ground.link("current", "v1.bin")
    before = ground.files
    assert ground.do(Operation.DELETE, "" if pattern else "current", pattern=pattern) == "1 file"
    assert ground.files == {"v1.bin": "v1.bin"}
    ground.undo()
    assert ground.files == before


@pytest.mark.parametrize("leads_to", ["folder", "gone"])
@pytest.mark.parametrize(
    ("operation", "destination"), [(Operation.DELETE, ""), (Operation.MOVE, "other")]
)
def test_a_link_to_a_folder_or_to_nothing_goes_alone_and_comes_back(
    ground: Ground, operation: Operation, destination: str, leads_to: str
) -> None:
    ground.put("folder/a.txt")
    ground.link("link", leads_to)
    before = ground.files
    assert ground.do(operation, "link", destination) == "1 file"
    assert ground.files == {"folder/a.txt": "folder/a.txt"} | (
        {destination: f"-> {leads_to}"} if destination else {}
    )
    ground.undo()
    assert ground.files == before


def test_a_moved_link_stays_a_link_and_comes_back(ground: Ground) -> None:
    ground.put("v1.bin")
    ground.link("current", "v1.bin")
    before = ground.files
    assert ground.do(Operation.MOVE, "current", "latest") == "1 file"
    assert ground.files == {"latest": "-> v1.bin", "v1.bin": "v1.bin"}
    ground.undo()
    assert ground.files == before


def test_a_copied_link_is_a_copy_of_the_file_under_the_name_of_the_link(ground: Ground) -> None:
    ground.put("v1.bin", "copies/other")
    ground.link("current", "v1.bin")
    assert ground.do(Operation.COPY, "current", "copies/") == "1 file"
    assert ground.files["copies/current"] == "v1.bin"


@pytest.mark.parametrize(
    "operation", [Operation.COPY, Operation.READ, Operation.DELETE, Operation.MOVE]
)
def test_nothing_is_done_through_a_link_that_leaves_the_workspace(
    ground: Ground, operation: Operation
) -> None:
    ground.put("../away/precious.txt")
    ground.link("link", "../away/precious.txt")
    assert ground.do(operation, "link", "copy") == "link is not inside the workspace"


# -- folders, sizes, ages --------------------------------------------------------------------------


@pytest.mark.parametrize(
    "operation", [Operation.COPY, Operation.MOVE, Operation.DELETE, Operation.READ]
)
def test_a_folder_is_not_said_to_be_missing(ground: Ground, operation: Operation) -> None:
    ground.put("logs/in.log")
    assert (
        ground.do(operation, "logs", "old")
        == "logs is a folder; for the files in it, add a pattern such as `*`"
    )
    assert ground.do(operation, "gone", "old") == "gone does not exist"


def test_the_size_of_a_large_file_is_its_own(ground: Ground) -> None:
    (ground.root / "large").write_bytes(b"x" * (LARGEST_READ + 5))
    assert ground.do(Operation.READ, "large") == f"{LARGEST_READ + 5} bytes"


def test_only_what_is_older_is_touched(ground: Ground) -> None:
    ground.put("old.log", "new.log")
    an_hour_ago = (NOW - timedelta(hours=1)).timestamp()
    os.utime(ground.root / "old.log", (an_hour_ago, an_hour_ago))
    os.utime(ground.root / "new.log", (NOW.timestamp(), NOW.timestamp()))
    work = FileWork(Operation.DELETE, pattern="*.log", older_than=timedelta(minutes=30))
    assert FileOperations(ground.root).do(work, ground.store.open(1, "one"), NOW) == FileDone(
        "1 file"
    )
    assert [*ground.files] == ["new.log"]


def test_what_was_moved_over_another_file_comes_back_with_it(ground: Ground) -> None:
    ground.put("a", "b")
    assert ground.do(Operation.MOVE, "a", "b") == "1 file"
    assert ground.files == {"b": "a"}
    ground.undo()
    assert ground.files == {"a": "a", "b": "b"}


def test_a_name_that_cannot_be_one_is_refused(ground: Ground) -> None:
    done = FileOperations(ground.root).do(
        FileWork(Operation.WRITE, "a\0b"), ground.store.open(1, "one"), NOW
    )
    assert done == FileFailed("this is not a file name", ("not_a_name",))
