"""`.heartbeat/owner.json` names the one machine that runs the workspace. Law: a machine becomes the
owner only by writing this file.

A sync client copies the file to the other machines. It is read again before every beat, so that
this machine stops when another one takes over. Copies that a sync conflict leaves next to it are
never read.
"""

import json
import os
import platform
from datetime import datetime
from pathlib import Path

from core.adapters.files.atomic import create_atomically, unique_name, write_atomically
from core.adapters.files.read import read
from core.model.errors import HeartbeatError
from core.model.holder import OWNER_FILE, Machine, Owner
from core.model.workspace_file import Missing, Refusal, Snapshot

UNNAMED = "another machine"  # one whose record has an empty name


def this_machine(state_root: Path) -> Machine:
    """This machine's id, which is made once and kept in the state folder."""
    state_root.mkdir(parents=True, exist_ok=True)
    path = state_root / "machine-id"
    if not path.exists():
        create_atomically(path, os.urandom(16).hex().encode())

    return Machine(path.read_text(encoding="utf-8").strip(), platform.node() or "this machine")


class OwnerFileOnDisk:
    """The `OwnerFile` port."""

    def __init__(self, workspace: Path, machine: Machine) -> None:
        self._workspace = workspace
        self._path = workspace / OWNER_FILE
        self._machine = machine

    def read(self) -> Owner | None:
        match read(self._path, self._workspace):
            case Snapshot(data=data):
                return _parse(data)
            case Missing():
                return None
            case Refusal() as refusal:
                raise HeartbeatError(
                    f"Who runs this workspace cannot be read: {refusal.message}", refusal.hint
                )

    def claim(self, now: datetime) -> Owner:
        if owner := self.read():
            return owner

        self._write(now, replacing=self._path.exists())  # a file that exists names no machine
        return self.read() or Owner(self._machine, now)

    def take_over(self, now: datetime) -> Owner:
        self._write(now, replacing=True)
        return Owner(self._machine, now)

    def _write(self, now: datetime, replacing: bool) -> None:
        record = {"machine": self._machine.id, "name": self._machine.name, "since": now.isoformat()}
        content = json.dumps(record, indent=2, ensure_ascii=False).encode() + b"\n"
        folder = self._path.parent
        if folder.is_symlink():
            raise HeartbeatError(
                f"{folder} is a link; the program's notes are kept in a real folder.", "Remove it."
            )

        try:
            folder.mkdir(exist_ok=True)
            if replacing:
                write_atomically(self._path, content, unique_name(self._path))
            else:
                create_atomically(self._path, content)
        except OSError as error:
            raise HeartbeatError(
                f"{self._path} cannot be written: {error.strerror}.",
                "It names the machine that runs this workspace.",
            ) from error


def _parse(data: bytes) -> Owner | None:
    """The owner that the file names; None if it does not name a machine."""
    try:
        record = json.loads(data)
        since = datetime.fromisoformat(record["since"])
        if since.tzinfo and isinstance(record["machine"], str) and isinstance(record["name"], str):
            return Owner(Machine(record["machine"], record["name"] or UNNAMED), since)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None

    return None
