"""One write of the file in the folder given; its ending is the only thing that it prints. Run
under strace."""

import os
import sys
from datetime import UTC, datetime, timedelta
from pathlib import Path

from core.adapters.files.read import read
from core.adapters.files.save import SharedFile
from core.model.workspace_file import Failed, Snapshot

folder = Path(sys.argv[1])
file = SharedFile(
    folder / "workspace" / "HEARTBEAT.md",
    folder / "workspace",
    folder / "state",
    lambda seconds: None,
)
later = datetime.now(UTC) + timedelta(hours=1)
base = read(folder / "workspace" / "HEARTBEAT.md", folder / "workspace")
assert isinstance(base, Snapshot)
ending = file.write(base, lambda data: data.replace(b"PENDING", b"COMPLETED"), later)
words = [
    type(ending).__name__,
    *([ending.reason, ending.hint] if isinstance(ending, Failed) else []),
]
os.write(1, "\n".join(words).encode())
