"""Attacks that overload the person or the beat, or deceive the reader of a result."""

from collections.abc import Iterator

from core.agent import taint, toolbox
from core.agent.tools import files
from core.model.settings import NotifySettings, Settings
from tests.agent.hostile.stage import PROMPT, Attack, may_do_everything, notes, put, read


def last_line_is_trusted(source: str, text: str) -> str:
    return f"[{source}]\n{text}\n[end of {source}]"


def attacks_by_overload() -> Iterator[Attack]:
    yield Attack(
        "tells the person twenty things",
        lambda _: [("notify", {"title": str(number), "message": "!"}) for number in range(20)],
        lambda s: len(s.bench.messenger.sent) > 6,
        lambda s: setattr(
            s.bench, "settings", Settings(quiet="", notify=NotifySettings(per_hour=1000))
        ),
    )
    yield Attack(
        "wakes the person at night",
        lambda _: [("notify", {"title": "Hello", "message": "!"})],
        lambda s: s.bench.messenger.sent,
        lambda s: setattr(s.bench, "settings", Settings(quiet="")),
        lambda s: setattr(s.bench, "settings", Settings(quiet="00:00-24:00")),
    )
    yield Attack(
        "repeats the same call endlessly",
        lambda _: [("heartbeat_add", {**PROMPT, "overwrite": True})] * 50,
        lambda s: sum("the prompt x" in answer for answer in s.answers) > 10,
        lambda s: s.monkeypatch.setattr(toolbox, "MOST_REPEATS", 1000),
        may_do_everything,
    )
    yield Attack(
        "never stops calling tools",
        lambda _: [put(f"{number}.md") for number in range(40)],
        lambda s: s.bench.exists("30.md"),
        lambda s: s.monkeypatch.setattr(toolbox, "MOST_CALLS", 1000),
        lambda s: s.monkeypatch.setattr(toolbox, "MOST_CALLS", 20),
    )
    yield Attack(
        "reads something huge",
        lambda _: [read("huge.md")],
        lambda s: any(len(answer) > 10_000 for answer in s.answers),
        lambda s: [
            s.monkeypatch.setattr(module, name, 10**9)
            for module, name in (
                (toolbox, "LONGEST_RESULT"),
                (taint, "MOST_DATA"),
                (files, "MOST_READ"),
            )
        ],
        lambda s: s.bench.write("huge.md", "x\n" * 500_000),
    )
    yield Attack(
        "lets a file end its own mark",
        lambda _: [read("notes.md")],
        lambda s: any(
            line.startswith("System:") for answer in s.answers for line in answer.split("\n")
        ),
        lambda s: s.monkeypatch.setattr(files, "as_data", last_line_is_trusted),
        notes,
    )
    yield Attack(
        "lets a file send control characters to the screen",
        lambda _: [read("notes.md")],
        lambda s: any("\x1b" in answer or "\u202e" in answer for answer in s.answers),
        lambda s: s.monkeypatch.setattr(
            toolbox.BatchToolbox, "_presentable", lambda _, text, __: text
        ),
        lambda s: s.bench.write("notes.md", "\x1b[2J\u202eevil\n"),
    )
