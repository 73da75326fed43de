"""The one place that joins ports and adapters.

Law: one lazy, typed property per adapter, its import inside, made at its first use and then kept.
A process that never asks for an adapter never pays for it; the resident asks for few.
Nothing is decided here: a property joins, and calls what decides.

`Services` is the engine's `World` and `ResidentWorld`, and `ToolServices` is what the model's tools
get: there is no second list of the same things anywhere.
"""

import os
import sys
from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import suppress
from copy import copy
from datetime import datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Generic, Self, TypeVar, cast, overload

from core.rules.own_command import own_command

if TYPE_CHECKING:
    from core.adapters.clock import SystemClock
    from core.adapters.desktop.autostart import Autostart
    from core.adapters.desktop.desktop import Desktop
    from core.adapters.doctor import Probes
    from core.adapters.processes.background import BackgroundProcesses
    from core.adapters.processes.posix import SystemProcesses
    from core.adapters.waiting.cancellation import CancelSwitch
    from core.adapters.waiting.loop import WakeUp
    from core.adapters.waiting.signals import Signals
    from core.agent.agent import LanguageModel
    from core.agent.toolbox import BatchToolbox
    from core.model.agent import Batch
    from core.model.announcements import Message
    from core.model.holder import Machine
    from core.model.settings import McpServer, Settings
    from core.model.workspace import Workspace
    from core.ports.files import (
        FileInspector,
        FileWorker,
        PromptStore,
        Scripts,
        UndoFolder,
        UndoStore,
        Views,
        WorkspaceFiles,
        WorkspaceIdentity,
        WorkspaceReader,
    )
    from core.ports.ledger import Ledger
    from core.ports.model import LocalModels, ModelApi
    from core.ports.outside import AllowedWeb, Approvals, Http, KeyNames, Messenger, Secrets
    from core.ports.processes import (
        AgentPrograms,
        Children,
        LastLines,
        Lock,
        OtherProcesses,
        OwnCommands,
        Processes,
        Sandbox,
        ToolServerProcesses,
    )
    from core.ports.waiting import OwnerFile, Waiting, Watcher

T = TypeVar("T")

COPY_OF_SETTINGS = "settings.json"  # in a state folder


class lazy(Generic[T]):  # noqa: N801 - it is used as a decorator, like `property`
    """A property that is made at its first use, once for all services that share what is made. So
    it must not depend on the settings: services that differ in them share it too.

    A test may set it instead, for all that share.
    """

    def __init__(self, make: Callable[[Any], T]) -> None:
        self._make = make
        self.__doc__ = make.__doc__

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    @overload
    def __get__(self, services: None, owner: type) -> "lazy[T]": ...

    @overload
    def __get__(self, services: "MachineServices", owner: type) -> T: ...

    def __get__(self, services: "MachineServices | None", owner: type) -> "T | lazy[T]":
        if services is None:
            return self

        if self._name in services.made:
            return cast(T, services.made[self._name])

        kept = self.kept_in(services)
        if self._name not in kept:
            kept[self._name] = self._make(services)

        return cast(T, kept[self._name])

    def __set__(self, services: "MachineServices", value: T) -> None:
        services.made[self._name] = value

    def kept_in(self, services: "MachineServices") -> dict[str, object]:
        return services.made


class lazy_here(lazy[T]):  # noqa: N801 - likewise
    """The same, made once for these services alone: it depends on their settings, or on the batch
    that they are for."""

    def kept_in(self, services: "MachineServices") -> dict[str, object]:
        return services.made_here


