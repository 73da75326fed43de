"""The settings files and their checked copy: it is used while they are as they were, and never
believed otherwise."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from core.adapters.settings_files import read_checked
from core.model.errors import HeartbeatError
from core.model.settings import Settings
from core.rules.settings import reading
from core.services import COPY_OF_SETTINGS, Services
from tests.installed import environment

TOML = 'interval = "45m"\napproval = "ask"\n'


class Home:
    """A home with both folders and a workspace, as the environment names them."""

    def __init__(self, folder: Path) -> None:
        self.config = folder / "config"
        self.state = folder / "state"
        self.workspace = folder / "workspace"
        for one in (self.config, self.state, self.workspace):
            one.mkdir()

        self.toml = self.config / "config.toml"
        self.toml.write_text(TOML)
        self.copy = self.state / COPY_OF_SETTINGS

    def read(self) -> Settings:
        return read_checked(self.toml, None, self.copy)

    def variables(self) -> dict[str, str]:
        return {"HEARTBEAT_CONFIG_DIR": str(self.config), "HEARTBEAT_STATE_DIR": str(self.state)}


@pytest.fixture
def home(tmp_path: Path) -> Home:
    return Home(tmp_path)


@pytest.fixture
def checks(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The files that were checked, in order."""
    checked: list[str] = []
    check = reading.read_settings

    def noted(config: dict[str, object], file: str) -> Settings:
        checked.append(Path(file).name)
        return check(config, file)

    monkeypatch.setattr(reading, "read_settings", noted)
    return checked


def forge(home: Home, **values: object) -> None:
    """Change what the copy says, and nothing of what it says that it was made of."""
    copy = json.loads(home.copy.read_text())
    copy["settings"] |= values
    home.copy.write_text(json.dumps(copy))


def test_unchanged_files_are_checked_once(home: Home, checks: list[str]) -> None:
    first = home.read()
    assert first.interval.total_seconds() == 45 * 60
    assert first == home.read() == home.read()
    assert len(checks) == 1
    assert home.copy.stat().st_mode & 0o777 == 0o600


def test_warnings_are_told_from_the_copy_too(home: Home, checks: list[str]) -> None:
    home.toml.write_text('interval = "5s"\n')
    told = [home.read().warnings for _ in range(2)]
    assert len(checks) == 1
    assert told[0] == told[1] != ()


def test_a_wrong_file_is_told_every_time(home: Home) -> None:
    home.read()
    home.toml.write_text('intervall = "5m"\n')
    for _ in range(2):
        with pytest.raises(HeartbeatError, match="`intervall` is not a setting"):
            home.read()


def test_a_change_of_the_same_size_and_time_is_noticed(home: Home) -> None:
    home.read()
    before = home.toml.stat()
    home.toml.write_text(TOML.replace("45m", "46m"))
    os.utime(home.toml, ns=(before.st_atime_ns, before.st_mtime_ns))
    assert home.toml.stat().st_size == before.st_size
    assert home.toml.stat().st_mtime_ns == before.st_mtime_ns

    assert home.read().interval.total_seconds() == 46 * 60


def test_both_files_of_a_workspace_count(home: Home, checks: list[str]) -> None:
    own = home.workspace / "config.json"
    own.write_text('{"heartbeat": {"enabled": false}}')

    def read() -> Settings:
        return read_checked(home.toml, own, home.copy)

    assert not read().enabled
    assert read().sources == {
        "interval": str(home.toml),
        "approval": str(home.toml),
        "enabled": str(own),
    }
    assert len(checks) == 1

    own.write_text('{"heartbeat": {"enabled": true}}')
    assert read().enabled
    home.toml.write_text(TOML.replace("45m", "46m"))
    assert read().interval.total_seconds() == 46 * 60
    home.toml.unlink()
    assert read().interval == Settings().interval


@pytest.mark.parametrize(
    "content",
    [b"", b"{", b"\xff", b"null", b"[" * 100_000, b"{}", b"9" * 5000, b" " * 2_000_000],
    ids=["empty", "cut", "not UTF-8", "null", "deep", "another", "a long number", "long"],
)
def test_a_damaged_copy_is_replaced(home: Home, content: bytes, checks: list[str]) -> None:
    home.copy.write_bytes(content)
    assert home.read() == home.read()
    assert len(checks) == 1


