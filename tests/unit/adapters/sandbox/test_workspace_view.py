"""The top folder of the sandbox's workspace: what a command does to names there, and what
becomes of it."""

import fcntl
import os
import stat
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.adapters.sandbox import workspace_view
from core.adapters.sandbox.workspace_view import TopFolder
from core.model.sandbox import Reach
from tests.descriptors import open_descriptors


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "sub").mkdir(parents=True)
    (folder / "HEARTBEAT.md").write_text("mine\n")
    (folder / "a.txt").write_text("a\n")
    (folder / "b.txt").write_text("b\n")
    (folder / "link").symlink_to("a.txt")
    return folder


@pytest.fixture
def stages(tmp_path: Path) -> Path:
    return tmp_path / "stages"


def inside(stages: Path) -> Path:
    """The one folder that is in the place of the workspace now."""
    (place,) = stages.iterdir()
    return place


def names(folder: Path) -> set[str]:
    return {entry.name for entry in folder.iterdir()}


@pytest.fixture(autouse=True)
def _nothing_is_left(stages: Path) -> Iterator[None]:
    yield
    assert names(stages) == set()


def wait_a_tick(path: Path) -> None:
    """Until the file system's clock tells a new change of this file from an old one."""
    before = path.stat().st_mtime_ns
    while path.stat().st_mtime_ns == before:
        os.utime(path)
        time.sleep(0.001)


def test_a_command_that_does_nothing_changes_nothing(workspace: Path, stages: Path) -> None:
    before = {
        entry.name: (entry.lstat().st_ino, entry.lstat().st_mtime_ns)
        for entry in workspace.iterdir()
    }
    with TopFolder(Reach(workspace), stages) as top:
        assert names(inside(stages)) == names(workspace)
    assert top.kept_out == ()
    assert before == {
        entry.name: (entry.lstat().st_ino, entry.lstat().st_mtime_ns)
        for entry in workspace.iterdir()
    }


def test_control_files_are_mounted_read_only_and_folders_writable(
    workspace: Path, stages: Path
) -> None:
    with TopFolder(Reach(workspace), stages) as top:
        words = " ".join(top.mounts())
        assert f"--ro-bind-try {workspace}/HEARTBEAT.md {workspace}/HEARTBEAT.md" in words
        assert f"--bind-try {workspace}/sub {workspace}/sub" in words
        assert (inside(stages) / "HEARTBEAT.md").read_text() == ""  # only the place for the mount


def test_what_is_made_replaced_renamed_and_removed_is_copied_to_the_workspace(
    workspace: Path, stages: Path
) -> None:
    with TopFolder(Reach(workspace), stages) as top:
        place = inside(stages)
        (place / "new.txt").write_text("new\n")
        (place / "folder" / "deep").mkdir(parents=True)
        (place / "folder" / "deep" / "x").write_text("x\n")
        (place / "to-a").symlink_to("a.txt")
        (place / "fresh").write_text("A\n")
        (place / "fresh").rename(place / "a.txt")
        (place / "b.txt").rename(place / "c.txt")
        (place / "link").unlink()
    assert top.kept_out == ()
    assert names(workspace) == {
        "HEARTBEAT.md",
        "sub",
        "a.txt",
        "c.txt",
        "new.txt",
        "folder",
        "to-a",
    }
    assert (workspace / "a.txt").read_text() == "A\n"
    assert (workspace / "c.txt").read_text() == "b\n"
    assert (workspace / "folder" / "deep" / "x").read_text() == "x\n"
    assert (workspace / "to-a").readlink() == Path("a.txt")


def test_names_that_are_swapped_stay_swapped(workspace: Path, stages: Path) -> None:
    with TopFolder(Reach(workspace), stages):
        place = inside(stages)
        (place / "a.txt").rename(place / "t")
        (place / "b.txt").rename(place / "a.txt")
        (place / "t").rename(place / "b.txt")
    assert ((workspace / "a.txt").read_text(), (workspace / "b.txt").read_text()) == ("b\n", "a\n")


def test_a_file_that_became_a_folder_is_a_folder_in_the_workspace(
    workspace: Path, stages: Path
) -> None:
    with TopFolder(Reach(workspace), stages):
        (inside(stages) / "a.txt").unlink()
        (inside(stages) / "a.txt").mkdir()
    assert (workspace / "a.txt").is_dir()


def test_what_is_written_into_a_file_is_there_at_once(workspace: Path, stages: Path) -> None:
    with TopFolder(Reach(workspace), stages), open(inside(stages) / "a.txt", "a") as file:
        file.write("more\n")
        file.flush()
        assert (workspace / "a.txt").read_text() == "a\nmore\n"


