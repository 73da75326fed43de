"""What the commands of a killed beat left is found, even if no process reaps the beat itself."""

import signal
import subprocess
import sys
import time
from pathlib import Path

from core.adapters.processes.tree import MARK, end_left_by, left_by
from tests.e2e.machine import alive, wait_for

OWNER = f"""
import os, subprocess, time
child = subprocess.Popen(["sleep", "300"], env={{**os.environ, "{MARK}": f"{{os.getpid()}}-1"}}, start_new_session=True)
print(child.pid, flush=True)
time.sleep(300)
"""


def state_of(pid: int) -> str:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0]


def test_a_dead_owner_that_nobody_has_reaped_no_longer_answers_for_its_commands() -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER], stdout=subprocess.PIPE, text=True)
    with owner:
        assert owner.stdout
        command = int(owner.stdout.readline())
        assert left_by(owner.pid) == []  # it lives, and answers for it
        owner.send_signal(signal.SIGKILL)
        wait_for(lambda: state_of(owner.pid) == "Z", "the owner's end")
        assert left_by(owner.pid) == [command]
        end_left_by(owner.pid, 3, 2, time.monotonic)
        wait_for(lambda: not alive(command), "the command that was left")
