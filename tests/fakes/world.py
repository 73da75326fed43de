"""The world of a beat, that of a model, and that of the always-on process, made of the harmless
twins."""

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.clock import SystemClock
from core.adapters.ledger import SqliteLedger
from core.adapters.model_api import HttpxModelApi
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.settings import Settings
from core.ports.files import (
    FileInspector,
    FileWorker,
    Scripts,
    UndoStore,
    Views,
    WorkspaceFiles,
    WorkspaceIdentity,
)
from core.ports.ledger import Ledger
from core.ports.model import Agent, LocalModels, ModelApi
from core.ports.outside import Approvals, Http, Messenger, Secrets
from core.ports.processes import (
    AgentPrograms,
    Background,
    Cancellation,
    Children,
    LastLines,
    Lock,
    Processes,
    Sandbox,
)
from core.ports.waiting import Clock, OwnerFile, Waiting, Waker, Watcher
from tests.fakes.files import (
    FakeFileInspector,
    FakeFiles,
    FakeFileWorker,
    FakeIdentity,
    FakeScripts,
    FakeUndo,
    FakeViews,
)
from tests.fakes.model import FakeAgent, FakeLocalModels
from tests.fakes.outside import FakeApprovals, FakeHttp, FakeMessenger, FakeSecrets, no_secret
from tests.fakes.processes import (
    FakeAgentPrograms,
    FakeBackground,
    FakeLastLines,
    FakeLock,
    FakeProcesses,
    FakeSandbox,
)
from tests.fakes.waiting import FakeClock

START = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)


@dataclass(frozen=True)
class FakeWorld:
    """The `World` of core/ports/world.py."""

    root: Path = Path("/workspace")
    home: Path = Path("/home/ann")
    settings: Settings = field(default_factory=Settings)
    protected: tuple[Path, ...] = ()
    hidden: tuple[Path, ...] = ()
    clock: Clock = field(default_factory=lambda: FakeClock(START, UTC))
    ledger: Ledger = field(default_factory=SqliteLedger)
    lock: Lock = field(default_factory=FakeLock)
    model_lock: Lock = field(default_factory=FakeLock)
    identity: WorkspaceIdentity = field(default_factory=FakeIdentity)
    files: WorkspaceFiles = field(default_factory=FakeFiles)
    file_worker: FileWorker = field(default_factory=FakeFileWorker)
    file_inspector: FileInspector = field(default_factory=FakeFileInspector)
    scripts: Scripts = field(default_factory=FakeScripts)
    undo: UndoStore = field(default_factory=FakeUndo)
    views: Views = field(default_factory=FakeViews)
    approvals: Approvals = field(default_factory=FakeApprovals)
    processes: Processes = field(default_factory=FakeProcesses)
    sandbox: Sandbox = field(default_factory=FakeSandbox)
    background: Background = field(default_factory=FakeBackground)
    last_lines: LastLines = field(default_factory=FakeLastLines)
    http: Http = field(default_factory=FakeHttp)
    messenger: Messenger = field(default_factory=FakeMessenger)
    agent: Agent = field(default_factory=FakeAgent)
    cancelled: Cancellation = field(default_factory=CancelSwitch)
    secret: Callable[[str], str] = no_secret
    watched_since: Callable[[], datetime | None] = lambda: None
    wake_resident: Callable[[], None] = lambda: None

    def with_settings(self, settings: Settings) -> "FakeWorld":
        return replace(self, settings=settings)


@dataclass(frozen=True)
class FakeModelWorld:
    """The `ModelWorld` of core/agent/agent.py. Its clock is the real one: so are the requests."""

    settings: Settings
    secrets: Secrets = field(default_factory=FakeSecrets)
    environment: Mapping[str, str] = field(default_factory=dict)
    local_models: LocalModels = field(default_factory=FakeLocalModels)
    clock: Clock = field(default_factory=SystemClock)
    model_api: ModelApi = field(default_factory=lambda: HttpxModelApi(time.monotonic))
    agent_programs: AgentPrograms = field(default_factory=FakeAgentPrograms)


@dataclass(frozen=True)
class FakeResidentWorld:
    """The `ResidentWorld` of core/ports/world.py."""

    root: Path
    clock: Clock
    ledger: Ledger
    lock: Lock
    model_lock: Lock
    children: Children
    watcher: Watcher
    changed: Waker
    waiting: Waiting
    owner_file: OwnerFile
    machine_id: str
    environment: Mapping[str, str]
    child_log: Path
    child_command: Callable[[Sequence[str]], Sequence[str]]
    background: Background = field(default_factory=FakeBackground)
    last_lines: LastLines = field(default_factory=FakeLastLines)
    last_log_line: Callable[[], str] = lambda: ""
    starts_at_login: Callable[[], bool] = lambda: False
    is_away: Callable[[], bool] = lambda: False