@pytest.mark.parametrize(
    "name",
    [
        "heartbeat.md",
        "Heartbeat.MD",
        "config.json",
        ".heartbeat",
        "heartbeat",
        ".HEARTBEAT.md.heartbeat-00",
    ],
)
def test_a_control_name_is_never_copied_to_the_workspace(
    workspace: Path, stages: Path, name: str
) -> None:
    before = names(workspace)
    with TopFolder(Reach(workspace), stages) as top:
        (inside(stages) / name).mkdir()
        (inside(stages) / name / "evil.md").write_text("evil\n")
    assert top.kept_out == (name,)
    assert names(workspace) == before


def test_a_link_with_a_control_name_cannot_be_replaced(tmp_path: Path, stages: Path) -> None:
    workspace = tmp_path / "linked"
    (workspace / "plans" / "deep").mkdir(parents=True)
    (workspace / "plans" / "deep" / "today.md").write_text("mine\n")
    (workspace / "HEARTBEAT.md").symlink_to("plans/deep/today.md")
    with TopFolder(Reach(workspace), stages) as top:
        words = " ".join(top.mounts())
        assert f"--ro-bind-try {workspace}/HEARTBEAT.md" in words
        assert f"--ro-bind-try {workspace}/plans" in words  # where it leads
    assert (workspace / "HEARTBEAT.md").is_symlink()


def test_a_protected_or_hidden_path_closes_the_entry_that_it_lies_in(
    workspace: Path, stages: Path
) -> None:
    (workspace / "state" / "deep").mkdir(parents=True)
    reach = Reach(
        workspace,
        protected=(workspace / "sub" / "plan.md",),
        hidden=(workspace / "state" / "deep",),
    )
    with TopFolder(reach, stages) as top:
        words = " ".join(top.mounts())
    for name in ("sub", "state"):
        assert f"--ro-bind-try {workspace}/{name}" in words


def test_a_file_that_the_person_saved_by_renaming_stays_the_persons(
    workspace: Path, stages: Path
) -> None:
    with TopFolder(Reach(workspace), stages) as top:
        (inside(stages) / "mine").write_text("the command's\n")
        (inside(stages) / "mine").rename(inside(stages) / "a.txt")
        (inside(stages) / "b.txt").unlink()
        for name in ("a.txt", "b.txt"):
            (workspace / "draft").write_text("the person's\n")
            (workspace / "draft").rename(workspace / name)
    assert set(top.kept_out) == {"a.txt", "b.txt"}
    for name in ("a.txt", "b.txt"):
        assert (workspace / name).read_text() == "the person's\n"


def test_a_file_that_the_person_wrote_last_stays_the_persons(workspace: Path, stages: Path) -> None:
    with TopFolder(Reach(workspace), stages) as top:
        place = inside(stages)
        (place / "mine").write_text("the command's\n")
        (place / "mine").rename(place / "a.txt")
        (place / "b.txt").unlink()
        for name in ("a.txt", "b.txt"):
            wait_a_tick(workspace / name)
            (workspace / name).write_text("the person's\n")
    assert set(top.kept_out) == {"a.txt", "b.txt"}
    for name in ("a.txt", "b.txt"):
        assert (workspace / name).read_text() == "the person's\n"


def test_a_file_that_the_command_wrote_and_then_replaced_is_its_own(
    workspace: Path, stages: Path
) -> None:
    with TopFolder(Reach(workspace), stages) as top:
        place = inside(stages)
        with open(place / "a.txt", "a") as file:
            file.write("more\n")
        (place / "mine").write_text("the command's\n")
        (place / "mine").rename(place / "a.txt")
    assert top.kept_out == ()
    assert (workspace / "a.txt").read_text() == "the command's\n"


@pytest.mark.parametrize("kind", ["file", "folder"])
def test_a_name_that_the_person_took_meanwhile_stays_the_persons(
    workspace: Path, stages: Path, kind: str
) -> None:
    with TopFolder(Reach(workspace), stages) as top:
        if kind == "folder":
            (inside(stages) / "new").mkdir()
            (workspace / "new").mkdir()
        else:
            (inside(stages) / "new").write_text("the command's\n")
        (workspace / "new" / "note" if kind == "folder" else workspace / "new").write_text(
            "the person's\n"
        )
    assert top.kept_out == ("new",)
    note = workspace / "new" / "note" if kind == "folder" else workspace / "new"
    assert note.read_text() == "the person's\n"


