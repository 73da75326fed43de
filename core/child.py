"""The other processes of a workspace: `python -m core.child plan|beat|background WORKSPACE [options]`.

They share nothing with it but the ledger, the lock and the workspace. What they print goes to a log.
"""

import gc
import signal
import sys
from datetime import datetime
from pathlib import Path

from core import bootstrap
from core.model.errors import HeartbeatError
from core.model.holder import Holder
from core.model.occurrence import BeatReason
from core.model.plan import Wish
from core.model.report import BeatReport

BUSY = 3


def main(words: list[str]) -> int:
    kind, root, *options = words
    given = dict(zip(options[::2], options[1::2], strict=False))
    started = given.get("--resident-start")
    wish = Wish(
        BeatReason(given.get("--reason", BeatReason.TIMER)),
        tuple(given.get("--items", "").split()),
        datetime.fromisoformat(started) if started else None,
    )
    gc.set_threshold(100_000)  # a short life: while it imports, the collector would only find what is in use
    try:
        world = bootstrap.open_world(Path(root))
        signal.signal(signal.SIGTERM, lambda *_: world.cancel())
        signal.signal(signal.SIGINT, signal.SIG_IGN)  # a Ctrl-C in the terminal of the resident is the resident's
        if kind == "background":
            return bootstrap.run_in_background(world, wish.items[0], datetime.fromisoformat(given["--slot"]))
        done = bootstrap.beat(world, wish) if kind == "beat" else bootstrap.plan_only(world, wish)
    except HeartbeatError as error:
        print(f"{error.message} {error.hint}", file=sys.stderr)
        return error.exit_code
    except Exception:
        import traceback  # here: it costs as much as a tenth of a beat that has nothing to do

        traceback.print_exc()
        return 70
    if isinstance(done, BeatReport):
        for notice in done.notices:  # a desktop may show none of them
            print(f"{notice.title}: {notice.message}", file=sys.stderr)
    return BUSY if isinstance(done, Holder) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
