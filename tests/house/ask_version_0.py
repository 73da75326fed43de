"""Asks this program about the sample of version 0: `ask_version_0.py COPY` prints what it says.

An approval covers the path of its workspace, and the copy is in a test's folder with another path.
So this process alone pretends that the copy has the path at which the sample was made; the seal,
the digests and the ledger are checked as they are.
"""

import io
import json
import sys
from contextlib import redirect_stdout, suppress
from datetime import UTC, datetime
from pathlib import Path

from core.adapters import folders
from core.adapters.clock import SystemClock
from tray_app.cli.main import main as command

PLACE = "/tmp/heartbeat-version-0"
MOMENT = datetime(2026, 11, 16, 10, 35, tzinfo=UTC)

COMMANDS = {
    "status": ["status"],
    "history": ["history", "--limit", "200"],
    "score": ["score"],
    "plan": ["plan"],
    "approve": ["approve"],
    "config": ["config"],
}


def main(copy: str) -> None:
    real = folders.name_on_disk
    folders.name_on_disk = lambda path: Path(str(real(path)).replace(copy, PLACE))
    setattr(SystemClock, "now", lambda _: MOMENT)  # noqa: B010 - mypy: a method is not assigned to

    said = {name: json.loads(answer(copy, *words)) for name, words in COMMANDS.items()}
    print(json.dumps(said).replace(copy, PLACE))


def answer(copy: str, *words: str) -> str:
    sys.argv = ["heartbeat", "-C", f"{copy}/workspace", *words, "--json"]
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(SystemExit):
        command()

    return printed.getvalue()


if __name__ == "__main__":
    main(sys.argv[1])
