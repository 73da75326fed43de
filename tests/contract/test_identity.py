"""What every `WorkspaceIdentity` keeps, in memory and on the disk; and which state folder a
workspace gets that was moved, copied, swapped or forged."""

import json
import os
import shutil
from collections.abc import Callable
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.files.identity import IdentityOnDisk, state_folder_of_workspace
from core.adapters.folders import make_private, state_folder_of
from core.adapters.lock import FileLock
from core.model.errors import HeartbeatError
from core.model.holder import Holder, Purpose
from core.ports.files import WorkspaceIdentity
from tests.fakes.files import FakeIdentity

NOW = datetime(2026, 11, 18, 9, 0, tzinfo=UTC)


@pytest.fixture(autouse=True)
def states(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HEARTBEAT_STATE_DIR", str(tmp_path / "states"))
    return tmp_path / "states"


def made(folder: Path) -> Path:
    folder.mkdir()
    (folder / "HEARTBEAT.md").touch()
    return folder


def use(workspace: Path, ran: str = "") -> Path:
    """Use it as a beat does, which leaves a line in its history; its state folder."""
    state = make_private(state_folder_of_workspace(workspace, is_used=True))
    IdentityOnDisk(workspace, state).note()
    if ran:
        with open(state / "history", "a", encoding="utf-8") as file:
            file.write(f"{ran}\n")
    return state


def history(workspace: Path) -> list[str]:
    path = state_folder_of_workspace(workspace) / "history"
    return path.read_text(encoding="utf-8").splitlines() if path.exists() else []


def identity_of(workspace: Path) -> str:
    text = (workspace / ".heartbeat" / "workspace.json").read_text(encoding="utf-8")
    found = json.loads(text)["identity"]
    assert isinstance(found, str)
    return found


def identity_at(workspace: Path) -> IdentityOnDisk:
    """As a command has it that only looks."""
    return IdentityOnDisk(workspace, state_folder_of_workspace(workspace))


def forge(workspace: Path, identity: str) -> None:
    (workspace / ".heartbeat").mkdir()
    text = json.dumps({"identity": identity})
    (workspace / ".heartbeat" / "workspace.json").write_text(text, encoding="utf-8")


# -- the contract ----------------------------------------------------------------------------------


@pytest.fixture(params=["memory", "disk"])
def never_moved(request: pytest.FixtureRequest, tmp_path: Path) -> WorkspaceIdentity:
    if request.param == "memory":
        return FakeIdentity()
    return IdentityOnDisk(made(tmp_path / "a"), state_folder_of_workspace(tmp_path / "a"))


@pytest.fixture(params=["memory", "disk"])
def moved(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[WorkspaceIdentity, str]:
    if request.param == "memory":
        return FakeIdentity("/old"), "/old"
    use(made(tmp_path / "a"))
    (tmp_path / "a").rename(tmp_path / "b")
    state = state_folder_of_workspace(tmp_path / "b")
    return IdentityOnDisk(tmp_path / "b", state), str(tmp_path / "a")


def test_what_was_never_moved_has_nothing_to_tell(never_moved: WorkspaceIdentity) -> None:
    for _ in range(2):
        assert never_moved.moved_from() is None
        assert never_moved.untold_move() is None
        assert never_moved.comes_along() is None
        assert never_moved.history_at() is None
        never_moved.note()


def test_a_move_is_told_until_the_person_has_read_it(
    moved: tuple[WorkspaceIdentity, str],
) -> None:
    identity, old = moved
    identity.note()
    assert identity.untold_move() == identity.untold_move() == old
    identity.tell_move()
    identity.tell_move()
    assert identity.untold_move() is None
    assert identity.moved_from() == old


@pytest.fixture(params=["memory", "disk"])
def robbed(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[WorkspaceIdentity, str]:
    """A copy was used while the workspace was away."""
    if request.param == "memory":
        return FakeIdentity(other_path="/copy"), "/copy"
    use(made(tmp_path / "a"))
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    (tmp_path / "a").rename(tmp_path / "away")
    use(tmp_path / "b")
    (tmp_path / "away").rename(tmp_path / "a")
    use(tmp_path / "a")
    return identity_at(tmp_path / "a"), str(tmp_path / "b")


def test_where_the_history_is_is_told_until_the_person_has_read_it(
    robbed: tuple[WorkspaceIdentity, str],
) -> None:
    identity, other = robbed
    identity.note()
    assert identity.history_at() == identity.history_at() == other
    identity.tell_history()
    identity.tell_history()
    assert identity.history_at() is None
    identity.note()
    assert identity.history_at() is None


# -- on the disk -----------------------------------------------------------------------------------


def test_the_identity_is_random_and_stays(tmp_path: Path) -> None:
    one, two = made(tmp_path / "one"), made(tmp_path / "two")
    use(one)
    first = identity_of(one)
    use(one)
    use(two)
    assert identity_of(one) == first != identity_of(two)
    assert [path.name for path in (one / ".heartbeat").iterdir()] == ["workspace.json"]


def test_asking_for_the_state_folder_writes_nothing(tmp_path: Path, states: Path) -> None:
    workspace = made(tmp_path / "a")
    assert state_folder_of_workspace(workspace) == state_folder_of(workspace)
    assert [path.name for path in workspace.iterdir()] == ["HEARTBEAT.md"]
    assert not states.exists()


def test_nothing_is_put_where_a_disk_is_not_mounted(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    use(tmp_path / "a", "before")
    assert list((tmp_path / "a").iterdir()) == []
    assert history(tmp_path / "a") == ["before"]


def test_a_moved_folder_keeps_its_state_and_leaves_none_behind(
    tmp_path: Path, states: Path
) -> None:
    use(made(tmp_path / "a"), "before")
    (tmp_path / "a").rename(tmp_path / "b")
    assert history(tmp_path / "b") == ["before"]
    assert [path.name for path in states.iterdir()] == [state_folder_of(tmp_path / "b").name]

    use(tmp_path / "b", "after")
    (tmp_path / "b").rename(tmp_path / "c")  # and once more
    assert history(tmp_path / "c") == ["before", "after"]
    state = state_folder_of_workspace(tmp_path / "c")
    assert IdentityOnDisk(tmp_path / "c", state).untold_move() == str(tmp_path / "b")


def test_without_the_identity_a_moved_folder_has_lost_its_state(tmp_path: Path) -> None:
    """The twin of the one above: it is the identity that does it."""
    use(made(tmp_path / "a"), "before")
    shutil.rmtree(tmp_path / "a" / ".heartbeat")
    (tmp_path / "a").rename(tmp_path / "b")
    assert history(tmp_path / "b") == []


def test_a_new_folder_at_the_old_path_starts_afresh(tmp_path: Path) -> None:
    use(made(tmp_path / "a"), "before")
    (tmp_path / "a").rename(tmp_path / "b")
    made(tmp_path / "a")
    assert history(tmp_path / "b") == ["before"]
    use(tmp_path / "a", "new")
    assert history(tmp_path / "a") == ["new"]
    assert identity_of(tmp_path / "a") != identity_of(tmp_path / "b")


def test_a_copy_is_a_workspace_of_its_own(tmp_path: Path) -> None:
    use(made(tmp_path / "a"), "of a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    assert history(tmp_path / "b") == []
    use(tmp_path / "b", "of b")
    assert identity_of(tmp_path / "a") != identity_of(tmp_path / "b")
    assert (history(tmp_path / "a"), history(tmp_path / "b")) == (["of a"], ["of b"])

    # Neither gets the other's when one of them goes.
    shutil.rmtree(tmp_path / "a")
    (tmp_path / "b").rename(tmp_path / "c")
    assert history(tmp_path / "c") == ["of b"]


def test_a_copy_that_cannot_be_written_is_a_workspace_of_its_own_too(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(made(tmp_path / "a"), "of a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")

    def refuse(*_: object) -> None:
        raise PermissionError("read-only")

    with monkeypatch.context() as patched:
        patched.setattr("core.adapters.files.identity.write_atomically", refuse)
        use(tmp_path / "b", "of b")

    assert identity_of(tmp_path / "a") == identity_of(tmp_path / "b")
    shutil.rmtree(tmp_path / "a")
    assert history(tmp_path / "b") == ["of b"]


def test_one_folder_under_two_paths_keeps_its_identity(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(made(tmp_path / "a"), "of a")
    shutil.copytree(tmp_path / "a", tmp_path / "b")
    monkeypatch.setattr(Path, "samefile", lambda *_: True)  # as a bind mount would be
    before = identity_of(tmp_path / "b")
    use(tmp_path / "b", "of b")
    assert identity_of(tmp_path / "b") == before
    assert (history(tmp_path / "a"), history(tmp_path / "b")) == (["of a"], ["of b"])


def test_two_folders_that_change_places_take_their_states_with_them(tmp_path: Path) -> None:
    a, b, aside = tmp_path / "a", tmp_path / "b", tmp_path / "aside"
    use(made(a), "of a")
    use(made(b), "of b")
    a.rename(aside)
    b.rename(a)
    aside.rename(b)
    assert (history(a), history(b)) == (["of b"], ["of a"])
    assert (history(a), history(b)) == (["of b"], ["of a"])


def test_a_lost_identity_is_written_again_from_the_state(tmp_path: Path) -> None:
    use(made(tmp_path / "a"), "before")
    first = identity_of(tmp_path / "a")
    shutil.rmtree(tmp_path / "a" / ".heartbeat")
    use(tmp_path / "a")
    assert identity_of(tmp_path / "a") == first
    assert history(tmp_path / "a") == ["before"]


def test_a_state_of_an_earlier_version_gets_an_identity(tmp_path: Path) -> None:
    workspace = made(tmp_path / "a")
    state = make_private(state_folder_of(workspace))
    (state / "history").write_text("before\n")
    use(workspace)
    workspace.rename(tmp_path / "b")
    assert history(tmp_path / "b") == ["before"]


def test_an_identity_from_another_machine_is_kept(tmp_path: Path) -> None:
    forge(made(tmp_path / "a"), "5" * 32)  # synced, with the state on the other machine
    use(tmp_path / "a", "here")
    assert identity_of(tmp_path / "a") == "5" * 32
    (tmp_path / "a").rename(tmp_path / "b")
    assert history(tmp_path / "b") == ["here"]


def test_the_identity_that_a_sync_brings_replaces_the_own_one(tmp_path: Path) -> None:
    use(made(tmp_path / "a"), "here")
    shutil.rmtree(tmp_path / "a" / ".heartbeat")
    forge(tmp_path / "a", "5" * 32)
    use(tmp_path / "a")
    assert history(tmp_path / "a") == ["here"]
    (tmp_path / "a").rename(tmp_path / "b")
    assert history(tmp_path / "b") == ["here"]


def test_a_forged_identity_does_not_take_the_state_of_a_workspace_that_is_there(
    tmp_path: Path,
) -> None:
    use(made(tmp_path / "mine"), "secret")
    forge(made(tmp_path / "evil"), identity_of(tmp_path / "mine"))
    use(tmp_path / "evil", "evil")
    assert (history(tmp_path / "mine"), history(tmp_path / "evil")) == (["secret"], ["evil"])
    assert identity_of(tmp_path / "evil") != identity_of(tmp_path / "mine")


def test_a_workspace_that_cannot_be_looked_at_counts_as_there(tmp_path: Path) -> None:
    use(made(tmp_path / "mine"), "secret")
    forge(made(tmp_path / "evil"), identity_of(tmp_path / "mine"))
    file = tmp_path / "mine" / ".heartbeat" / "workspace.json"
    file.unlink()
    file.mkdir()  # neither there nor gone
    assert history(tmp_path / "evil") == []


@pytest.mark.parametrize(
    "lock", ["resident.lock", "lock", "model.lock", "background/00000001.lock"]
)
def test_a_state_that_a_process_uses_stays_where_it_is(tmp_path: Path, lock: str) -> None:
    state = use(made(tmp_path / "a"), "before")
    held = FileLock(state / lock).acquire(Purpose.DAEMON, NOW)
    assert not isinstance(held, Holder)
    (tmp_path / "a").rename(tmp_path / "b")
    with held, pytest.raises(HeartbeatError, match=f"pid {os.getpid()}") as refused:
        state_folder_of_workspace(tmp_path / "b")
    assert str(tmp_path / "a") in refused.value.message
    assert history(tmp_path / "b") == ["before"]  # as soon as it has ended


def test_a_crash_between_the_two_steps_loses_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    use(made(tmp_path / "a"), "before")
    (tmp_path / "a").rename(tmp_path / "b")

    def crash(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patched:
        patched.setattr("core.adapters.files.identity._write_record", crash)
        with pytest.raises(KeyboardInterrupt):
            state_folder_of_workspace(tmp_path / "b")

    assert history(tmp_path / "b") == ["before"]
    state = state_folder_of_workspace(tmp_path / "b")
    assert IdentityOnDisk(tmp_path / "b", state).untold_move() == str(tmp_path / "a")


GARBAGE = [b"", b"\xff", b"null", b"[]", b"{}", b'{"identity": 1}', b'{"identity": "../../x"}']


@pytest.mark.parametrize("data", [*GARBAGE, b'{"identity": "' + b"z" * 32 + b'"}', b"[" * 100_000])
def test_a_file_that_names_nothing_is_written_anew(tmp_path: Path, data: bytes) -> None:
    workspace = made(tmp_path / "a")
    (workspace / ".heartbeat").mkdir()
    (workspace / ".heartbeat" / "workspace.json").write_bytes(data)
    use(workspace)
    assert len(identity_of(workspace)) == 32


@pytest.mark.parametrize("data", [*GARBAGE, b'{"identity": "x", "path": 3, "told": []}'])
def test_a_damaged_record_is_written_anew(tmp_path: Path, data: bytes) -> None:
    state = use(made(tmp_path / "a"), "before")
    (state / "workspace.json").write_bytes(data)
    use(tmp_path / "a")
    (tmp_path / "a").rename(tmp_path / "b")
    assert history(tmp_path / "b") == ["before"]


def test_a_folder_that_is_a_link_is_not_written_through(tmp_path: Path) -> None:
    workspace, outside = made(tmp_path / "a"), tmp_path / "outside"
    outside.mkdir()
    (workspace / ".heartbeat").symlink_to(outside)
    use(workspace, "before")
    assert list(outside.iterdir()) == []
    forge(made(tmp_path / "other"), "5" * 32)
    shutil.copy(tmp_path / "other" / ".heartbeat" / "workspace.json", outside)
    use(workspace)
    assert history(workspace) == ["before"]


def test_a_workspace_that_cannot_be_written_is_no_error(tmp_path: Path) -> None:
    workspace = made(tmp_path / "a")
    (workspace / ".heartbeat").write_text("a file, not a folder")
    use(workspace, "before")
    use(workspace)
    assert history(workspace) == ["before"]


# -- a copy, while the workspace is away -----------------------------------------------------------


def test_looking_at_a_copy_takes_nothing_away(tmp_path: Path, states: Path) -> None:
    a, copy, away = tmp_path / "a", tmp_path / "copy", tmp_path / "away"
    use(made(a), "before")
    shutil.copytree(a, copy)
    a.rename(away)
    before = {path: path.read_bytes() for path in states.rglob("*") if path.is_file()}
    looking = identity_at(copy)
    looking.note()
    assert looking.comes_along() == str(a)
    assert history(copy) == ["before"]
    assert before == {path: path.read_bytes() for path in states.rglob("*") if path.is_file()}

    away.rename(a)
    assert history(a) == ["before"]
    assert history(copy) == []
    assert identity_at(a).history_at() is identity_at(copy).history_at() is None


def test_the_history_comes_along_when_the_copy_is_used(tmp_path: Path, states: Path) -> None:
    """The twin: the workspace was moved to another disk, say."""
    a, copy = tmp_path / "a", tmp_path / "copy"
    use(made(a), "before")
    shutil.copytree(a, copy)
    shutil.rmtree(a)
    use(copy, "after")
    assert history(copy) == ["before", "after"]
    assert identity_at(copy).untold_move() == str(a)
    assert len([*states.iterdir()]) == 1


def no_folder(a: Path) -> None:
    """The disk was mounted below a folder that is gone with it."""
    shutil.rmtree(a.parent)


def empty_folder(a: Path) -> None:
    shutil.rmtree(a)


def empty_workspace(a: Path) -> None:
    shutil.rmtree(a)
    a.mkdir()


@pytest.mark.parametrize("unmount", [no_folder, empty_folder, empty_workspace])
def test_the_history_of_a_disk_that_is_not_mounted_stays_with_it(
    tmp_path: Path, unmount: Callable[[Path], None]
) -> None:
    a, copy, kept = tmp_path / "disk" / "a", tmp_path / "copy", tmp_path / "kept"
    a.parent.mkdir()
    use(made(a), "of a")
    shutil.copytree(a, copy)
    shutil.copytree(a, kept)
    unmount(a)
    assert history(copy) == []
    assert identity_at(copy).history_at() == str(a)
    use(copy, "of copy")
    assert identity_at(copy).history_at() == str(a)
    assert history(copy) == ["of copy"]

    if a.exists():
        a.rmdir()
    shutil.copytree(kept, a)  # mounted again
    assert history(a) == ["of a"]
    assert identity_of(a) != identity_of(copy)


@pytest.mark.parametrize("is_mounted", [False, True])
def test_a_mount_that_is_not_there_is_found_by_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, is_mounted: bool
) -> None:
    disk = made(tmp_path / "disk")  # it is not empty without what is mounted there
    mounted = [str(disk)]
    really = os.path.ismount

    def is_mount(path: str | Path) -> bool:
        return str(path) in mounted or really(path)

    monkeypatch.setattr("os.path.ismount", is_mount)
    use(made(disk / "a"), "before")
    shutil.copytree(disk / "a", tmp_path / "copy")
    shutil.rmtree(disk / "a")
    if not is_mounted:
        mounted.clear()
    use(tmp_path / "copy")
    assert history(tmp_path / "copy") == (["before"] if is_mounted else [])


def test_a_renamed_folder_is_recognised_although_what_it_was_in_is_gone(tmp_path: Path) -> None:
    (tmp_path / "projects").mkdir()
    use(made(tmp_path / "projects" / "a"), "before")
    (tmp_path / "projects").rename(tmp_path / "work")
    assert history(tmp_path / "work" / "a") == ["before"]


def test_the_topmost_folder_of_another_disk_is_not_the_same_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It has the same number there, and where one disk was the other may get its number too."""
    a, b = tmp_path / "a", tmp_path / "b"
    use(made(a), "before")
    a.rename(b)
    really = os.path.ismount
    monkeypatch.setattr("os.path.ismount", lambda path: path == b or really(path))
    assert identity_at(b).comes_along() == str(a)


def test_the_workspace_that_comes_back_says_where_its_history_went(tmp_path: Path) -> None:
    a, copy, away = tmp_path / "a", tmp_path / "copy", tmp_path / "away"
    use(made(a), "before")
    shutil.copytree(a, copy)
    a.rename(away)
    use(copy, "in the copy")
    away.rename(a)
    assert history(a) == []
    assert identity_at(a).history_at() == str(copy)

    # As it says: that folder in the place of this one.
    a.rename(away)
    copy.rename(a)
    assert history(a) == ["before", "in the copy"]


@pytest.mark.parametrize("place", [None, 3, [], [1, "2", "/"], [1, 2, 3], {"device": 1}])
def test_a_record_without_a_readable_place_is_used_all_the_same(
    tmp_path: Path, place: object
) -> None:
    state = use(made(tmp_path / "a"), "before")
    record = json.loads((state / "workspace.json").read_text(encoding="utf-8"))
    (state / "workspace.json").write_text(json.dumps({**record, "place": place}), encoding="utf-8")
    (tmp_path / "a").rename(tmp_path / "b")
    assert identity_at(tmp_path / "b").comes_along() == str(tmp_path / "a")
    use(tmp_path / "b")
    assert history(tmp_path / "b") == ["before"]
