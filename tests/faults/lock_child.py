"""Tries a lock on request, prints the result, and keeps it until its standard input ends."""

import json
import sys
import time
from datetime import UTC, datetime
from pathlib import Path

from core.adapters.lock import FileLock
from core.model.holder import Holder, Purpose

print("ready", flush=True)
sys.stdin.readline()
before = time.monotonic()
held = FileLock(Path(sys.argv[1])).acquire(Purpose.BEAT, datetime.now(UTC))
seconds = time.monotonic() - before
print(
    json.dumps({"holder": held.pid if isinstance(held, Holder) else None, "seconds": seconds}),
    flush=True,
)
sys.stdin.read()
