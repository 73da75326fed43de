"""What the fault tests share."""

import os
import secrets
from collections.abc import Iterator
from contextlib import suppress
from signal import SIGKILL

import pytest

from tests.faults.survivors import survivors


@pytest.fixture
def token() -> Iterator[str]:
    """Something that only the commands of this test carry; a process that still has it afterwards
    is ended."""
    made = str(secrets.randbelow(10**12) + 10**12)
    yield made
    for pid in survivors(made):
        with suppress(ProcessLookupError):  # it has ended since
            os.kill(pid, SIGKILL)
        with suppress(ChildProcessError):
            os.waitpid(pid, 0)
