"""What core.ports.FileWorker and UndoStore promise together, asked of the real ones and of the
fakes. What only a real disk knows (links, folders, devices) is in test_file_operations.py."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Protocol

import pytest

from core.adapters.files.operations import FileOperations
from core.adapters.files.undo import UndoStore as UndoOnDisk
from core.model.file_work import FileDone, FileFailed, FileWork, Operation, Undone, UndoRefused
from core.ports.files import FileWorker, UndoStore
from tests.fakes.files import FakeFileWorker, FakeUndo

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


class Ground(Protocol):
    worker: FileWorker
    store: UndoStore

    def save(self, name: str, text: str) -> None: ...
    def files(self) -> Mapping[str, str]: ...


class GroundInMemory:
    def __init__(self, _: Path) -> None:
        self.fake = FakeFileWorker()
        self.worker: FileWorker = self.fake
        self.store: UndoStore = FakeUndo(self.fake.files)

    def save(self, name: str, text: str) -> None:
        self.fake.files[name] = text

    def files(self) -> Mapping[str, str]:
        return dict(self.fake.files)


class GroundOnDisk:
    def __init__(self, folder: Path) -> None:
        self.root = folder / "workspace"
        self.root.mkdir()
        self.worker: FileWorker = FileOperations(self.root)
        self.store: UndoStore = UndoOnDisk(self.root, folder / "state")

    def save(self, name: str, text: str) -> None:
        (self.root / name).parent.mkdir(parents=True, exist_ok=True)
        (self.root / name).write_text(text)

    def files(self) -> Mapping[str, str]:
        return {
            path.relative_to(self.root).as_posix(): path.read_text()
            for path in self.root.rglob("*")
            if path.is_file()
        }


@pytest.fixture(params=[GroundInMemory, GroundOnDisk])
def ground(request: pytest.FixtureRequest, tmp_path: Path) -> Ground:
    made: Ground = request.param(tmp_path)
    made.save("a.log", "first")
    made.save("b.log", "second")
    made.save("plan.md", "the plan")
    return made


BEFORE = {"a.log": "first", "b.log": "second", "plan.md": "the plan"}


def do(ground: Ground, work: FileWork, beat: int = 1, item: str = "tidy") -> FileDone | FileFailed:
    return ground.worker.do(work, ground.store.open(beat, item), NOW)


WORKS: dict[str, tuple[FileWork, str, Mapping[str, str]]] = {
    "write": (FileWork(Operation.WRITE, "new.md", content="x"), "OK", {**BEFORE, "new.md": "x"}),
    "overwrite": (
        FileWork(Operation.WRITE, "plan.md", content="x"),
        "OK",
        {**BEFORE, "plan.md": "x"},
    ),
    "append": (
        FileWork(Operation.APPEND, "a.log", content="!"),
        "OK",
        {**BEFORE, "a.log": "first!"},
    ),
    "delete": (
        FileWork(Operation.DELETE, "a.log"),
        "1 file",
        {"b.log": "second", "plan.md": "the plan"},
    ),
    "delete by pattern": (
        FileWork(Operation.DELETE, pattern="*.log"),
        "2 files",
        {"plan.md": "the plan"},
    ),
    "copy": (
        FileWork(Operation.COPY, "a.log", "old/"),
        "1 file",
        {**BEFORE, "old/a.log": "first"},
    ),
    "move by pattern": (
        FileWork(Operation.MOVE, destination="old", pattern="*.log"),
        "2 files",
        {"plan.md": "the plan", "old/a.log": "first", "old/b.log": "second"},
    ),
}


@pytest.mark.parametrize(("work", "result", "after"), WORKS.values(), ids=WORKS.keys())
def test_the_work_is_done_and_can_be_undone_byte_for_byte(
    ground: Ground, work: FileWork, result: str, after: Mapping[str, str]
) -> None:
    assert do(ground, work) == FileDone(result)
    assert ground.files() == after
    assert isinstance(ground.store.undo(None, None), Undone)
    assert ground.files() == BEFORE


def test_reading_says_how_much_there_is_and_leaves_nothing_to_undo(ground: Ground) -> None:
    assert do(ground, FileWork(Operation.READ, "a.log")) == FileDone("5 bytes")
    assert ground.files() == BEFORE
    assert isinstance(ground.store.undo(None, None), UndoRefused)


@pytest.mark.parametrize(
    "work",
    [
        FileWork(Operation.DELETE, "none.md"),
        FileWork(Operation.READ, "none.md"),
        FileWork(Operation.MOVE, "none.md", "x.md"),
        FileWork(Operation.WRITE, "../out.md", content="x"),
        FileWork(Operation.COPY, "a.log", "../out.md"),
        FileWork(Operation.DELETE, "/etc/hostname"),
    ],
)
def test_what_cannot_be_done_says_why_and_changes_nothing(ground: Ground, work: FileWork) -> None:
    failed = do(ground, work)
    assert isinstance(failed, FileFailed)
    assert failed.reason
    assert ground.files() == BEFORE


# -- undo


def write(ground: Ground, text: str, beat: int, item: str) -> None:
    assert isinstance(
        do(ground, FileWork(Operation.WRITE, "plan.md", content=text), beat, item), FileDone
    )


def test_where_nothing_was_displaced_there_is_nothing_to_undo(ground: Ground) -> None:
    assert ground.store.undo(None, None) == UndoRefused("there is nothing to undo")


def test_the_newest_is_undone_first(ground: Ground) -> None:
    write(ground, "second", 1, "one")
    write(ground, "third", 2, "two")
    for beat, expected in ((2, "second"), (1, "the plan")):
        assert ground.store.undo(None, None) == Undone(beat, ("plan.md",), {})
        assert ground.files()["plan.md"] == expected
    assert isinstance(ground.store.undo(None, None), UndoRefused)


@pytest.mark.parametrize(
    "choose", [lambda store: store.undo(1, None), lambda store: store.undo(None, "one")]
)
def test_a_beat_or_an_item_can_be_chosen(
    ground: Ground, choose: Callable[[UndoStore], Undone | UndoRefused]
) -> None:
    do(ground, FileWork(Operation.WRITE, "new.md", content="x"), 1, "one")
    write(ground, "second", 2, "two")
    assert choose(ground.store) == Undone(1, ("new.md",), {})
    assert ground.files() == {**BEFORE, "plan.md": "second"}


def test_what_the_person_changed_since_is_not_undone(ground: Ground) -> None:
    write(ground, "second", 1, "one")
    ground.save("plan.md", "the person's")
    refused = ground.store.undo(None, None)
    assert isinstance(refused, UndoRefused)
    assert "plan.md" in refused.reason
    assert ground.files()["plan.md"] == "the person's"


def test_the_lines_that_were_displaced_come_back_with_the_files(ground: Ground) -> None:
    write(ground, "second", 1, "one")
    ground.store.keep_lines(1, "one", {"status": "PENDING", "last_run": None})
    assert ground.store.undo(None, None) == Undone(
        1, ("plan.md",), {"one": {"status": "PENDING", "last_run": None}}
    )


def test_lines_alone_are_nothing_to_undo(ground: Ground) -> None:
    ground.store.open(1, "one")
    ground.store.keep_lines(1, "one", {"status": "PENDING"})
    assert isinstance(ground.store.undo(None, None), UndoRefused)


def test_clearing_up_takes_nothing_that_can_be_undone(ground: Ground) -> None:
    write(ground, "second", 1, "one")
    ground.store.tidy(1, "one")
    assert isinstance(ground.store.undo(None, None), Undone)
    assert ground.files() == BEFORE
