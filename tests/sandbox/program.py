"""A program that runs one command, inside or bare, and prints what it printed: `program HOW
WORKSPACE STAGES LINE`."""

import sys
import time
from datetime import timedelta
from pathlib import Path

from core.adapters.processes.posix import SystemProcesses
from core.adapters.sandbox.bubblewrap import BubblewrapSandbox
from core.model.process import Command
from core.model.sandbox import Reach


def main(how: str, workspace: Path, stages: Path, line: str) -> None:
    processes = SystemProcesses(time.monotonic)
    command = Command(line, workspace, timedelta(seconds=60))
    if how == "bare":
        print(processes.run(command).output)
    else:
        print(BubblewrapSandbox(processes, stages).run(command, Reach(workspace)).ending.output)


if __name__ == "__main__":
    main(sys.argv[1], Path(sys.argv[2]), Path(sys.argv[3]), sys.argv[4])
