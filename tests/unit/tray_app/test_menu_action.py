"""What a click starts in a process of its own, and how its failure reaches the person."""

from pathlib import Path

import pytest

from core.adapters.desktop.desktop import Desktop
from core.model.announcements import Message
from core.model.errors import HeartbeatError
from core.model.report import Notice, NoticeKind
from core.rules.own_command import own_command
from core.services import Services
from core.usecases import desktop
from tray_app import menu_action

ROOT = Path("/workspace")


class Desk:
    """The desktop as a menu action meets it."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.notices: list[Notice] = []
        self.terminals: list[list[str]] = []
        self.stored: list[tuple[str, str]] = []
        self.chosen: str | None = "openai"
        self.typed: str | None = "sk-1"
        self.has_tray = True
        monkeypatch.setattr(Services, "leave_to_tray", lambda _, message: self.leave(message))
        monkeypatch.setattr(Desktop, "show", lambda *_: "there is no service")
        monkeypatch.setattr(Desktop, "open_terminal", lambda _, words: self.terminals.append(words))
        monkeypatch.setattr(Desktop, "has_dialogs", lambda _: True)
        monkeypatch.setattr(Desktop, "choose", lambda *_: self.chosen)
        monkeypatch.setattr(Desktop, "ask_secret", lambda *_: self.typed)
        monkeypatch.setattr(desktop, "set_key", self.store)

    def leave(self, message: Message) -> bool:
        self.notices.append(message.notice)
        return self.has_tray

    def store(self, _: Services, name: str, value: str) -> str:
        if value == "wrong":
            raise HeartbeatError("openai refuses this key.", "Try again.")
        self.stored.append((name, value))
        return f"Stored {name}."


@pytest.fixture
def desk(monkeypatch: pytest.MonkeyPatch) -> Desk:
    return Desk(monkeypatch)


def test_to_approve_opens_a_terminal_with_the_command_that_shows_and_asks(desk: Desk) -> None:
    assert menu_action.main([str(ROOT), "approve"]) == 0
    assert desk.terminals == [own_command("tray_app.cli", "--workspace", str(ROOT), "approve")]
    assert desk.notices == []


def test_a_window_asks_for_the_key_and_a_notification_says_what_happened(desk: Desk) -> None:
    assert menu_action.main([str(ROOT), "key"]) == 0
    assert desk.stored == [("openai", "sk-1")]
    assert [notice.message for notice in desk.notices] == ["Stored openai."]


@pytest.mark.parametrize(("chosen", "typed"), [(None, "sk-1"), ("openai", None)])
def test_a_person_who_closes_a_window_hears_nothing_and_nothing_is_stored(
    desk: Desk, chosen: str | None, typed: str | None
) -> None:
    desk.chosen, desk.typed = chosen, typed
    assert menu_action.main([str(ROOT), "key"]) == 0
    assert (desk.stored, desk.notices) == ([], [])


def test_without_windows_a_terminal_asks_for_the_key(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Desktop, "has_dialogs", lambda _: False)
    assert menu_action.main([str(ROOT), "key"]) == 0
    assert [words[-2:] for words in desk.terminals] == [["key", "set"]]


def test_a_failure_is_announced_with_its_reason_and_what_to_do(desk: Desk) -> None:
    desk.typed = "wrong"
    assert menu_action.main([str(ROOT), "key"]) == 0
    assert desk.notices == [
        Notice(NoticeKind.PROBLEM, "That did not work", "openai refuses this key. Try again.")
    ]


def test_an_unexpected_error_is_announced_too(
    desk: Desk, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def explode(*_: object) -> None:
        raise RuntimeError("out of order")

    monkeypatch.setattr(Desktop, "open_terminal", explode)
    assert menu_action.main([str(ROOT), "approve"]) == 0
    assert "out of order" in desk.notices[0].message
    assert "Traceback" in capsys.readouterr().err  # for the log


def test_a_failure_that_cannot_be_announced_shows_in_the_exit_code(desk: Desk) -> None:
    desk.has_tray, desk.typed = False, "wrong"
    assert menu_action.main([str(ROOT), "key"]) == 1
