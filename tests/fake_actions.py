"""Harmless twins of the ports that actions use: they remember what they were asked for."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from core.model.errors import HeartbeatError
from core.model.file_work import FileDone, FileFailed, FileWork
from core.model.http import Answer, NoAnswer, Request
from core.model.occurrence import Occurrence
from core.model.report import Notice
from core.model.undo import Undone, UndoRefused
from core.ports import Cancellation, UndoFolder


@dataclass
class FakeHttp:
    answer: Answer | NoAnswer = field(default_factory=lambda: Answer(200, "fine"))
    sent: list[Request] = field(default_factory=list)

    def send(self, request: Request, cancelled: Cancellation | None = None) -> Answer | NoAnswer:
        self.sent.append(request)
        return self.answer


@dataclass
class FakeFileWorker:
    ending: FileDone | FileFailed = field(default_factory=lambda: FileDone("OK"))
    done: list[FileWork] = field(default_factory=list)

    def do(self, work: FileWork, undo: UndoFolder, now: datetime) -> FileDone | FileFailed:
        self.done.append(work)
        return self.ending


class FakeUndoFolder:
    def keep(self, path: Path, becomes: str | None = None) -> None: ...

    def changed(self, path: Path) -> None: ...


@dataclass
class FakeUndo:
    lines: dict[str, Mapping[str, str | None]] = field(default_factory=dict)

    def open(self, beat: int, item: str) -> UndoFolder:
        return FakeUndoFolder()

    def keep_lines(self, beat: int, item: str, lines: Mapping[str, str | None]) -> None:
        self.lines[item] = lines

    def tidy(self, beat: int, item: str) -> None: ...

    def undo(self, beat: int | None, item: str | None) -> Undone | UndoRefused:
        return Undone((), self.lines) if self.lines else UndoRefused("there is nothing to undo")


@dataclass
class FakeMessenger:
    problem: str = ""
    sent: list[tuple[str, Notice]] = field(default_factory=list)

    def send(self, channel: str, notice: Notice, urgency: str = "normal", trouble: str = "") -> str:
        self.sent.append((channel, notice))
        return self.problem


@dataclass
class FakeBackground:
    running: set[str] = field(default_factory=set)
    started: list[Occurrence] = field(default_factory=list)

    def start(self, occurrence: Occurrence) -> None:
        self.started.append(occurrence)
        self.running.add(occurrence.item)

    def is_running(self, item: str) -> bool:
        return item in self.running


def no_secret(name: str) -> str:
    raise HeartbeatError(f"There is no secret `{name}` in the keyring.", "")
