"""All that a beat needs, one maker an adapter, and the walls around what it runs."""

import sys
from datetime import timedelta
from pathlib import Path
from typing import TYPE_CHECKING, cast

from core.bootstrap.places import (
    beat_lock,
    clock,
    model_lock,
    open_ledger,
    resident_lock,
    settings_of,
    state_folder,
    wake_resident,
    watched_since,
)
from core.model.errors import HeartbeatError

if TYPE_CHECKING:
    from core.adapters.background import BackgroundProcesses
    from core.adapters.clock import SystemClock
    from core.adapters.processes import SystemProcesses
    from core.adapters.prompt_store import PromptStore
    from core.engine.world import World
    from core.model.announcements import Message
    from core.model.sandbox import SandboxEnding
    from core.model.settings import Settings
    from core.ports import (
        Approvals,
        Children,
        Clock,
        FileLook,
        FileWorker,
        Http,
        Ledger,
        Messenger,
        Processes,
        Sandbox,
        Scripts,
        UndoStore,
        Views,
        WorkspaceFiles,
    )


def open_world(root: Path) -> "World":
    """All that a beat needs. What only running something needs is made when it is used."""
    from core.adapters import folders
    from core.adapters.cancellation import CancelSwitch
    from core.adapters.later import later
    from core.bootstrap.agents import _language_model  # here: it stands on this
    from core.engine.world import World

    state, here, cancelled, settings = state_folder(root), clock(), CancelSwitch(), settings_of(root)
    ledger, processes, http = open_ledger(root), later(lambda: _processes(here)), later(_web)
    protected, hidden = steering_paths(root, settings)
    world = World(
        root=root,
        settings=settings,
        clock=here,
        files=later(lambda: _files_on_disk(state, here)),
        ledger=ledger,
        lock=beat_lock(root),
        processes=processes,
        sandbox=later(lambda: open_sandbox(root, processes)),
        protected=protected,
        hidden=hidden,
        approvals=_approvals(state, str(folders.name_on_disk(root)), ledger),
        scripts=_scripts(root),
        watched_since=lambda: watched_since(root),
        http=http,
        file_worker=later(lambda: _file_worker(root)),
        file_look=later(lambda: _file_look(root)),
        undo=later(lambda: _undo_store(root)),
        messenger=later(lambda: _messenger(root, settings, http, ledger)),
        background=later(lambda: _background(root, here)),
        secret=secret,
        views=later(lambda: _views(root, state)),
        cancelled=cancelled,
        cancel=cancelled.set,
        agent=later(lambda: _language_model(world)),
        model_lock=model_lock(root),
        wake_resident=lambda: wake_resident(root),
    )
    return world


def leave_to_tray(root: Path, ledger: "Ledger", message: "Message") -> bool:
    """Let the tray show it; whether there is one that will."""
    from core.adapters.signals import wake

    holder = resident_lock(root).holder()
    if holder is None or holder.purpose != "tray":
        return False
    try:
        ledger.leave_message(message)
    except HeartbeatError:  # a full disk must not make us silent
        return False
    wake(holder.pid)
    return True


def _approvals(state: Path, place: str, ledger: "Ledger") -> "Approvals":
    from core.adapters import folders
    from core.adapters.approval_seal import SealKeys
    from core.adapters.approvals import ApprovalsOnDisk
    from core.adapters.secret_store import KeyringSecrets

    return ApprovalsOnDisk(state, place, SealKeys(KeyringSecrets(), folders.state_folder()), ledger)


def _scripts(root: Path) -> "Scripts":
    from core.adapters.scripts import ScriptsOnDisk

    return ScriptsOnDisk(root)


def _files_on_disk(state: Path, here: "SystemClock") -> "WorkspaceFiles":
    import time

    from core.adapters.workspace_files import FilesOnDisk

    return FilesOnDisk(state, here, time.sleep)


def _processes(here: "SystemClock") -> "Processes":
    if sys.platform == "win32":
        from core.adapters.windows_processes import WindowsProcesses

        return WindowsProcesses(here.monotonic)
    from core.adapters.processes import SystemProcesses

    return SystemProcesses(here.monotonic)


