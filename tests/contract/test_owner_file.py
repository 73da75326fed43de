"""What every `OwnerFile` keeps, in memory and on the disk; two machines share one workspace."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path

import pytest

from core.adapters.files.owner import OwnerFileOnDisk, this_machine
from core.model.errors import HeartbeatError
from core.model.holder import Machine, Owner
from core.ports.waiting import OwnerFile
from tests.fakes.waiting import FakeOwnerFile, SharedFolder

DESKTOP, LAPTOP = Machine("1" * 32, "desktop"), Machine("2" * 32, "Änn's laptop")
NOW = datetime(2026, 1, 15, 14, 0, tzinfo=UTC)
MakeFile = Callable[[Machine], OwnerFile]


@pytest.fixture(params=["memory", "disk"])
def file_of(request: pytest.FixtureRequest, tmp_path: Path) -> MakeFile:
    shared = SharedFolder()
    if request.param == "memory":
        return lambda machine: FakeOwnerFile(machine, shared)
    return lambda machine: OwnerFileOnDisk(tmp_path, machine)


def test_nobody_owns_a_new_workspace(file_of: MakeFile) -> None:
    assert file_of(DESKTOP).read() is None


def test_the_first_to_claim_owns_it_and_the_others_see_who(file_of: MakeFile) -> None:
    assert file_of(DESKTOP).claim(NOW) == Owner(DESKTOP, NOW)
    assert file_of(LAPTOP).claim(NOW + timedelta(days=1)) == Owner(DESKTOP, NOW)
    assert file_of(LAPTOP).read() == Owner(DESKTOP, NOW)


def test_claiming_again_changes_nothing(file_of: MakeFile) -> None:
    file_of(DESKTOP).claim(NOW)
    assert file_of(DESKTOP).claim(NOW + timedelta(days=1)) == Owner(DESKTOP, NOW)


def test_another_machine_can_take_over(file_of: MakeFile) -> None:
    file_of(DESKTOP).claim(NOW)
    later = NOW + timedelta(days=1)
    assert file_of(LAPTOP).take_over(later) == Owner(LAPTOP, later)
    assert file_of(DESKTOP).claim(later) == Owner(LAPTOP, later)


GARBAGE = [
    b"",
    b"\xff\xfe\x00",
    b"null",
    b"[]",
    b'{"machine": 1, "name": "x", "since": "2026-01-15T14:00:00+00:00"}',
    b'{"machine": "x", "name": "x", "since": "yesterday"}',
    b'{"machine": "x", "name": "x", "since": "2026-01-15T14:00:00"}',
    b'{"machine": "x", "name": "x"}',
    b'{"machine": "x", "name": "x", "since": "2026-01',
    b"[" * 100_000,
]


@pytest.mark.parametrize("data", GARBAGE)
def test_a_file_that_names_nobody_can_be_claimed(tmp_path: Path, data: bytes) -> None:
    (tmp_path / ".heartbeat").mkdir()
    (tmp_path / ".heartbeat" / "owner.json").write_bytes(data)
    file = OwnerFileOnDisk(tmp_path, DESKTOP)
    assert file.read() is None
    assert file.claim(NOW) == Owner(DESKTOP, NOW)
    assert file.read() == Owner(DESKTOP, NOW)


def test_copies_of_a_sync_conflict_are_not_read(tmp_path: Path) -> None:
    OwnerFileOnDisk(tmp_path, DESKTOP).claim(NOW)
    folder = tmp_path / ".heartbeat"
    text = (folder / "owner.json").read_text().replace("1" * 32, "2" * 32)
    (folder / "owner.sync-conflict-20260115-140000-ABCDEFG.json").write_text(text)
    (folder / "owner (conflicted copy).json").write_text(text)
    assert OwnerFileOnDisk(tmp_path, LAPTOP).read() == Owner(DESKTOP, NOW)


def test_a_person_can_read_the_file_and_nothing_else_is_in_its_folder(tmp_path: Path) -> None:
    OwnerFileOnDisk(tmp_path, LAPTOP).claim(NOW)
    OwnerFileOnDisk(tmp_path, LAPTOP).take_over(NOW)
    (entry,) = (tmp_path / ".heartbeat").iterdir()
    assert json.loads(entry.read_text(encoding="utf-8")) == {
        "machine": LAPTOP.id,
        "name": "Änn's laptop",
        "since": "2026-01-15T14:00:00+00:00",
    }
    assert "Änn" in entry.read_text(encoding="utf-8")


def test_a_link_out_of_the_workspace_is_neither_read_nor_written(tmp_path: Path) -> None:
    (tmp_path / "workspace").mkdir()
    (tmp_path / "outside").mkdir()
    (tmp_path / "workspace" / ".heartbeat").symlink_to("../outside")
    file = OwnerFileOnDisk(tmp_path / "workspace", DESKTOP)
    with pytest.raises(HeartbeatError, match="is a link"):
        file.claim(NOW)
    (tmp_path / "outside" / "owner.json").write_text("{}")
    with pytest.raises(HeartbeatError, match="leaves the workspace"):
        file.read()
    assert (tmp_path / "outside" / "owner.json").read_text() == "{}"


def test_a_workspace_that_cannot_be_written_says_so(tmp_path: Path) -> None:
    (tmp_path / ".heartbeat").write_text("a file, not a folder")
    with pytest.raises(HeartbeatError, match=r"owner\.json cannot be"):
        OwnerFileOnDisk(tmp_path, DESKTOP).take_over(NOW)


def test_a_machine_keeps_its_id_and_another_has_another(tmp_path: Path) -> None:
    first = this_machine(tmp_path / "one")
    assert first == this_machine(tmp_path / "one")
    assert first.name
    assert this_machine(tmp_path / "two").id != first.id


def test_a_machine_without_a_name_is_called_another_machine(tmp_path: Path) -> None:
    OwnerFileOnDisk(tmp_path, Machine("3" * 32, "")).claim(NOW)
    found = OwnerFileOnDisk(tmp_path, DESKTOP).read()
    assert found is not None
    assert found.machine.name == "another machine"
