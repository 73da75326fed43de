"""A person's computer for tests of the model's tools: a real workspace and real adapters, with a
list of calls in place of a model."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from core.adapters.clock import SystemClock
from core.adapters.sandbox.egress.allowed_web import EgressWeb
from core.agent.toolbox import BatchToolbox
from core.model.agent import Batch, BatchTask
from core.model.settings import AgentSettings, Settings
from core.services import Services, ToolServices
from core.usecases.reading import read_workspace
from tests.approving import approve_all_in
from tests.fakes.outside import FakeMessenger
from tests.fakes.services import changed
from tests.stage import MONDAY

DEFAULT = AgentSettings().permissions
EVERYTHING = ("@workspace", "@shell", "@network", "@notify", "@memory", "@heartbeat")
TEXT = """# Mine

## Tasks

- [ ] report | Write the report | required | verify: file:report.md size>3 | max_attempts: 3
- [ ] tidy | Tidy up | optional

## Probes

- mails: echo 3
"""
Call = tuple[str, dict[str, Any]]


class Workbench:
    def __init__(self, folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
        self.home = folder / "home"
        self.root = self.home / "work"
        self.state = self.home / ".local" / "state" / "heartbeat"
        self.config = self.home / ".config" / "heartbeat"
        for place in (self.root, self.state, self.config, self.home / ".ssh"):
            place.mkdir(parents=True)
        (self.home / ".ssh" / "id_ed25519").write_text("-----BEGIN OPENSSH PRIVATE KEY-----\n")
        for name, value in (
            ("HOME", self.home),
            ("HEARTBEAT_CONFIG_DIR", self.config),
            ("HEARTBEAT_STATE_DIR", self.state),
            ("PYTHON_KEYRING_BACKEND", "keyring.backends.fail.Keyring"),
        ):
            monkeypatch.setenv(name, str(value))
        self.write("HEARTBEAT.md", TEXT)
        self.messenger = FakeMessenger()
        self.grants: tuple[str, ...] = DEFAULT
        self.domains: tuple[str, ...] = ()
        self.settings = Settings(quiet="")
        self.secrets: tuple[str, ...] = ()
        self.leads_to: Callable[[str, int], Sequence[str]] | None = None  # where names lead
        self.batch = Batch(
            MONDAY,
            tasks=(BatchTask("report", "Write the report", True), BatchTask("tidy", "Tidy", False)),
        )

    # -- the workspace -----------------------------------------------------------------------------

    def write(self, name: str, content: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        return path

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def exists(self, name: str) -> bool:
        return (self.root / name).exists()

    # -- the tools ---------------------------------------------------------------------------------

    def world(self) -> Services:
        agent = replace(self.settings.agent, permissions=self.grants, allowed_domains=self.domains)
        services = Services(self.root).with_settings(replace(self.settings, agent=agent))
        return changed(services, messenger=self.messenger)

    def services(self) -> ToolServices:
        services = ToolServices(self.world(), lambda: self.secrets)
        if self.leads_to:
            services.allowed_web = EgressWeb(time.monotonic, self.leads_to)
        return services

    def toolbox(self) -> BatchToolbox:
        return BatchToolbox(self.services(), self.batch)

    def play(self, *calls: Call) -> list[str]:
        """Make these calls one after the other, and return what the model would read."""
        toolbox = self.toolbox()
        try:
            return [toolbox.call(name, arguments) for name, arguments in calls]
        finally:
            toolbox.close()

    def approve(self) -> None:
        """The person approves everything that can execute now."""
        approve_all_in(self.world(), read_workspace(self.world()))

    def undo(self) -> None:
        """`heartbeat undo`."""
        world = self.world()
        done = world.undo.undo(None, None)
        assert getattr(done, "paths", None), done

    def now(self) -> datetime:
        return SystemClock().now()