def test_where_links_cannot_be_made_files_are_mounted_and_new_ones_copied(
    workspace: Path, stages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def other_disk(*_: object, **__: object) -> None:
        raise OSError(18, "Invalid cross-device link")

    monkeypatch.setattr(os, "link", other_disk)
    monkeypatch.setattr(Path, "rename", other_disk)
    with TopFolder(Reach(workspace), stages) as top:
        assert f"--bind-try {workspace}/a.txt {workspace}/a.txt" in " ".join(top.mounts())
        (inside(stages) / "new.txt").write_text("new\n")
        (inside(stages) / "new.txt").chmod(0o750)
        (inside(stages) / "to-a").symlink_to("a.txt")
        (inside(stages) / "folder").mkdir()
        (inside(stages) / "folder" / "x").write_text("x\n")
        (inside(stages) / "taken").write_text("the command's\n")
        (workspace / "taken").write_text("the person's\n")
    assert top.kept_out == ("taken",)
    assert (workspace / "a.txt").read_text() == "a\n"
    assert (workspace / "new.txt").read_text() == "new\n"
    assert stat.S_IMODE((workspace / "new.txt").stat().st_mode) == 0o750
    assert (workspace / "to-a").is_symlink()
    assert (workspace / "folder" / "x").read_text() == "x\n"
    assert (workspace / "taken").read_text() == "the person's\n"


def test_a_folder_that_the_command_closed_is_removed_too(workspace: Path, stages: Path) -> None:
    with TopFolder(Reach(workspace), stages):
        closed = inside(stages) / "heartbeat"
        (closed / "in" / "out").mkdir(parents=True)
        (closed / "in").chmod(0)
        closed.chmod(0)


def test_what_a_crash_left_is_removed_by_the_next_and_what_is_in_use_is_not(
    workspace: Path, stages: Path
) -> None:
    with TopFolder(Reach(workspace), stages):
        in_use = inside(stages)
        (stages / "left").mkdir()
        os.link(workspace / "a.txt", stages / "left" / "a.txt")
        with TopFolder(Reach(workspace), stages):
            assert in_use.exists()
            assert not (stages / "left").exists()
    assert (workspace / "a.txt").read_text() == "a\n"


def test_a_workspace_that_is_gone_leaves_no_stage(tmp_path: Path, stages: Path) -> None:
    (tmp_path / "w").mkdir()
    top = TopFolder(Reach(tmp_path / "w"), stages)
    (tmp_path / "w").rmdir()
    with pytest.raises(FileNotFoundError), top:
        pass


class Ending:
    """The end of a command in a thread of its own, up to its end or to where it waits for a
    lock."""

    def __init__(self, top: TopFolder) -> None:
        self._top = top
        self._thread = threading.Thread(target=self._end)
        self._ended_or_waits = threading.Event()

    def begin(self) -> None:
        if not self._thread.ident:
            self._thread.start()
            assert self._ended_or_waits.wait(30)

    def is_this_thread(self) -> bool:
        return threading.current_thread() is self._thread

    def waits(self) -> None:
        self._ended_or_waits.set()

    def wait_until_done(self) -> None:
        self._thread.join(30)
        assert not self._thread.is_alive()

    def _end(self) -> None:
        try:
            self._top.__exit__(None, None, None)
        finally:
            self._ended_or_waits.set()


@pytest.mark.parametrize("moment", ["seen", "opened"])
def test_a_command_may_end_while_another_begins(
    workspace: Path, stages: Path, monkeypatch: pytest.MonkeyPatch, moment: str
) -> None:
    """The second has seen, or opened, the stage of the first, but does not have its lock yet:
    just then the first ends. It has to wait until the second has read the folder."""
    take_lock = fcntl.flock
    list_folder = Path.iterdir
    before = open_descriptors()
    first = TopFolder(Reach(workspace), stages)
    first.__enter__()
    place = inside(stages)
    ending = Ending(first)

    def flock(descriptor: int, how: int) -> None:
        if ending.is_this_thread():
            ending.waits()
        elif moment == "opened" and os.path.samestat(os.fstat(descriptor), place.stat()):
            ending.begin()
        take_lock(descriptor, how)

    def iterdir(folder: Path) -> Iterator[Path]:
        found = list(list_folder(folder))
        if moment == "seen" and folder == stages:
            ending.begin()
        return iter(found)

    with monkeypatch.context() as patched:
        patched.setattr(fcntl, "flock", flock)
        patched.setattr(Path, "iterdir", iterdir)
        second = TopFolder(Reach(workspace), stages)
        second.__enter__()

    ending.wait_until_done()
    assert len(names(stages)) == 1
    second.__exit__(None, None, None)
    assert open_descriptors() - before == set()


def test_a_stage_that_cannot_be_removed_leaves_no_descriptor_open(
    workspace: Path, stages: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(_: Path) -> None:
        raise OSError("on purpose")

    before = open_descriptors()
    with pytest.raises(OSError, match="on purpose"), TopFolder(Reach(workspace), stages):
        monkeypatch.setattr(workspace_view, "remove", refuse)
    with pytest.raises(OSError, match="on purpose"):  # where it is what a crash left
        TopFolder(Reach(workspace), stages).__enter__()
    assert open_descriptors() - before == set()

    monkeypatch.undo()
    with TopFolder(Reach(workspace), stages):
        pass
