"""What the tray icon tells the panels of Linux, without a session bus."""

from typing import Any

from tray_app.tray.status_notifier import StatusNotifierIcon
from tray_app.tray.toolkit import Menu

HOSTILE = 'fetch since 12:00: <img src="http://evil.example/x.png"> & <b>your password</b>'


def properties(title: str) -> dict[str, tuple[str, Any]]:
    icon = StatusNotifierIcon("heartbeat", [], title, Menu(), lambda _: None)
    return {name: (kind, value) for name, (kind, value) in icon._properties().items()}


def test_the_output_of_a_command_is_no_markup_in_the_tooltip() -> None:
    found = properties(f"Heartbeat: a beat is running\n{HOSTILE}")
    _, (_, _, first, below) = found["ToolTip"]
    assert first == "Heartbeat: a beat is running"
    assert below == (
        'fetch since 12:00: &lt;img src="http://evil.example/x.png"> &amp; '
        "&lt;b>your password&lt;/b>"
    )


def test_the_first_line_of_the_tooltip_is_text() -> None:
    found = properties("Heartbeat · R&D: next beat 14:42")
    assert found["ToolTip"][1][2:] == ("Heartbeat · R&D: next beat 14:42", "")
    assert found["Title"] == ("s", "Heartbeat · R&D: next beat 14:42")
