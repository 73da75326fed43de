"""`.heartbeat/workspace.json` says which workspace a folder is, wherever the folder is moved to.

Law: a state folder belongs to one workspace at one path. It goes to another path only with the
workspace itself: the folder there has its identity, the folder at the old path is gone, and no
process uses it. Where it is not the same folder, renamed, but one with the same content, looking at
it moves nothing: its state is read where it is until the folder is used. An identity proves nothing
more: what was approved is bound to the path, and waits.

The state folder has a record of the same name: the identity, and the path that the state is for.
Where the two files differ, the path decides: a folder keeps the state that it has.
"""

import json
import os
from contextlib import suppress
from pathlib import Path
from typing import Any

from core.adapters.files.atomic import (
    flush_folder,
    write_atomically,
    write_private,
)
from core.adapters.files.places import Place, is_gone, place_of, read_place
from core.adapters.files.read import is_away, read
from core.adapters.folders import state_folder_of
from core.model.errors import HeartbeatError
from core.model.light_dataclass import light_dataclass, replace
from core.model.workspace_file import Missing, Refusal, Snapshot

IDENTITY_FILE = ".heartbeat/workspace.json"  # in the workspace
RECORD = "workspace.json"  # in its state folder
LENGTH = 32  # of an identity: hexadecimal digits
LOCKS = ("resident.lock", "lock", "model.lock", "background/*.lock")


@light_dataclass(frozen=True, slots=True)
class _Record:
    """Whose state it is."""

    identity: str
    path: str
    moved_from: str | None = None
    is_told: bool = False  # the person has read that it was moved
    # What the workspace's own file says, where that is another workspace's and cannot be changed.
    copy_of: str | None = None
    place: Place | None = None  # of the workspace, when it was used last
    history_at: str | None = None  # which folder has the history that this one had or was copied of

    def is_named(self, identity: str) -> bool:
        return identity in (self.identity, self.copy_of)

    def is_of(self, here: Path) -> bool:
        """Whether the folder at this path is the workspace itself, renamed."""
        place = place_of(here)
        return place is not None and place.is_of_same_folder(self.place, here)


@light_dataclass(frozen=True, slots=True)
class _Unknown:
    """The file is there, and cannot be read now."""


def state_folder_of_workspace(here: Path, *, is_used: bool = False) -> Path:
    """The state folder of the workspace at this path, which is spelt as on the disk. The one that
    it had before the folder was moved is renamed; HeartbeatError while a process still uses it. A
    folder that may be a copy gets it only if it is used."""
    own = state_folder_of(here)
    identity = _identity_of(here)
    if not isinstance(identity, str):
        return own

    record = _read_record(own)
    if record is None and own.exists():
        return own

    if record is None or not record.is_named(identity):
        left = _left_behind(identity, own, here)
        if left and not (is_used or _is_state_of(left, here)):
            return left

        if left:
            _adopt(left, own)
            record = _read_record(own)

    # Also where a crash came between the two steps of an adoption.
    if record is not None and record.identity == identity and record.path != str(here):
        moved = replace(record, path=str(here), moved_from=record.path, is_told=False)
        with suppress(OSError):  # the next use writes it
            _write_record(own, moved)

    return own


class IdentityOnDisk:
    """The `WorkspaceIdentity` port."""

    def __init__(self, here: Path, state: Path) -> None:
        self._here = here  # as the disk spells it
        self._state = state

    def note(self) -> None:
        found = _identity_of(self._here)
        record = _read_record(self._state)
        if isinstance(found, _Unknown) or self.comes_along():
            return
        if is_away(self._here):  # what is left of a disk that is not mounted must stay empty
            return

        is_known = record and found and record.is_named(found)
        decided = record if record and is_known else self._decided(found, record)
        noted = replace(decided, place=place_of(self._here))
        if noted != record:
            with suppress(OSError):  # a disk that refuses the record says so where it matters
                _write_record(self._state, noted)

    def moved_from(self) -> str | None:
        record = _read_record(self._state)
        return record.moved_from if record else None

    def untold_move(self) -> str | None:
        record = _read_record(self._state)
        return record.moved_from if record and not record.is_told else None

    def tell_move(self) -> None:
        record = _read_record(self._state)
        if record and not record.is_told:
            with suppress(OSError):  # it is told once more
                _write_record(self._state, replace(record, is_told=True))

    def comes_along(self) -> str | None:
        if self._state == state_folder_of(self._here):
            return None

        record = _read_record(self._state)
        return record.path if record else None

    def history_at(self) -> str | None:
        record = _read_record(self._state)
        if record or self._state.exists():
            return record.history_at if record else None

        found = _identity_of(self._here)
        home = _home_of(found, self._state, self._here) if isinstance(found, str) else None
        return _with_history_of(home, self._here)

    def tell_history(self) -> None:
        record = _read_record(self._state)
        if record and record.history_at:
            with suppress(OSError):  # it is told once more
                _write_record(self._state, replace(record, history_at=None))

    def _decided(self, found: str | None, record: _Record | None) -> _Record:
        """The record as it has to be, after the workspace's file was written where it says another
        thing."""
        here = str(self._here)
        known = record or _Record(_new_identity(), here)
        if found is None:
            _write_identity(self._here, known.identity)
            written = _identity_of(self._here)  # another process may have been first
            return replace(known, identity=written if isinstance(written, str) else known.identity)

        home = _home_of(found, self._state, self._here)
        if home is None:  # the same workspace on another machine, or a state that was lost
            return replace(known, identity=found, path=here)

        # It is a copy, or the same folder under a second path, which must not be changed.
        is_same = _is_same_folder(home.path, here)
        is_written = not is_same and _write_identity(self._here, known.identity)
        return replace(
            known,
            path=here,
            copy_of=None if is_written else found,
            history_at=_with_history_of(home, self._here),
        )


