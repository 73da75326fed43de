"""A program that becomes the given user and runs a command in the sandbox, without and with a
network.

Everything is imported before: an ordinary user may not be allowed into the folder of this
Python.
"""

import os
import shutil
import sys
import tempfile
import time
from datetime import timedelta
from pathlib import Path

import core.adapters.sandbox.egress.proxy  # noqa: F401 - it is imported where it is needed
from core.adapters.processes.posix import SystemProcesses
from core.adapters.sandbox import own_network
from core.adapters.sandbox.bubblewrap import BubblewrapSandbox
from core.model.process import Command
from core.model.sandbox import Reach

LINE = (
    "echo x > new; echo x > sub/x; echo evil > HEARTBEAT.md; curl -s -m 5 http://evil.test/ > "
    "/dev/null; exit 0"
)


def main(user: int) -> None:
    with tempfile.TemporaryDirectory() as folder:
        helper = shutil.copy(own_network.__file__, folder)
        if user != os.geteuid():
            Path(folder).chmod(0o755)
            os.chown(folder, user, user)
            os.setgroups([])
            os.setgid(user)
            os.setuid(user)
            sys.executable, own_network.__file__ = "/usr/bin/python3", helper
        os.chdir(folder)
        workspace = Path(folder, "workspace")
        (workspace / "sub").mkdir(parents=True)
        sandbox = BubblewrapSandbox(SystemProcesses(time.monotonic), Path(folder, "stages"))
        for domains in ((), ("allowed.test",)):
            done = sandbox.run(
                Command(LINE, workspace, timedelta(seconds=60)), Reach(workspace, domains=domains)
            )
            assert done.ending.exit_code == 0, done
            made = sorted(path.name for path in workspace.iterdir())
            print(
                f"uid={os.geteuid()} refused={done.refused_hosts} kept_out={done.kept_out} "
                f"made={made}"
            )


if __name__ == "__main__":
    main(int(sys.argv[1]))
