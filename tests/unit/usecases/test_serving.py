"""The beat that another program asks for, as a command of ours."""

from pathlib import Path

import pytest

from core.model.errors import HeartbeatError
from core.services import Services
from core.usecases.serving import beat_of_its_own
from tests.fakes.processes import FakeOwnCommands
from tests.fakes.services import changed

TASKS = "## Tasks\n\n- [ ] tidy | Tidy up\n"


@pytest.fixture
def services(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Services:
    for name in ("HEARTBEAT_CONFIG_DIR", "HEARTBEAT_STATE_DIR"):
        monkeypatch.setenv(name, str(tmp_path / name.lower()))

    root = tmp_path / "work"
    root.mkdir()
    (root / "HEARTBEAT.md").write_text(TASKS)
    return Services(root)


def test_it_is_a_run_of_these_items_and_its_answer_is_what_it_printed(services: Services) -> None:
    commands = FakeOwnCommands()
    expected = tuple(services.heartbeat_command("--json", "run", "--", "tidy"))
    commands.prints = {expected: '{"beat": 1}'}

    answer = beat_of_its_own(changed(services, own_commands=commands), ["tidy"])

    assert answer == '{"beat": 1}'
    assert commands.started == [expected]


def test_an_unknown_item_starts_nothing(services: Services) -> None:
    commands = FakeOwnCommands()
    with pytest.raises(HeartbeatError):
        beat_of_its_own(changed(services, own_commands=commands), ["--help"])

    assert commands.started == []
