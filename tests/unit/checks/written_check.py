"""A hint as it is written in HEARTBEAT.md: read, reported, approved, changed and measured."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.checks import CHECK_KINDS
from core.kinds import check_words, executables_of, read_check, read_document
from core.model.approval import ApprovedBy, Executable, ReviewState
from core.model.check import Check, Measurement, Value
from core.model.diagnostic import Problem
from core.model.document import Document, Task
from core.model.file_work import Seen
from core.model.http import Answer, NoAnswer, Request
from core.model.process import Command, Ending
from core.model.settings import Settings
from core.model.workspace import Workspace
from core.rules.approving.approval import approval_of, review
from tests.fakes.files import FakeFileInspector, FakeScripts
from tests.fakes.outside import FakeHttp
from tests.fakes.processes import FakeProcesses

NOW = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
ROOT = Path("/workspace")


@dataclass
class FakeMeasuring:
    """What a measurement can ask for, out of the fakes of the ports."""

    exit_code: int | None = None
    before: Seen | None = None
    inspector: FakeFileInspector = field(default_factory=FakeFileInspector)
    processes: FakeProcesses = field(default_factory=FakeProcesses)
    http: FakeHttp = field(default_factory=FakeHttp)
    probes: dict[str, Value | Problem] = field(default_factory=dict)
    probed: list[str] = field(default_factory=list)

    def now(self) -> datetime:
        return NOW

    def inspect(self, path: str) -> Seen:
        return self.inspector.inspect(path)

    def run(self, line: str, limit: timedelta) -> Ending:
        return self.processes.run(Command(line, ROOT, limit))

    def send(self, request: Request) -> Answer | NoAnswer:
        return self.http.send(request)

    def probe(self, name: str) -> Value | Problem:
        self.probed.append(name)
        return self.probes[name]


def task(hint: str, run: str = "") -> Task:
    return Task("a", "Do it", True, hint, 3, False, None, run or None, 1)


def read(hint: str, probes: Sequence[str] = (), run: str = "") -> Check | Problem:
    return read_check(task(hint, run), probes)


def words(hint: str, probes: Sequence[str] = (), run: str = "") -> str:
    """How a person is told that the task is checked."""
    return check_words(task(hint, run), probes)


def problem(hint: str, probes: Sequence[str] = ()) -> tuple[str, str]:
    """Why the hint cannot be read, and what to write instead."""
    found = read(hint, probes)
    assert isinstance(found, Problem), found
    return found.message, found.hint


def measure(measuring: FakeMeasuring, hint: str) -> Measurement:
    """What was measured, without the words for a person: see `asked_and_got`."""
    found = read(hint, [*measuring.probes])
    assert isinstance(found, Check), found
    return replace(CHECK_KINDS.of(found).measure(measuring, found), asked="", got="", compared=None)


def asked_and_got(measuring: FakeMeasuring, hint: str) -> tuple[str, str]:
    """What a person is told where the check fails."""
    found = read(hint, [*measuring.probes])
    assert isinstance(found, Check), found
    measured = CHECK_KINDS.of(found).measure(measuring, found)
    return measured.asked, measured.got


def document(hint: str, probes: Sequence[str] = ()) -> Document:
    """One task that is checked in this way; a pipe would end the field."""
    escaped = hint.replace("|", "\\|")
    lines = [f"## Tasks\n- [ ] a | Do it | verify: {escaped}\n", "## Probes\n"]
    return read_document("".join([*lines, *(f"- {one}: count\n" for one in probes)]).encode())


def reported(hint: str, probes: Sequence[str] = ()) -> list[tuple[str, str]]:
    """The codes and the sentences of what is reported about a file with such a task."""
    return [(one.code, one.message) for one in document(hint, probes).diagnostics]


def executables(hint: str) -> tuple[Executable, ...]:
    return executables_of(
        Workspace(ROOT, ROOT / "HEARTBEAT.md", document(hint), (), ()), Settings()
    )


def state_after_change(
    before: str, after: str, script_before: str = "exit 0", script_after: str = "exit 0"
) -> ReviewState:
    """What becomes of the approval of a check when its hint or the script `look.sh` changes."""
    (one,) = executables(before)
    found = FakeScripts({"look.sh": script_before}).find(one.candidates)
    approved = approval_of(review(one, found, str(ROOT), {}), NOW, ApprovedBy.PERSON)

    (changed,) = executables(after)
    found = FakeScripts({"look.sh": script_after}).find(changed.candidates)
    return review(changed, found, str(ROOT), {approved.key: approved}).standing
