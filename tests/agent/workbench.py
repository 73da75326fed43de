"""A person's computer for the model's tools: a real workspace, real adapters, and a model that is a list of calls."""

import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from datetime import datetime
from pathlib import Path
from typing import Any

import pytest

from core import bootstrap
from core.adapters.allowed_web import EgressWeb
from core.agent.ground import Ground
from core.agent.toolbox import BatchToolbox
from core.engine.world import World
from core.model.agent import Batch, BatchTask
from core.model.settings import AgentSettings, Settings
from tests.fake_actions import FakeMessenger
from tests.fake_approvals import approve_all_in
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
            MONDAY, tasks=(BatchTask("report", "Write the report", True), BatchTask("tidy", "Tidy", False))
        )

    # -- the workspace ------------------------------------------------------------------------------------------

    def write(self, name: str, content: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_bytes(content.encode())
        return path

    def text(self, name: str) -> str:
        return (self.root / name).read_bytes().decode()

    def exists(self, name: str) -> bool:
        return (self.root / name).exists()

    # -- the tools ----------------------------------------------------------------------------------------------

    def world(self) -> World:
        agent = replace(self.settings.agent, permissions=self.grants, allowed_domains=self.domains)
        world = bootstrap.open_world(self.root)
        return replace(world, settings=replace(self.settings, agent=agent), messenger=self.messenger)

    def ground(self) -> Ground:
        ground = bootstrap.tool_ground(self.world(), lambda: self.secrets)
        return replace(ground, web=EgressWeb(time.monotonic, self.leads_to)) if self.leads_to else ground

    def toolbox(self) -> BatchToolbox:
        return BatchToolbox(self.ground(), self.batch)

    def play(self, *calls: Call) -> list[str]:
        """What a model reads that makes these calls, one after the other."""
        toolbox = self.toolbox()
        try:
            return [toolbox.call(name, arguments) for name, arguments in calls]
        finally:
            toolbox.close()

    def approve(self) -> None:
        """The person says yes to all that executes now."""
        approve_all_in(self.world(), bootstrap.read_workspace(self.root))

    def undo(self) -> None:
        """`heartbeat undo`."""
        world = self.world()
        done = world.undo.undo(None, None)
        assert getattr(done, "paths", None), done

    def now(self) -> datetime:
        return bootstrap.clock().now()
