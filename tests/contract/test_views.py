"""What core.ports.Views promises, asked of the files and of the fake."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.adapters.files.views import ViewsOnDisk
from core.adapters.ledger import SqliteLedger
from core.model.progress import Progress, TaskProgress, TaskStatus
from core.ports.files import Views
from tests.fakes.files import FakeViews

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)


@pytest.fixture(params=["disk", "fake"])
def views(request: pytest.FixtureRequest, tmp_path: Path) -> Views:
    (tmp_path / "workspace").mkdir()
    if request.param == "disk":
        return ViewsOnDisk(tmp_path / "workspace", tmp_path / "state")
    return FakeViews()


def progress(status: TaskStatus) -> Progress:
    return Progress(NOW, 3, (TaskProgress("backup", status, 1, NOW, "12 files"),))


def test_before_the_first_time_nothing_is_shown(views: Views) -> None:
    assert views.saved_progress() is None


def test_the_progress_of_a_ledger_that_was_lost_comes_back_from_them(views: Views) -> None:
    ledger = SqliteLedger()
    ledger.tasks.save(progress(TaskStatus.FAILED))
    views.show(ledger, NOW)
    ledger.close()
    assert views.saved_progress() == progress(TaskStatus.FAILED)


def test_they_show_what_the_ledger_says_now(views: Views) -> None:
    ledger = SqliteLedger()
    for status in (TaskStatus.FAILED, TaskStatus.VERIFIED):
        ledger.tasks.save(progress(status))
        views.show(ledger, NOW)
        views.show(ledger, NOW)
    assert views.saved_progress() == progress(TaskStatus.VERIFIED)


def test_showing_changes_nothing_in_the_ledger(views: Views) -> None:
    ledger = SqliteLedger()
    ledger.tasks.save(progress(TaskStatus.FAILED))
    before = [*ledger.database._connected().iterdump()]
    views.show(ledger, NOW)
    assert [*ledger.database._connected().iterdump()] == before