def _adopt(left: Path, own: Path) -> None:
    """Take over the state that was left behind."""
    _refuse_if_used(left)
    try:
        if own.exists():  # of another workspace, which was moved away from this path
            _refuse_if_used(own)
            own.rename(own.with_name(f"{own.name}-{os.urandom(4).hex()}"))

        left.rename(own)
    except FileNotFoundError:  # another process was first
        return
    except OSError as error:
        raise HeartbeatError(
            f"The state of this workspace, {left}, could not be renamed: {error.strerror}.",
            "This folder was moved, and its history goes on in a folder of the new name. Check who "
            "owns that folder, and end what still uses it.",
        ) from error

    flush_folder(own.parent)


def _is_state_of(left: Path, here: Path) -> bool:
    """Whether it is the state of this very folder, under another name, and not of another one with
    the same content."""
    record = _read_record(left)
    return record is not None and record.is_of(here)


def _left_behind(identity: str, own: Path, here: Path) -> Path | None:
    """The state folder of this identity, if no folder is where it says; None for a copy."""
    states = _states_of(identity, own)
    if any(_may_be_home(record, here) for record in states.values()):
        return None

    return next(iter(states), None)


def _home_of(identity: str, own: Path, here: Path) -> _Record | None:
    """The other workspace with this identity, if it is still there or may come back."""
    states = _states_of(identity, own).values()
    return next((record for record in states if _may_be_home(record, here)), None)


def _with_history_of(home: _Record | None, here: Path) -> str | None:
    """Where the history is, unless the folder here is a copy of one that is there."""
    if home is None:
        return None

    was_here = home.moved_from == str(here)
    return home.path if was_here or _identity_of(Path(home.path)) is None else None


def _states_of(identity: str, own: Path) -> dict[Path, _Record]:
    """The other state folders of this identity."""
    folders = (path.parent for path in sorted(own.parent.glob(f"*/{RECORD}")))
    records = {folder: _read_record(folder) for folder in folders if folder != own}
    return {
        folder: record for folder, record in records.items() if record and record.is_named(identity)
    }


def _may_be_home(record: _Record, here: Path) -> bool:
    """Whether the workspace is at its path. Where that cannot be known, or its disk is not mounted,
    it counts as there: its state is not given away."""
    path = Path(record.path)
    found = _identity_of(path)
    if isinstance(found, _Unknown):
        return True
    if found is not None:
        return record.is_named(found)

    return not (record.is_of(here) or is_gone(path, record.place))


def _is_same_folder(one: str, other: str) -> bool:
    try:
        return Path(one).samefile(other)
    except OSError:
        return False


def _refuse_if_used(state: Path) -> None:
    from core.adapters.lock import FileLock  # imported here: few workspaces are ever moved

    for path in (path for pattern in LOCKS for path in state.glob(pattern)):
        holder = FileLock(path).holder()
        if holder:
            record = _read_record(state)
            place = record.path if record else str(state)
            raise HeartbeatError(
                f"This folder was moved from {place}, and Heartbeat still runs for that path "
                f"(pid {holder.pid}).",
                "Quit it (the tray's Quit, or Ctrl-C where it was started). Then history and score "
                "go on here.",
            )


def _identity_of(workspace: Path) -> str | _Unknown | None:
    """What the workspace's file says; None without a file, or if it names no identity."""
    match read(workspace / IDENTITY_FILE, workspace):
        case Snapshot(data=data):
            return _parsed_identity(data)
        case Missing():
            return None
        case Refusal():
            return _Unknown()


def _parsed_identity(data: bytes) -> str | None:
    try:
        return _checked(json.loads(data)["identity"])
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _checked(identity: Any) -> str:
    if not isinstance(identity, str) or len(identity) != LENGTH:
        raise ValueError("not an identity")

    bytes.fromhex(identity)
    return identity


def _write_identity(workspace: Path, identity: str) -> bool:
    """Whether it could be written: a workspace may be read-only, or its folder a link."""
    path = workspace / IDENTITY_FILE
    content = json.dumps({"identity": identity}, indent=2).encode() + b"\n"
    try:
        if path.parent.is_symlink():
            return False

        path.parent.mkdir(exist_ok=True)
        write_atomically(path, content)
    except OSError:
        return False

    return True


def _new_identity() -> str:
    return os.urandom(LENGTH // 2).hex()


def _read_record(state: Path) -> _Record | None:
    """None without a record; a damaged one is written again."""
    try:
        found = json.loads((state / RECORD).read_bytes())
        return _Record(
            _checked(found["identity"]),
            str(found["path"]),
            found.get("moved_from"),
            bool(found.get("told")),
            found.get("copy_of"),
            read_place(found.get("place")),
            found.get("history_at"),
        )
    except (OSError, ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _write_record(state: Path, record: _Record) -> None:
    place = record.place
    content = {
        "identity": record.identity,
        "path": record.path,
        "moved_from": record.moved_from,
        "told": record.is_told,
        "copy_of": record.copy_of,
        "place": [place.device, place.inode, place.mount] if place else None,
        "history_at": record.history_at,
    }
    write_private(state / RECORD, json.dumps(content, indent=1).encode())