def _web() -> "Http":
    from core.adapters.web import Web

    return Web()


def _file_worker(root: Path) -> "FileWorker":
    from core.adapters.file_operations import FileOperations

    return FileOperations(root)


def _file_look(root: Path) -> "FileLook":
    from core.adapters.file_look import FileLookOnDisk

    return FileLookOnDisk(root)


def _undo_store(root: Path) -> "UndoStore":
    from core.adapters.undo_store import UndoStore

    return UndoStore(root, state_folder(root))


def _messenger(root: Path, settings: "Settings", http: "Http", ledger: "Ledger") -> "Messenger":
    from core.adapters.channels import Channels
    from core.adapters.messenger import SystemMessenger

    channels = Channels(settings.channels, http, secret)
    return SystemMessenger(channels, lambda one: leave_to_tray(root, ledger, one))


def _background(root: Path, here: "Clock") -> "BackgroundProcesses":
    from core.adapters.background import BackgroundProcesses

    return BackgroundProcesses(root, state_folder(root), here, _children())


def _views(root: Path, state: Path) -> "Views":
    from core.adapters.views import ViewsOnDisk

    return ViewsOnDisk(root, state)


def secret(name: str) -> str:
    """The value of a keyring name; never of an entry of the program's own, or of a key that a model is asked with."""
    from core.adapters.secret_store import KeyringSecrets
    from core.rules.keys import RESERVED, VARIABLES

    if name in RESERVED or name in VARIABLES:
        raise HeartbeatError(f"`{name}` is not given to actions.", "Store a secret of its own: heartbeat key set NAME")
    value = KeyringSecrets().get(name)
    if value is None:
        raise HeartbeatError(f"There is no secret `{name}` in the keyring.", f"Store it: heartbeat key set {name}")
    return value


def prompt_store(root: Path) -> "PromptStore":
    from core.adapters.prompt_store import PromptStore

    return PromptStore(root, _undo_store(root), clock())


def open_sandbox(root: Path, processes: "Processes") -> "Sandbox":
    """What gates and the model's commands run in. A process has one Processes for all its commands, walled or not: two
    would take each other's for leftovers and end them."""
    from core.adapters.sandbox import BubblewrapSandbox

    # Only Linux gets so far as to run something in it, and there it is these.
    return BubblewrapSandbox(cast("SystemProcesses", processes), state_folder(root) / "sandbox")


def steering_paths(root: Path, settings: "Settings") -> tuple[tuple[Path, ...], tuple[Path, ...]]:
    """What no sandboxed command may change, beside the usual names, and what none may see."""
    from core.adapters import folders

    protected = (root / settings.heartbeat_file,) if settings.heartbeat_file else ()
    return protected, (folders.state_folder(), folders.config_folder())


def run_in_sandbox(root: Path, line: str, domains: tuple[str, ...], timeout: timedelta) -> "SandboxEnding":
    """A shell line as a gate of this workspace would run it, with these domains allowed."""
    from core.model.diagnostic import Problem
    from core.model.document import Gate
    from core.model.process import Command
    from core.rules.permitting.tags import gate_reach

    settings = settings_of(root)
    gate = Gate(line, None, timeout, {}, (), domains)
    reach = gate_reach(gate, settings.agent.permissions, root, Path.home(), *steering_paths(root, settings))
    if isinstance(reach, Problem):
        raise HeartbeatError(reach.message, reach.hint)
    sandbox, here = open_sandbox(root, _processes(clock())), Path.cwd()
    state = sandbox.state()
    if not state.works:
        raise HeartbeatError(state.reason, state.mend)
    return sandbox.run(Command(line, here if here.is_relative_to(root) else root, timeout), reach)


def _children() -> "Children":
    if sys.platform == "win32":
        from core.adapters.windows_children import WindowsChildren

        return WindowsChildren()
    from core.adapters.children import SystemChildren

    return SystemChildren()
