"""What every test may rely on."""

import ctypes
import sys
from collections.abc import Iterator

import pytest
from hypothesis import HealthCheck, settings

from core.adapters.processes.tree import PR_SET_CHILD_SUBREAPER

# A busy machine makes no test fail: what is slow is seen in the benchmarks.
settings.register_profile("heartbeat", deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile("heartbeat")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Start the slow tests first, so that none of them runs alone at the end."""
    items.sort(key=lambda item: item.get_closest_marker("slow") is None)


@pytest.fixture(autouse=True)
def orphans_go_to_init_again() -> Iterator[None]:
    """A test that ran a command made this process adopt orphans; the next test must not find
    strangers among its children."""
    yield
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
