"""Windows that ask, with stand-ins that note how they were called."""

import pytest

from core.adapters.desktop import dialogs
from core.model.errors import HeartbeatError
from tests.unit.adapters.desktop.stand_in_programs import Programs


@pytest.mark.parametrize(
    ("program", "choosing", "asking"),
    [
        (
            "zenity",
            "--list --title=Heartbeat --text=Whose? --column= one two",
            "--entry --hide-text --title=Heartbeat",
        ),
        (
            "kdialog",
            "--title Heartbeat --menu Whose? one one two two",
            "--title Heartbeat --password Key?",
        ),
        (
            "yad",
            "--list --title=Heartbeat --text=Whose? --column=",
            "--entry --hide-text --title=Heartbeat",
        ),
    ],
)
def test_each_program_is_asked_its_own_way(
    programs: Programs, program: str, choosing: str, asking: str
) -> None:
    programs.install(program, "echo two")
    assert dialogs.has_dialogs()
    assert dialogs.choose("Whose?", ["one", "two"]) == "two"
    assert " ".join(programs.asked()).startswith(choosing)
    assert dialogs.ask_secret("Key?") == "two"
    assert " ".join(programs.asked()).startswith(asking)


@pytest.mark.parametrize("code", [1, 252])
def test_a_closed_window_is_not_an_answer(programs: Programs, code: int) -> None:
    programs.install("yad", f"exit {code}")
    assert dialogs.choose("Whose?", ["one"]) is None
    assert dialogs.ask_secret("Key?") is None


def test_a_window_that_cannot_open_says_why(programs: Programs) -> None:
    programs.install("zenity", "echo cannot open display >&2; exit 5")
    with pytest.raises(HeartbeatError) as caught:
        dialogs.ask_secret("Key?")
    assert "cannot open display" in caught.value.message


def test_without_such_a_program_there_are_no_dialogs(programs: Programs) -> None:
    assert not dialogs.has_dialogs()
