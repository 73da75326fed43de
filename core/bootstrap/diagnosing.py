"""What `heartbeat doctor` tries out."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from core.bootstrap.desktop import autostart, autostart_command
from core.bootstrap.places import clock, local_now, open_ledger, settings_of, state_folder
from core.bootstrap.reading import read_workspace
from core.bootstrap.worlds import _processes, open_sandbox

if TYPE_CHECKING:
    from core.model.diagnosis import Diagnosis
    from core.model.settings import Settings


def doctor(root: Path) -> "list[Diagnosis]":
    """Everything tried out, in the order in which a person would mend it."""
    from core.adapters import desktop_probes, folders, probes
    from core.engine.doctor import autostart_diagnosis, sandbox_diagnosis

    state, config = state_folder(root), folders.config_folder()
    private = [folders.state_folder(), state, state / "approvals.json", folders.state_folder() / "approval-seal.key"]
    decisive = [config, config / "config.toml", root, root / "HEARTBEAT.md", root / "config.json"]
    tries: dict[str, Callable[[], Diagnosis]] = {
        "workspace": lambda: probes.workspace(root, read_workspace(root).file),
        "disk": lambda: probes.disk([folders.make_private(state), *([root] if root.is_dir() else [])]),
        "lock": lambda: probes.lock(state, clock().now()),
        "watching": lambda: probes.watching(root, state),
        "clock": lambda: probes.clock(local_now(root), open_ledger(root).plan()),
        "permissions": lambda: probes.permissions(private, decisive),
        "keyring": probes.keyring,
        "model": lambda: _model_diagnosis(settings_of(root)),
        "sandbox": lambda: sandbox_diagnosis(open_sandbox(root, _processes(clock())).state()),
        "notifications": desktop_probes.notifications,
        "tray": desktop_probes.tray_host,
        "autostart": lambda: autostart_diagnosis([_autostart_way(root, without_icon=one) for one in (False, True)]),
    }
    return [probes.surely(name, probe) for name, probe in tries.items()]


def _autostart_way(root: Path, *, without_icon: bool) -> tuple[str | None, str]:
    here = autostart(without_icon=without_icon)
    return here.written(), here.wanted(autostart_command(root, without_icon=without_icon))


def _model_diagnosis(settings: "Settings") -> "Diagnosis":
    from core.adapters.secret_store import KeyringSecrets
    from core.adapters.web import Web
    from core.agent.choosing import Surroundings, choose, installed_models
    from core.engine.doctor import model_diagnosis, no_model_diagnosis
    from core.model.agent import NoModel

    found = choose(settings.agent, Surroundings(KeyringSecrets(), os.environ, installed_models))
    if isinstance(found, NoModel):
        return no_model_diagnosis(found, settings.agent.provider)
    return model_diagnosis(found.choice, found.key, Web())
