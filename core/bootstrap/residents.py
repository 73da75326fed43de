"""The always-on process."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.bootstrap.desktop import starts_at_login
from core.bootstrap.places import beat_lock, clock, model_lock, open_ledger, own_command, state_folder, wake_resident
from core.bootstrap.worlds import _children
from core.model.errors import HeartbeatError

if TYPE_CHECKING:
    from core.engine.resident import Resident


def open_resident(root: Path, say: Callable[[str], None], *, take_over: bool = False) -> "Resident":
    """The always-on process of a workspace, ready to run. Its lock is the caller's business."""
    from core.adapters import folders
    from core.adapters.log_files import fresh_log, last_line
    from core.adapters.own_writes import OwnWrites
    from core.adapters.owner_file import OwnerFileOnDisk, this_machine
    from core.adapters.signals import Signals, ask_to_end
    from core.adapters.waiting import waiting
    from core.adapters.wake_up import WakeUp
    from core.adapters.watcher import FolderWatcher
    from core.engine.resident import Resident, Surroundings

    state, here, changed = state_folder(root), clock(), WakeUp()
    machine = this_machine(folders.state_folder())
    owner_file = OwnerFileOnDisk(root, machine)
    if take_over:
        take_workspace_over(root)
    owner = owner_file.claim(here.now())
    if owner.machine.id != machine.id:
        message = f"This workspace is run by {owner.machine.name}, since {owner.since:%Y-%m-%d %H:%M}."
        raise HeartbeatError(message, "To run it on this machine instead: heartbeat daemon --take-over")
    watcher = FolderWatcher(
        root,
        folders.config_folder() / "config.toml",
        OwnWrites(state).explain,
        lambda _: changed.set(),
        here.monotonic,
    )
    resident = Resident(
        Surroundings(
            root=root,
            clock=here,
            ledger=open_ledger(root),
            beat_lock=beat_lock(root),
            model_lock=model_lock(root),
            children=_children(),
            watcher=watcher,
            changed=changed,
            waiting=waiting(here),
            owner=owner_file,
            machine=machine.id,
            say=say,
            command=lambda words: own_command("core.child", *words),
            environment=os.environ,
            log=fresh_log(state / "logs" / "children.log"),
            last_words=last_line,
            ask_to_end=ask_to_end,
            starts_at_login=lambda: starts_at_login(root),
        )
    )
    resident.sources.append(Signals(resident.end, resident.look))
    return resident


def take_workspace_over(root: Path) -> None:
    """Make this machine the one that runs a shared workspace; an always-on process that waits here goes on."""
    from core.adapters import folders
    from core.adapters.owner_file import OwnerFileOnDisk, this_machine

    OwnerFileOnDisk(root, this_machine(folders.state_folder())).take_over(clock().now())
    wake_resident(root)


def hold_signals_back() -> None:
    """Until `open_resident` is ready for them."""
    from core.adapters.signals import hold_back

    hold_back()
