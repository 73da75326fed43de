"""A person's folders for a test of the sandbox, and the two ways to run a command there: inside,
and bare."""

import time
from datetime import timedelta
from pathlib import Path

from core.adapters.processes.posix import SystemProcesses
from core.adapters.sandbox.bubblewrap import BubblewrapSandbox
from core.adapters.sandbox.egress.addresses import Resolver, public_addresses
from core.model.process import Command, Ending
from core.model.sandbox import Reach, SandboxEnding
from core.ports.processes import Cancellation

PRIVATE_KEY = "-----BEGIN OPENSSH PRIVATE KEY-----"


class Ground:
    def __init__(self, folder: Path, resolve: Resolver = public_addresses) -> None:
        self.home = folder / "home"
        self.workspace = self.home / "work"
        self.state = self.home / ".local" / "state" / "heartbeat"
        self.config = self.home / ".config" / "heartbeat"
        for place in (self.workspace / "sub", self.state, self.config, self.home / ".ssh"):
            place.mkdir(parents=True)
        (self.home / ".ssh" / "id_ed25519").write_text(f"{PRIVATE_KEY}\n")
        (self.state / "ledger.db").write_text("the ledger\n")
        (self.state / "approvals.json").write_text("the approvals\n")
        (self.config / "config.toml").write_text('approval = "ask"\n')
        self.processes = SystemProcesses(time.monotonic)
        self.sandbox = BubblewrapSandbox(self.processes, folder / "stages", resolve)

    def reach(self, **more: tuple[Path, ...] | tuple[str, ...]) -> Reach:
        return Reach(self.workspace, hidden=(self.state, self.config), **more)  # type: ignore[arg-type]

    def command(self, line: str, seconds: float = 60, **environment: str) -> Command:
        return Command(line, self.workspace, timedelta(seconds=seconds), environment)

    def inside(
        self, line: str, reach: Reach | None = None, cancelled: Cancellation | None = None
    ) -> SandboxEnding:
        return self.sandbox.run(self.command(line), reach or self.reach(), cancelled)

    def bare(self, line: str) -> Ending:
        return self.processes.run(self.command(line))


class PlainTopFolder:
    """What TopFolder would be if the workspace were simply bound, with its control files mounted
    read-only on top."""

    kept_out = ()

    def __init__(self, reach: Reach, _stages: Path) -> None:
        self._workspace = reach.workspace

    def __enter__(self) -> "PlainTopFolder":
        return self

    def __exit__(self, *exception: object) -> None:
        pass

    def mounts(self) -> list[str]:
        words = ["--bind", str(self._workspace), str(self._workspace)]
        for name in ("HEARTBEAT.md", "heartbeat", "config.json", ".heartbeat"):
            words += ["--ro-bind-try", str(self._workspace / name), str(self._workspace / name)]
        return words
