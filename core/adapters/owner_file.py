"""`.heartbeat/owner.json`: names the one machine that runs the workspace. Law: nobody becomes owner unnoticed.

A sync client carries the file to the other machines. It is read anew before every beat, so that a take-over on
another machine ends this one's turn; copies that a sync conflict leaves beside it are never read.
"""

import json
import os
import platform
from contextlib import suppress
from datetime import datetime
from pathlib import Path

from core.adapters.workspace_file import read
from core.model.errors import HeartbeatError
from core.model.owner import Machine, Owner
from core.model.workspace_file import Refusal, Snapshot


def this_machine(state_root: Path) -> Machine:
    """This machine's id, made at the first call and kept in its own state folder."""
    state_root.mkdir(parents=True, exist_ok=True)
    path = state_root / "machine-id"
    if not path.exists():
        _put(path, os.urandom(16).hex().encode(), replacing=False)
    return Machine(path.read_text(encoding="utf-8").strip(), platform.node() or "this machine")


class OwnerFileOnDisk:
    """The `OwnerFile` port."""

    def __init__(self, workspace: Path, machine: Machine) -> None:
        self._workspace = workspace
        self._path = workspace / ".heartbeat" / "owner.json"
        self._machine = machine

    def read(self) -> Owner | None:
        match read(self._path, self._workspace):
            case Snapshot(data=data):
                return _parse(data)
            case Refusal() as refusal:
                raise HeartbeatError(f"Who runs this workspace cannot be read: {refusal.message}", refusal.hint)
        return None

    def claim(self, now: datetime) -> Owner:
        if owner := self.read():
            return owner
        self._write(now, replacing=self._path.exists())  # what is there names nobody
        return self.read() or Owner(self._machine, now)

    def take_over(self, now: datetime) -> Owner:
        self._write(now, replacing=True)
        return Owner(self._machine, now)

    def _write(self, now: datetime, replacing: bool) -> None:
        record = {"machine": self._machine.id, "name": self._machine.name, "since": now.isoformat()}
        folder = self._path.parent
        if folder.is_symlink():
            raise HeartbeatError(f"{folder} is a link; the program's notes are kept in a real folder.", "Remove it.")
        try:
            folder.mkdir(exist_ok=True)
            _put(self._path, json.dumps(record, indent=2, ensure_ascii=False).encode() + b"\n", replacing)
        except OSError as error:
            raise HeartbeatError(
                f"{self._path} cannot be written: {error.strerror}.", "It names the machine that runs this workspace."
            ) from error


def _parse(data: bytes) -> Owner | None:
    """The owner that the file names; None for whatever else it holds: then it names nobody."""
    try:
        record = json.loads(data)
        since = datetime.fromisoformat(record["since"])
        if since.tzinfo and isinstance(record["machine"], str) and isinstance(record["name"], str):
            return Owner(Machine(record["machine"], record["name"]), since)
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
    return None


def _put(path: Path, data: bytes, replacing: bool) -> None:
    """Write a file whole or not at all; unless it replaces, one that is there stays."""
    temporary = path.with_name(f".{path.name}.heartbeat-{os.urandom(4).hex()}")
    try:
        with open(temporary, "xb") as file:
            file.write(data)
            file.flush()
            os.fsync(file.fileno())
        if not replacing:
            with suppress(OSError):  # also where a file system has no second names
                path.hardlink_to(temporary)
        if replacing or not path.exists():
            temporary.replace(path)
    finally:
        temporary.unlink(missing_ok=True)
