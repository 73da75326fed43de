"""Asks this program about the sample of version 0: `ask_version_0.py COPY` prints what it says, and
`ask_version_0.py COPY beat` what a beat of the timer does.

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
from core.engine.beat import beat
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest
from core.model.report import BeatReport
from core.services import Services
from tests.fakes.processes import FakeBackground
from tests.fakes.services import changed
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


def main(copy: str, *words: str) -> None:
    real = folders.name_on_disk
    folders.name_on_disk = lambda path: Path(str(real(path)).replace(copy, PLACE))
    setattr(SystemClock, "now", lambda _: MOMENT)  # noqa: B010 - mypy: a method is not assigned to

    said: object
    if words == ("beat",):
        said = one_beat(copy)
    else:
        said = {name: json.loads(answer(copy, *words)) for name, words in COMMANDS.items()}
    print(json.dumps(said).replace(copy, PLACE))


def one_beat(copy: str) -> dict[str, list[str]]:
    """What it starts, and what it has to say. The background action still runs, as it did when
    the sample was made."""
    background = FakeBackground({"action:index"})
    services = changed(Services(Path(copy) / "workspace"), background=background)
    report = beat(services, BeatRequest(BeatReason.TIMER))
    assert isinstance(report, BeatReport)
    return {
        "listed": [item.id for item in report.items],
        "started": [item.id for item in report.items if item.duration is not None],
        "in_the_background": [one.item for one in background.started],
        "notices": [notice.title for notice in report.notices],
    }


def answer(copy: str, *words: str) -> str:
    sys.argv = ["heartbeat", "-C", f"{copy}/workspace", *words, "--json"]
    printed = io.StringIO()
    with redirect_stdout(printed), suppress(SystemExit):
        command()

    return printed.getvalue()


if __name__ == "__main__":
    main(*sys.argv[1:])
