"""What a click starts in a process of its own, and how its failure reaches the person."""

from pathlib import Path

import pytest

from core import bootstrap
from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.report import Notice
from tray_app import errand

ROOT = Path("/workspace")


class Desk:
    """The desktop as an errand meets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.told: list[Notice] = []
        self.terminals: list[list[str]] = []
        self.stored: list[tuple[str, str]] = []
        self.chosen: str | None = "openai"
        self.typed: str | None = "sk-1"
        self.has_tray = True
        monkeypatch.setattr(bootstrap, "open_ledger", lambda _: None)
        monkeypatch.setattr(bootstrap, "leave_to_tray", self.leave)
        monkeypatch.setattr(bootstrap, "show_on_desktop", lambda notice: "there is no service")
        monkeypatch.setattr(bootstrap, "open_terminal", self.terminals.append)
        monkeypatch.setattr(bootstrap, "has_dialogs", lambda: True)
        monkeypatch.setattr(bootstrap, "choose", lambda text, options: self.chosen)
        monkeypatch.setattr(bootstrap, "ask_secret", lambda text: self.typed)
        monkeypatch.setattr(bootstrap, "set_key", self.store)

    def leave(self, root: Path, ledger: object, message: Message) -> bool:
        self.told.append(message.notice)
        return self.has_tray

    def store(self, name: str, value: str) -> str:
        if value == "wrong":
            raise HeartbeatError("openai refuses this key.", "Try again.")
        self.stored.append((name, value))
        return f"Stored {name}."


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_to_approve_opens_a_terminal_with_the_command_that_shows_and_asks(desk: Desk) -> None:
    assert errand.main([str(ROOT), "approve"]) == 0
    assert desk.terminals == [bootstrap.own_command("tray_app.cli", "--workspace", str(ROOT), "approve")]
    assert desk.told == []


def test_a_key_is_asked_for_with_windows_and_the_person_is_told_what_came_of_it(desk: Desk) -> None:
    assert errand.main([str(ROOT), "key"]) == 0
    assert desk.stored == [("openai", "sk-1")]
    assert [notice.message for notice in desk.told] == ["Stored openai."]


@pytest.mark.parametrize(("chosen", "typed"), [(None, "sk-1"), ("openai", None)])
def test_a_person_who_closes_a_window_hears_nothing_and_nothing_is_stored(
    desk: Desk, chosen: str | None, typed: str | None
) -> None:
    desk.chosen, desk.typed = chosen, typed
    assert errand.main([str(ROOT), "key"]) == 0
    assert (desk.stored, desk.told) == ([], [])


def test_without_windows_a_terminal_asks_for_the_key(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bootstrap, "has_dialogs", lambda: False)
    assert errand.main([str(ROOT), "key"]) == 0
    assert [words[-2:] for words in desk.terminals] == [["key", "set"]]


def test_what_fails_is_told_with_its_reason_and_the_way_out(desk: Desk) -> None:
    desk.typed = "wrong"
    assert errand.main([str(ROOT), "key"]) == 0
    assert desk.told == [Notice("problem", "That did not work", "openai refuses this key. Try again.")]


def test_what_nobody_thought_of_is_told_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(bootstrap, "open_terminal", explode)
    assert errand.main([str(ROOT), "approve"]) == 0
    assert "out of order" in desk.told[0].message
    assert "Traceback" in capsys.readouterr().err  # for the log


def test_one_that_can_tell_nobody_says_so_by_its_exit_code(desk: Desk) -> None:
    desk.has_tray, desk.typed = False, "wrong"
    assert errand.main([str(ROOT), "key"]) == 1
