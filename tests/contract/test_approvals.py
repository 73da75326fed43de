"""What core.ports.Approvals promises, asked of the sealed file, with a keyring and without, and
of the fake."""

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.files.approvals import ApprovalsOnDisk
from core.adapters.files.seal import SealKeys
from core.adapters.ledger import SqliteLedger
from core.model.approval import Approval, ApprovedBy, Script, ValidApprovals
from core.ports.outside import Approvals
from tests.fakes.outside import FakeApprovals, FakeSecrets

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
ONE = Approval(
    key="action:one",
    digest="aa",
    fields=(("type", "shell"), ("command", 'echo "\u202e\udc80"')),
    scripts=(Script("run.sh", "bb"),),
    at=NOW,
    by=ApprovedBy.PERSON,
)
TWO = replace(ONE, key="gate:two", fields=(), scripts=(), by=ApprovedBy.SAVING)


@pytest.fixture(params=["keyring", "key file", "fake"])
def approvals(request: pytest.FixtureRequest, tmp_path: Path) -> Approvals:
    if request.param == "fake":
        return FakeApprovals("/w")
    secrets = FakeSecrets()
    secrets.trouble = "There is none." if request.param == "key file" else ""
    return ApprovalsOnDisk(tmp_path, "/w", SealKeys(secrets, tmp_path), SqliteLedger())


def test_at_first_nothing_is_approved(approvals: Approvals) -> None:
    assert (approvals.noted(), approvals.proven(), approvals.place) == ({}, ValidApprovals(), "/w")


def test_what_is_given_is_proven_with_everything_that_was_approved(approvals: Approvals) -> None:
    approvals.give([ONE, TWO])
    assert approvals.proven() == ValidApprovals({ONE.key: ONE, TWO.key: TWO})
    assert approvals.noted() == {ONE.key: ONE, TWO.key: TWO}


def test_a_new_approval_adds_to_the_others_and_replaces_its_own(approvals: Approvals) -> None:
    approvals.give([ONE])
    later = replace(ONE, digest="cc")
    approvals.give([TWO, later])
    assert approvals.proven().approvals == {ONE.key: later, TWO.key: TWO}


def test_what_is_taken_back_is_no_longer_approved(approvals: Approvals) -> None:
    approvals.give([ONE, TWO])
    approvals.take_back([ONE.key, "action:unknown"])
    assert approvals.proven() == ValidApprovals({TWO.key: TWO})
    approvals.take_back([TWO.key])
    assert approvals.proven() == ValidApprovals()