def test_a_copy_that_is_not_a_file_of_ours_is_not_used(home: Home, tmp_path: Path) -> None:
    home.read()
    forge(home, approval="owner")
    elsewhere = tmp_path / "elsewhere.json"
    home.copy.rename(elsewhere)

    home.copy.symlink_to(elsewhere)
    assert home.read().approval == "ask"
    assert not home.copy.is_symlink()

    home.copy.unlink()
    os.mkfifo(home.copy)
    assert home.read().approval == "ask"

    home.copy.unlink()
    elsewhere.rename(home.copy)
    home.copy.chmod(0o666)
    assert home.read().approval == "ask"


def test_without_these_guards_it_would_be(home: Home) -> None:
    """The twin: the same bytes in a file of ours count."""
    home.read()
    forge(home, approval="owner")
    assert home.read().approval == "owner"


def test_nothing_is_written_where_nothing_can_be(home: Home) -> None:
    home.copy = home.toml / COPY_OF_SETTINGS  # in a file
    assert home.read().interval.total_seconds() == 45 * 60

    home.copy = home.state / COPY_OF_SETTINGS
    home.copy.mkdir()
    assert home.read().interval.total_seconds() == 45 * 60
    assert home.copy.is_dir()


def test_the_folder_of_a_workspace_is_not_made_for_it(home: Home) -> None:
    home.copy = home.state / "missing" / COPY_OF_SETTINGS
    own = home.workspace / "config.json"
    own.write_text("{}")
    read_checked(home.toml, own, home.copy)
    assert not home.copy.parent.exists()

    home.read()  # that of all workspaces is
    assert home.copy.exists()
    assert home.copy.parent.stat().st_mode & 0o777 == 0o700


@pytest.mark.parametrize("error", [OSError(28, "No space left on device"), PermissionError(13, "")])
def test_a_disk_that_takes_nothing_is_no_error(
    home: Home, error: OSError, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, content: bytes) -> None:
        raise error

    monkeypatch.setattr("core.adapters.files.atomic.write_private", refuse)
    assert home.read().interval.total_seconds() == 45 * 60


def test_a_workspace_cannot_bring_a_copy_along(home: Home, monkeypatch: pytest.MonkeyPatch) -> None:
    """All that lies in the workspace may come from a stranger or a model."""
    for name, value in home.variables().items():
        monkeypatch.setenv(name, value)

    own = home.workspace / "config.json"
    own.write_text('{"heartbeat": {"enabled": true}}')
    services = Services(home.workspace)
    place = services.state_folder / COPY_OF_SETTINGS
    place.parent.mkdir()
    assert services.settings.approval == "ask"

    home.copy = place
    forge(home, approval="owner")
    forged = place.read_bytes()
    place.unlink()
    for name in (
        COPY_OF_SETTINGS,
        f".heartbeat/{COPY_OF_SETTINGS}",
        f"heartbeat/{COPY_OF_SETTINGS}",
        f".{COPY_OF_SETTINGS}.new",
    ):
        path = home.workspace / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(forged)

    assert Services(home.workspace).settings.approval == "ask"

    # The twin: in the state folder, which is out of its reach, the same bytes count.
    place.write_bytes(forged)
    place.chmod(0o600)
    assert Services(home.workspace).settings.approval == "owner"
    assert not place.is_relative_to(home.workspace)
    assert any(place.is_relative_to(hidden) for hidden in services.hidden)


PROGRAM = """
import sys
from pathlib import Path
from core.services import Services

Services(Path(sys.argv[1])).settings
print(*sys.modules)
"""
SLOW = {"pydantic", "pydantic_core", "dataclasses", "tomllib", "core.rules.settings.tables"}


def imported(home: Home) -> set[str]:
    done = subprocess.run(
        [sys.executable, "-c", PROGRAM, home.workspace],
        env=environment(home.config.parent) | home.variables(),
        capture_output=True,
        text=True,
        check=True,
    )
    return SLOW & set(done.stdout.split())


def test_the_checker_is_imported_after_a_change_only(home: Home) -> None:
    own = home.workspace / "config.json"
    own.write_text("{}")
    Services(home.workspace)
    assert imported(home) == SLOW  # there is no folder for the copy of this workspace yet
    own.unlink()

    assert imported(home) == SLOW
    assert imported(home) == set()

    home.toml.write_text("enabled = false\n")
    assert imported(home) == SLOW
    assert imported(home) == set()

    home.toml.unlink()
    assert imported(home) == set()
