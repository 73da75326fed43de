"""Approves everything that a test is not about."""

import os
from collections.abc import Mapping
from pathlib import Path
from unittest.mock import patch

from core.engine.approve import approve, review_now
from core.model.approval import ApprovedBy
from core.model.workspace import Workspace
from core.ports.world import World
from core.services import Services
from core.usecases.reading import read_workspace
from tests.fakes.outside import FakeSecrets


def approve_everything(workspace: Path, environment: Mapping[str, str]) -> None:
    """The person's yes to all that the workspace holds now, on a machine without a keyring;
    nothing else happens."""
    with patch.dict(os.environ, environment, clear=True):
        services = Services(workspace)
        no_keyring = FakeSecrets()
        no_keyring.trouble = "There is no keyring here."
        services.secrets = no_keyring
        approve_all_in(services, read_workspace(services))
        services.ledger.close()


def approve_all_in(world: World, workspace: Workspace) -> None:
    waiting = [
        one for one in review_now(world, workspace, world.approvals.proven().approvals) if one.waits
    ]
    if waiting:
        approve(world, waiting, ApprovedBy.PERSON, world.clock.now())
