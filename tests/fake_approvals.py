"""Harmless twins of keyring, scripts and approvals, in memory, and the person's yes to all that a test is not about."""

import os
from collections.abc import Collection, Mapping
from dataclasses import replace
from pathlib import Path
from unittest.mock import patch

from core import bootstrap
from core.adapters import folders
from core.adapters.approval_seal import SealKeys
from core.adapters.approvals import ApprovalsOnDisk
from core.engine.approving import approve, judged_now
from core.engine.world import World
from core.model.approval import Approval, ApprovedBy, Candidate, Given, Script, SealHome
from core.model.errors import HeartbeatError, KeyringUnavailableError
from core.model.workspace import Workspace
from core.rules.permitting.command_words import looks_like_script


def approve_everything(workspace: Path, environment: Mapping[str, str]) -> None:
    """The person's yes to all that the workspace holds now, on a machine without a keyring; nothing else happens."""
    with patch.dict(os.environ, environment, clear=True):
        world = bootstrap.open_world(workspace)
        no_keyring = FakeSecrets()
        no_keyring.trouble = "There is no keyring here."
        state = bootstrap.state_folder(workspace)
        keys = SealKeys(no_keyring, folders.state_folder())
        world = replace(world, approvals=ApprovalsOnDisk(state, world.approvals.place, keys, world.ledger))
        approve_all_in(world, bootstrap.read_workspace(workspace))
        world.ledger.close()


def approve_all_in(world: World, workspace: Workspace) -> None:
    waiting = [one for one in judged_now(world, workspace, world.approvals.proven().approvals) if one.waits]
    if waiting:
        approve(world, waiting, ApprovedBy.PERSON, world.clock.now())


class FakeSecrets:
    def __init__(self) -> None:
        self.kept: dict[str, str] = {}
        self.trouble = ""  # why it cannot be used
        self.reads = 0

    def get(self, name: str) -> str | None:
        self.reads += 1
        self._be_usable()
        return self.kept.get(name)

    def set(self, name: str, value: str) -> None:
        self._be_usable()
        self.kept[name] = value

    def delete(self, name: str) -> bool:
        self._be_usable()
        return self.kept.pop(name, None) is not None

    def _be_usable(self) -> None:
        if self.trouble:
            raise KeyringUnavailableError(self.trouble, "Unlock it.")


class FakeScripts:
    """Files by their path; a digest is the content itself."""

    def __init__(self, files: Mapping[str, str] | None = None) -> None:
        self.files = dict(files or {})

    def look(self, candidates: Collection[Candidate]) -> dict[Candidate, Script]:
        found = {}
        for one in candidates:
            content = self.files.get(one.path.removeprefix("./"))
            if content is not None and (one.is_run or looks_like_script(one.path, content.encode(), executable=False)):
                found[one] = Script(one.path.removeprefix("./"), content)
        return found


class FakeApprovals:
    def __init__(self, place: str = "/workspace") -> None:
        self.place = place
        self.known: dict[str, Approval] = {}
        self.trouble = ""
        self.is_locked = False

    def noted(self) -> Mapping[str, Approval]:
        return dict(self.known)

    def proven(self) -> Given:
        return Given({}, self.trouble, "Look again.", self.is_locked) if self.trouble else Given(self.noted())

    def home(self) -> SealHome:
        return SealHome()

    def give(self, approvals: Collection[Approval]) -> None:
        self._begin_anew_after_trouble()
        self.known |= {one.key: one for one in approvals}

    def take_back(self, keys: Collection[str]) -> None:
        self._begin_anew_after_trouble()
        self.known = {key: one for key, one in self.known.items() if key not in keys}

    def _begin_anew_after_trouble(self) -> None:
        if self.is_locked:
            raise HeartbeatError(self.trouble, "Look again.")
        if self.trouble:
            self.known, self.trouble = {}, ""
