"""The other processes of a workspace: `python -m core.child plan|beat|background WORKSPACE
[options]`.

They share only the ledger, the lock and the workspace with the resident. What they print
goes to a log.
"""

import gc
import signal
import sys
from collections.abc import Mapping
from datetime import datetime
from pathlib import Path

from core.model.errors import HeartbeatError
from core.model.holder import BUSY, Holder, Purpose
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest
from core.model.report import BeatReport
from core.services import Services

BROKEN = 70  # the exit code of a bug in the program


def main(words: list[str]) -> int:
    kind, root, *options = words
    given = dict(zip(options[::2], options[1::2], strict=False))
    # The process is short-lived: while it imports, the collector would find nothing to free.
    gc.set_threshold(100_000)

    try:
        services = Services(Path(root))
        cancelled = services.cancelled
        signal.signal(signal.SIGTERM, lambda *_: cancelled.set())
        # A Ctrl-C in the terminal of the resident is for that process.
        signal.signal(signal.SIGINT, signal.SIG_IGN)
        if services.is_away():
            raise HeartbeatError(
                f"{root} is not there, is empty or cannot be entered.",
                "Nothing runs until it is back.",
            )

        services.use()
        return CHILDREN[Purpose(kind)](services, given)
    except HeartbeatError as error:
        print(f"{error.message} {error.hint}", file=sys.stderr)
        return error.exit_code
    except Exception:
        import traceback  # imported here: it costs a tenth of a beat with nothing to do

        traceback.print_exc()
        return BROKEN


def request_of(given: Mapping[str, str]) -> BeatRequest:
    started = given.get("--resident-start")
    return BeatRequest(
        BeatReason(given.get("--reason", BeatReason.TIMER)),
        tuple(given.get("--items", "").split()),
        datetime.fromisoformat(started) if started else None,
    )


# Each of them imports what it needs: a plan needs nothing of what an action needs.


def run_beat(services: Services, given: Mapping[str, str]) -> int:
    from core.engine.beat import beat

    request = request_of(given)
    done = beat(services, request)
    if isinstance(done, BeatReport):
        for notice in done.notices:  # a desktop may show none of them
            print(f"{notice.title}: {notice.message}", file=sys.stderr)

        if request.reason is BeatReason.PERSON and not services.cancelled.is_set():
            answer_click(services, done)

    return BUSY if isinstance(done, Holder) else 0


def answer_click(services: Services, done: BeatReport) -> None:
    """Tell what came of it on the desktop where the person has clicked."""
    from core.model.announcements import Message
    from core.rules.announcing.answering import answer_to_click

    answer = answer_to_click(done)
    if answer:
        services.leave_to_tray(Message(answer))


def run_plan(services: Services, given: Mapping[str, str]) -> int:
    from core.engine.plan import plan_only

    return BUSY if isinstance(plan_only(services, request_of(given)), Holder) else 0


def run_in_background(services: Services, given: Mapping[str, str]) -> int:
    """Run a BG action. The lock that this process holds shows that it is alive."""
    from core.engine.background import run_in_background

    item = given["--items"]
    held = services.background.hold(item)
    if isinstance(held, Holder):
        return BUSY

    with held:
        run_in_background(services, item, datetime.fromisoformat(given["--slot"]))

    return 0


CHILDREN = {
    Purpose.PLAN: run_plan,
    Purpose.BEAT: run_beat,
    Purpose.BACKGROUND: run_in_background,
}


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