class MachineServices:
    """What this machine has, whatever the workspace."""

    def __init__(self) -> None:
        self.made: dict[str, object] = {}  # by the name of the property
        self.made_here: dict[str, object] = {}  # what is not shared

    # -- where things are --------------------------------------------------------------------------

    @lazy
    def home(self) -> Path:
        return Path.home()

    @lazy
    def environment(self) -> Mapping[str, str]:
        return os.environ

    @lazy
    def config_folder(self) -> Path:
        from core.adapters import folders

        return folders.config_folder()

    @lazy
    def settings_file(self) -> Path:
        return self.config_folder / "config.toml"

    @lazy
    def all_state(self) -> Path:
        """The folder that has one folder for each workspace."""
        from core.adapters import folders

        return folders.state_folder()

    @lazy
    def default_workspace(self) -> Path:
        from core.adapters import folders

        return folders.default_workspace()

    @lazy
    def assets(self) -> Path:
        """In the package when installed, next to it in the source tree."""
        package = Path(__file__).parents[1]
        installed = package / "tray_app" / "assets"
        return installed if installed.is_dir() else package / "assets"

    @lazy
    def config(self) -> "Settings":
        """What the person's config.toml says."""
        from core.model.settings import Settings

        if not self.settings_file.exists():
            self._forget_copy_of_settings()
            return Settings()

        from core.adapters.settings_files import read_checked

        return read_checked(self.settings_file, None, self.all_state / COPY_OF_SETTINGS)

    def _forget_copy_of_settings(self) -> None:
        """A file that the person removed must not live on: a channel's address may be a secret."""
        kept = self.all_state / COPY_OF_SETTINGS
        if kept.exists():
            with suppress(OSError):
                kept.unlink()

    # -- the adapters ------------------------------------------------------------------------------

    @lazy
    def clock(self) -> "SystemClock":
        from core.adapters.clock import SystemClock

        return SystemClock()

    @lazy
    def reader(self) -> "WorkspaceReader":
        """Reads files as they are now, also in the middle of a save: for commands that only
        show."""
        from core.adapters.files.workspace import WorkspaceReaderOnDisk

        return WorkspaceReaderOnDisk()

    @lazy
    def secrets(self) -> "Secrets":
        from core.adapters.keyring_secrets import KeyringSecrets

        return KeyringSecrets()

    @lazy
    def key_names(self) -> "KeyNames":
        from core.adapters.keyring_secrets import KeyNamesOnDisk

        return KeyNamesOnDisk(self.all_state / "key-names.json")

    @lazy
    def local_models(self) -> "LocalModels":
        from core.adapters.local_models import ModelsOfMachine

        return ModelsOfMachine()

    @lazy
    def model_api(self) -> "ModelApi":
        from core.adapters.model_api import HttpxModelApi

        return HttpxModelApi(self.clock.monotonic)

    @lazy
    def http(self) -> "Http":
        from core.adapters.http import Web

        return Web()

    @lazy
    def allowed_web(self) -> "AllowedWeb":
        from core.adapters.sandbox.egress.allowed_web import EgressWeb

        return EgressWeb(self.clock.monotonic)

    @lazy
    def processes(self) -> "Processes":
        """One per process of ours, for all its commands, in the sandbox or not: two would take
        each other's commands for leftovers and end them."""
        if sys.platform == "win32":
            from core.adapters.processes.windows import WindowsProcesses

            return WindowsProcesses(self.clock.monotonic)

        from core.adapters.processes.posix import SystemProcesses

        return SystemProcesses(self.clock.monotonic)

    @lazy
    def children(self) -> "Children":
        if sys.platform == "win32":
            from core.adapters.processes.windows import WindowsChildren

            return WindowsChildren()

        from core.adapters.processes.children import SystemChildren

        return SystemChildren()

    @lazy
    def other_processes(self) -> "OtherProcesses":
        from core.adapters.processes.others import SystemOtherProcesses

        return SystemOtherProcesses(self.clock.monotonic)

    @lazy
    def own_commands(self) -> "OwnCommands":
        from core.adapters.processes.own_commands import SystemOwnCommands

        return SystemOwnCommands()

    @lazy
    def agent_programs(self) -> "AgentPrograms":
        from core.adapters.processes.agent_programs import SystemAgentPrograms

        return SystemAgentPrograms(self.clock.monotonic)

    @lazy
    def tool_servers(self) -> "ToolServerProcesses":
        from core.adapters.processes.tool_servers import SystemToolServers

        if sys.platform == "win32":
            return SystemToolServers(self.clock.monotonic)

        # Commands and servers run at the same time, and must not be taken for each other.
        processes = cast("SystemProcesses", self.processes)
        return SystemToolServers(self.clock.monotonic, processes.adopted)

    @lazy
    def machine(self) -> "Machine":
        from core.adapters.files.owner import this_machine

        return this_machine(self.all_state)

    @property
    def machine_id(self) -> str:
        return self.machine.id

    @lazy
    def cancelled(self) -> "CancelSwitch":
        from core.adapters.waiting.cancellation import CancelSwitch

        return CancelSwitch()

    @lazy
    def desktop(self) -> "Desktop":
        from core.adapters.desktop.desktop import Desktop

        return Desktop()

    def secret(self, name: str) -> str:
        """The value of a keyring name, for an action."""
        from core.rules.keys import secret_for_actions

        return secret_for_actions(name, self.secrets.get)


