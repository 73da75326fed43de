"""What every test may rely on."""

import ctypes
import sys
from collections.abc import Iterator

import pytest

from core.adapters.process_tree import PR_SET_CHILD_SUBREAPER


@pytest.fixture(autouse=True)
def orphans_go_to_init_again() -> Iterator[None]:
    """A test that ran a command made this process adopt orphans; the next test must not find strangers among its
    children."""
    yield
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_CHILD_SUBREAPER, 0, 0, 0, 0)
