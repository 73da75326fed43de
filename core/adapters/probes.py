"""Tries out for `heartbeat doctor` what the program stands on: each probe does the real thing and leaves nothing."""

import os
import shlex
import shutil
import sys
import tempfile
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path

from core.adapters.folders import make_private
from core.adapters.lock import FileLock
from core.adapters.secret_store import KeyringSecrets
from core.model.diagnosis import Diagnosis, Health
from core.model.errors import HeartbeatError
from core.model.holder import Holder
from core.model.memory import PlanNote

LEAST_ROOM = 100 * 1024 * 1024  # bytes
FEW_WATCHES = 1024
MOST_BACK = timedelta(hours=3)  # a clock set back by more is news (SPEC 4)
PROBE = "doctor-probe"
MARK = "heartbeat-doctor"


def keyring() -> Diagnosis:
    """Write, read, delete."""
    secrets = KeyringSecrets()
    try:
        secrets.set(PROBE, MARK)
        is_back = secrets.get(PROBE) == MARK
        secrets.delete(PROBE)
    except HeartbeatError as error:
        return Diagnosis("keyring", Health.PROBLEM, error.message, keyring_mend(error.message))
    if not is_back:
        return Diagnosis("keyring", Health.PROBLEM, "The keyring gave back something else.", keyring_mend(""))
    return Diagnosis("keyring", Health.WORKS, "A secret was stored, read and deleted.")


def keyring_mend(words: str) -> str:
    if sys.platform == "linux" and "no keyring" in words:
        return "sudo apt-get install gnome-keyring  (then log in again)"
    return "Log in to the desktop, or unlock the keyring."


def workspace(root: Path, file: Path) -> Diagnosis:
    if os.access(file, os.R_OK):
        return Diagnosis("workspace", Health.WORKS, f"{file} is there.")
    words = f"{file} cannot be read." if file.exists() else f"There is no {file.name} in {root}."
    return Diagnosis("workspace", Health.PROBLEM, words, _quoted("heartbeat init", root))


def disk(folders: list[Path]) -> Diagnosis:
    """Each is written to; the room is that of the last one."""
    for folder in folders:
        try:
            with tempfile.NamedTemporaryFile(dir=folder, prefix=f".{MARK}-") as file:
                file.write(MARK.encode())
                file.flush()
                os.fsync(file.fileno())
            free = shutil.disk_usage(folder).free
        except OSError as error:
            mend = f"ls -ld {shlex.quote(str(folder))}"
            return Diagnosis("disk", Health.PROBLEM, f"{folder} cannot be written: {error.strerror}.", mend)
        if free < LEAST_ROOM:
            mend = f"df -h {shlex.quote(str(folder))}"
            words = f"The disk of {folder} has only {free // 1024 // 1024} MiB left."
            return Diagnosis("disk", Health.PROBLEM, words, mend)
    return Diagnosis("disk", Health.WORKS, f"Written and flushed; {free // 1024 // 1024 // 1024} GiB are free.")


def lock(state: Path, now: datetime) -> Diagnosis:
    """A lock taken twice, in a place of its own: on some network disks both would get it."""
    try:
        make_private(state)
        with tempfile.TemporaryDirectory(dir=state, prefix=f".{MARK}-") as folder:
            one, other = FileLock(Path(folder) / "lock"), FileLock(Path(folder) / "lock")
            first = one.acquire("doctor", now)
            second = other.acquire("doctor", now)
            is_sound = not isinstance(first, Holder) and isinstance(second, Holder)
            for held in (first, second):
                if not isinstance(held, Holder):
                    held.release()
    except (HeartbeatError, OSError) as error:
        return Diagnosis("lock", Health.PROBLEM, f"{error}", f"ls -ld {shlex.quote(str(state))}")
    if not is_sound:
        words = f"Two holders got the same lock in {state}: this disk cannot lock files."
        return Diagnosis("lock", Health.PROBLEM, words, "export HEARTBEAT_STATE_DIR=~/.local/state/heartbeat-local")
    return Diagnosis("lock", Health.WORKS, "A lock was taken once, and refused the second time.")


def watching(workspace: Path, state: Path) -> Diagnosis:
    """Whether the system tells about changes."""
    if sys.platform != "linux":
        return Diagnosis("watching", Health.WORKS, "This system tells about changed files.")
    from core.adapters.inotify import Inotify

    more = "sudo sysctl fs.inotify.max_user_watches=65536 fs.inotify.max_user_instances=512"
    events = Inotify()
    try:
        with tempfile.TemporaryDirectory(dir=make_private(state), prefix=f".{MARK}-") as folder:
            events.watch(workspace)
            events.watch(Path(folder))
            (Path(folder) / "changed").touch()
            heard = events.wait(2.0)
    except (HeartbeatError, OSError) as error:
        return Diagnosis("watching", Health.PROBLEM, f"The workspace cannot be watched: {error}", more)
    finally:
        events.close()
    if not heard:
        return Diagnosis("watching", Health.PROBLEM, "A changed file was not told about.", more)
    most = int(Path("/proc/sys/fs/inotify/max_user_watches").read_text())
    if most < FEW_WATCHES:
        return Diagnosis("watching", Health.PROBLEM, f"Only {most} folders can be watched in all.", more)
    return Diagnosis("watching", Health.WORKS, f"A change was seen; up to {most} folders can be watched.")


def clock(now: datetime, note: PlanNote | None) -> Diagnosis:
    """`now` in the person's zone. The last plan cannot lie in the future."""
    if note and note.made - now > MOST_BACK:
        words = f"The clock says {now:%Y-%m-%d %H:%M}, but the last plan was made at {note.made:%Y-%m-%d %H:%M} UTC."
        return Diagnosis("clock", Health.PROBLEM, words, "sudo timedatectl set-ntp true")
    return Diagnosis("clock", Health.WORKS, f"It is {now:%Y-%m-%d %H:%M}, {now.tzinfo} (UTC{now:%z}).")


def permissions(private: list[Path], files: list[Path]) -> Diagnosis:
    """What is private is only its owner's; what decides what runs can be changed by nobody else."""
    if not hasattr(os, "getuid"):
        return Diagnosis("permissions", Health.WORKS, "This system keeps a person's files from others by itself.")
    for path in (*private, *files):
        try:
            found = path.stat()
        except FileNotFoundError:
            continue
        except OSError as error:
            return Diagnosis("permissions", Health.PROBLEM, f"{path}: {error.strerror}.", _quoted("ls -ld", path))
        if found.st_uid not in (os.getuid(), 0):
            return Diagnosis("permissions", Health.PROBLEM, f"{path} is somebody else's.", _quoted("ls -ld", path))
        if path in private and found.st_mode & 0o077:
            return Diagnosis("permissions", Health.PROBLEM, f"Others can read {path}.", _quoted("chmod go=", path))
        if found.st_mode & 0o002:
            return Diagnosis("permissions", Health.PROBLEM, f"Anybody can change {path}.", _quoted("chmod o-w", path))
    return Diagnosis("permissions", Health.WORKS, "What is private is private.")


def _quoted(command: str, path: Path) -> str:
    return f"{command} {shlex.quote(str(path))}"


def surely(name: str, probe: Callable[[], Diagnosis]) -> Diagnosis:
    """A probe that goes wrong in a way nobody thought of is a finding too, and does not hide the others."""
    try:
        return probe()
    except Exception as error:
        words = error.message if isinstance(error, HeartbeatError) else f"It could not be tried: {error!r}."
        mend = error.hint if isinstance(error, HeartbeatError) else "heartbeat -v -v doctor"
        return Diagnosis(name, Health.PROBLEM, words, mend)