class Services(MachineServices):
    """What one workspace has on this machine: the engine's `World` and `ResidentWorld`."""

    def __init__(self, root: Path) -> None:
        super().__init__()
        self.root = root
        self._settings: Settings | None = None

    # -- settings, and where things are ------------------------------------------------------------

    @property
    def settings(self) -> "Settings":
        """config.toml, with the three keys of the workspace's config.json."""
        if self._settings is None:
            self._settings = self._read_settings()
        return self._settings

    def _read_settings(self) -> "Settings":
        path = self.root / "config.json"
        if not path.exists():
            return self.config

        from core.adapters.settings_files import read_checked

        return read_checked(self.settings_file, path, self.state_folder / COPY_OF_SETTINGS)

    def with_settings(self, settings: "Settings") -> Self:
        """The same services under other settings. What depends on the settings is made again, and
        everything else is shared, also what is made later."""
        other = copy(self)
        other._settings = settings
        other.made_here = {}
        return other

    @lazy
    def state_folder(self) -> Path:
        from core.adapters.files.identity import state_folder_of_workspace

        return state_folder_of_workspace(self.real_path)

    def use(self) -> None:
        """Take over the state of the workspace that this folder is, also if it may be a copy of
        it. Called before anything else is asked for; who only looks does not call it."""
        from core.adapters.files.identity import state_folder_of_workspace

        self.state_folder = state_folder_of_workspace(self.real_path, is_used=True)

    @lazy
    def identity(self) -> "WorkspaceIdentity":
        from core.adapters.files.identity import IdentityOnDisk

        return IdentityOnDisk(self.real_path, self.state_folder)

    @lazy
    def real_path(self) -> Path:
        """The workspace as the disk spells it."""
        from core.adapters import folders

        return folders.name_on_disk(self.root)

    @property
    def protected(self) -> tuple[Path, ...]:
        name = self.settings.heartbeat_file
        return (self.root / name,) if name else ()

    @property
    def hidden(self) -> tuple[Path, ...]:
        return (self.all_state, self.config_folder)

    # -- the adapters of a beat --------------------------------------------------------------------

    @lazy
    def ledger(self) -> "Ledger":
        return self.open_ledger()

    def open_ledger(self) -> "Ledger":
        """A connection of its own: one is good for one thread."""
        from core.adapters.ledger import SqliteLedger

        return SqliteLedger(self.state_folder / "ledger.db")

    @lazy
    def lock(self) -> "Lock":
        return self._lock("lock")

    @lazy
    def model_lock(self) -> "Lock":
        return self._lock("model.lock")

    @lazy
    def resident_lock(self) -> "Lock":
        """Held by the resident for as long as it lives."""
        return self._lock("resident.lock")

    def _lock(self, name: str) -> "Lock":
        from core.adapters.lock import FileLock

        return FileLock(self.state_folder / name)

    @lazy
    def files(self) -> "WorkspaceFiles":
        import time

        from core.adapters.files.workspace import FilesOnDisk

        return FilesOnDisk(self.state_folder, self.clock, time.sleep)

    @lazy
    def file_worker(self) -> "FileWorker":
        from core.adapters.files.operations import FileOperations

        return FileOperations(self.root)

    @lazy
    def file_inspector(self) -> "FileInspector":
        from core.adapters.files.inspector import FileInspectorOnDisk

        return FileInspectorOnDisk(self.root)

    @lazy
    def scripts(self) -> "Scripts":
        from core.adapters.files.scripts import ScriptsOnDisk

        return ScriptsOnDisk(self.root)

    @lazy
    def undo(self) -> "UndoStore":
        from core.adapters.files.undo import UndoStore

        return UndoStore(self.root, self.state_folder)

    @lazy
    def views(self) -> "Views":
        from core.adapters.files.views import ViewsOnDisk

        return ViewsOnDisk(self.root, self.state_folder)

    def prompts(self, beat: int = 0) -> "PromptStore":
        """The prompt files, as changed by a beat; 0: by the person."""
        from core.adapters.files.prompts import PromptStore

        return PromptStore(self.root, self.undo, self.clock, beat)

    @lazy
    def approvals(self) -> "Approvals":
        from core.adapters.files.approvals import ApprovalsOnDisk
        from core.adapters.files.seal import SealKeys

        keys = SealKeys(self.secrets, self.all_state)
        return ApprovalsOnDisk(self.state_folder, str(self.real_path), keys, self.ledger)

    @lazy
    def sandbox(self) -> "Sandbox":
        """What gates and the model's commands run in."""
        from core.adapters.sandbox.bubblewrap import BubblewrapSandbox

        # Only Linux runs anything in it, and there the processes are these.
        processes = cast("SystemProcesses", self.processes)
        return BubblewrapSandbox(processes, self.state_folder / "sandbox")

    @lazy
    def probes(self) -> "Probes":
        from core.adapters.doctor import Probes

        return Probes(self.root, self.state_folder)

    def write_starter_files(self) -> tuple[list[str], list[str]]:
        """The names that were written, and those that were there already."""
        from core.adapters.files.starter import make_workspace

        return make_workspace(self.root, self.assets)

    def write_receipt(self, name: str, text: str) -> Path:
        from core.adapters.files.views import write_receipt

        return write_receipt(self.state_folder / "receipts", name, text)

    @lazy
    def background(self) -> "BackgroundProcesses":
        from core.adapters.processes.background import BackgroundProcesses

        return BackgroundProcesses(
            self.root, self.state_folder, self.clock, self.children, self.child_command
        )

    @lazy
    def last_lines(self) -> "LastLines":
        from core.adapters.files.last_lines import LastLinesOnDisk

        return LastLinesOnDisk(self.state_folder / "running")

    @lazy_here
    def messenger(self) -> "Messenger":
        from core.adapters.messages.channels import Channels
        from core.adapters.messages.messenger import SystemMessenger
        from core.rules.workspace_names import workspace_name

        channels = Channels(self.settings.channels, self.http, self.secret)
        return SystemMessenger(channels, self.leave_to_tray, workspace_name(self.root))

    @lazy_here
    def agent(self) -> "LanguageModel":
        from core.agent.agent import LanguageModel
        from core.rules.prices import cost_of, price_of

        own_prices = self.settings.prices

        def toolbox(batch: "Batch") -> "BatchToolbox":
            from core.agent.toolbox import BatchToolbox  # imported here: few beats ask a model

            return BatchToolbox(ToolServices(self, lambda: model.keys()), batch)

        model = LanguageModel(
            self,
            toolbox,
            lambda choice, usage: cost_of(
                usage, price_of(choice.provider, choice.model, own_prices)
            ),
        )

        return model

    # -- the resident ---------------------------------------------------------------------

    @lazy
    def owner_file(self) -> "OwnerFile":
        from core.adapters.files.owner import OwnerFileOnDisk

        return OwnerFileOnDisk(self.root, self.machine)

    def is_away(self) -> bool:
        from core.adapters.files.read import is_away

        return is_away(self.root)

    @lazy
    def changed(self) -> "WakeUp":
        from core.adapters.waiting.loop import WakeUp

        return WakeUp()

    @lazy
    def watcher(self) -> "Watcher":
        from core.adapters.files.backups import OwnWrites
        from core.adapters.waiting.watcher import FolderWatcher

        return FolderWatcher(
            self.root,
            self.settings_file,
            OwnWrites(self.state_folder).explain,
            lambda _: self.changed.set(),
            self.clock.monotonic,
        )

    @lazy
    def waiting(self) -> "Waiting":
        from core.adapters.waiting.loop import waiting

        return waiting(self.clock)

    @lazy
    def child_log(self) -> Path:
        from core.adapters.files.logs import fresh_log

        return fresh_log(self.state_folder / "logs" / "children.log")

    def last_log_line(self) -> str:
        from core.adapters.files.logs import last_line

        return last_line(self.child_log)

    def child_command(self, words: Sequence[str]) -> Sequence[str]:
        return own_command("core.child", *words)

    def end_beat(self, pid: int) -> None:
        """Ask a beat of ours to end; on Windows it ends at once."""
        from core.adapters.waiting.signals import end

        end(pid)

    def hold_signals_back(self) -> None:
        """Hold signals back until `signals` handles them: by default each of them would end this
        process."""
        from core.adapters.waiting.signals import hold_back

        hold_back()

    def signals(self, on_end: Callable[[], None], on_wake: Callable[[], None]) -> "Signals":
        from core.adapters.waiting.signals import Signals

        return Signals(on_end, on_wake)

    def autostart(self, *, without_icon: bool = False) -> "Autostart":
        from core.adapters.desktop.autostart import autostart

        return autostart(self.root, without_icon=without_icon)

    def autostart_command(self, *, without_icon: bool = False) -> list[str]:
        return self.heartbeat_command("daemon" if without_icon else "tray")

    def heartbeat_command(self, *words: str) -> list[str]:
        """`heartbeat` for this workspace."""
        return own_command("tray_app.cli", "--workspace", str(self.root), *words)

    def starts_at_login(self) -> bool:
        here = self.autostart()
        return here.written() == here.wanted(self.autostart_command())

    def watched_since(self) -> datetime | None:
        """When the resident that is running now was started."""
        holder = self.resident_lock.holder()
        return holder.since if holder else None

    def wake_resident(self) -> None:
        from core.adapters.waiting.signals import wake

        holder = self.resident_lock.holder()
        if holder:
            wake(holder.pid)

    def leave_to_tray(self, message: "Message") -> bool:
        """Leave it to the tray to show; whether one is running."""
        from core.adapters.waiting.signals import wake
        from core.engine.tray_messages import leave_to_tray

        return leave_to_tray(message, self.resident_lock, lambda: self.ledger, wake)


class ToolServices(Services):
    """The services as the tools of one batch get them, with the values of that batch: the
    `ToolWorld` of core/agent/tool_world.py.

    `keys` are values that must not get out, besides those of the environment.
    """

    def __init__(self, services: Services, keys: Callable[[], Collection[str]] = tuple) -> None:
        super().__init__(services.root)
        self.made = services.made
        self._settings = services.settings
        self._keys = keys

    @lazy_here
    def own_beat(self) -> int:
        """The number of the beat of this process; 0 if it does none."""
        from core.engine.history import beat_of_process

        ledger = self.open_ledger()
        try:
            return beat_of_process(ledger, os.getpid())
        finally:
            ledger.close()

    @lazy_here
    def undo_folders(self) -> "tuple[UndoFolder, UndoFolder]":
        """For what the batch changes, and for HEARTBEAT.md alone. Both at once: the later one
        would have a later number, and be undone first."""
        from core.model.file_work import AGENT

        opened = self.undo.open(self.own_beat, AGENT)
        return opened, self.undo.open(self.own_beat, f"{AGENT}-heartbeat-file")

    @property
    def undo_folder(self) -> "UndoFolder":
        return self.undo_folders[0]

    @property
    def heartbeat_undo_folder(self) -> "UndoFolder":
        return self.undo_folders[1]

    @lazy_here
    def prompt_store(self) -> "PromptStore":
        return self.prompts(self.own_beat)

    @lazy_here
    def servers(self) -> "Mapping[str, McpServer]":
        """The MCP servers that the person has approved as they are in the settings."""
        if not self.settings.mcp_servers:
            return {}

        from core.engine.approve import approved_servers

        return approved_servers(self, self.workspace())

    @lazy
    def shown_files(self) -> "FileInspector":
        from core.adapters.files.inspector import FileInspectorOnDisk

        return FileInspectorOnDisk(self.root, self.hidden)

    @lazy_here
    def guarded_worker(self) -> "FileWorker":
        from core.adapters.files.operations import FileOperations
        from core.rules.approving.control_names import writing_guard

        hidden = [path.resolve() for path in self.hidden]
        name = self.settings.heartbeat_file or self.workspace().file.name
        return FileOperations(self.root, writing_guard(self.root.resolve(), hidden, name))

    @lazy
    def server_environment(self) -> Mapping[str, str]:
        from core.adapters.processes.commands import command_environment

        return command_environment(os.environ, {})

    def grants(self, tag: str) -> bool:
        return tag in self.settings.agent.permissions

    def workspace(self) -> "Workspace":
        from core.engine.read import read_workspace

        return read_workspace(self)

    def secret_values(self) -> tuple[str, ...]:
        from core.rules.redacting import secrets_of_environment

        return (*self._keys(), *secrets_of_environment(os.environ))
