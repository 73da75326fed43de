"""`approvals.json` in the workspace's state folder. Law: what its seal does not cover is not
approved.

The seal is an HMAC over the whole file. Each version has a higher number than the one before, and
the ledger knows the last number, so that an older copy cannot bring back what was revoked. A file
that cannot be trusted approves nothing; it is moved aside when the next approval is written.
"""

import json
from collections.abc import Callable, Collection, Mapping
from datetime import datetime
from pathlib import Path
from typing import Any

from core.adapters.files.atomic import write_private
from core.adapters.files.seal import NoKey, SealKeys
from core.adapters.folders import name_aside
from core.model.approval import (
    APPROVALS_FILE,
    Approval,
    ApprovalsTrouble,
    ApprovedBy,
    Script,
    SealFile,
    ValidApprovals,
)
from core.model.diagnostic import Problem
from core.model.errors import HeartbeatError
from core.model.light_dataclass import light_dataclass
from core.ports.ledger import Ledger

VERSION = 1
LARGEST = 64 << 20

ASK_AGAIN = "Nothing counts as approved until you review it again: heartbeat approve"


@light_dataclass(frozen=True, slots=True)
class _Record:
    """What the file holds, as written."""

    number: int
    in_keyring: bool
    approvals: Mapping[str, Approval]
    sealed: bytes  # all that the seal covers
    seal: str


@light_dataclass(frozen=True, slots=True)
class _Unusable:
    """Why a file that is there cannot be trusted."""

    cause: str
    reason: str


SEAL_BROKEN = _Unusable("seal_broken", "its seal is broken: it was changed from outside")
OLDER_COPY = _Unusable("older_copy", "it is an older copy")


class ApprovalsOnDisk:
    """The `Approvals` port."""

    def __init__(self, state: Path, place: str, keys: SealKeys, ledger: Ledger) -> None:
        self.place = place
        self._path = state / APPROVALS_FILE
        self._keys = keys
        self._ledger = ledger

    def noted(self) -> Mapping[str, Approval]:
        record = self._read()
        return record.approvals if isinstance(record, _Record) else {}

    def proven(self) -> ValidApprovals:
        record = self._read()
        if record is None:
            if self._ledger.approvals.number() == 0:
                return ValidApprovals()

            gone = f"The record of your approvals, {self._path}, is gone."
            return _none_counts(gone, "gone")

        if isinstance(record, _Unusable):
            return self._distrusted(record)

        key = self._keys.for_checking(record.in_keyring)
        if isinstance(key, NoKey):
            return _not_checked(key)

        if not _is_sealed_by(key, record):
            return self._distrusted(SEAL_BROKEN)
        if record.number < self._ledger.approvals.number():
            return self._distrusted(OLDER_COPY)

        return ValidApprovals(record.approvals)

    def seal_file(self) -> SealFile | None:
        return self._keys.seal_file()

    def give(self, approvals: Collection[Approval]) -> None:
        self._change(lambda known: {**known, **{one.key: one for one in approvals}})

    def take_back(self, keys: Collection[str]) -> None:
        self._change(lambda known: {key: one for key, one in known.items() if key not in keys})

    def _change(self, change: Callable[[Mapping[str, Approval]], Mapping[str, Approval]]) -> None:
        trouble = self.proven().trouble
        if trouble and trouble.is_locked:
            raise HeartbeatError(trouble.problem.message, trouble.problem.hint)

        key, in_keyring = self._keys.for_sealing()  # before the ledger is locked: it may take long
        with self._ledger.together():  # so that two processes change it one after the other
            given = self.proven()
            record = self._read()
            last = record.number if isinstance(record, _Record) else 0
            number = max(self._ledger.approvals.number(), last) + 1
            content = _file(number, in_keyring, change(given.approvals), key)

            try:
                if given.trouble and record is not None:
                    self._set_aside()

                write_private(self._path, content)
            except OSError as error:
                raise HeartbeatError(
                    f"{self._path} could not be written: {error.strerror}.",
                    "Check the free space on that disk and who owns the folder.",
                ) from error

            self._ledger.approvals.set_number(number)

    def _read(self) -> _Record | _Unusable | None:
        """Return what the file holds, or why it cannot be used, or None without a file."""
        try:
            if not self._path.is_file():
                return None

            with open(self._path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            return _Unusable("unreadable", f"it cannot be read: {error.strerror}")

        if len(data) > LARGEST:
            return _Unusable("too_large", "it is too large")

        try:
            return _record(json.loads(data))
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return _Unusable("damaged", "it is damaged")

    def _distrusted(self, found: _Unusable) -> ValidApprovals:
        words = f"The record of your approvals, {self._path}, is not trusted: {found.reason}."
        return _none_counts(words, found.cause)

    def _set_aside(self) -> None:
        self._path.rename(name_aside(self._path, "not-trusted"))


def _none_counts(words: str, cause: str) -> ValidApprovals:
    return ValidApprovals(trouble=ApprovalsTrouble(Problem(words, ASK_AGAIN), (cause,)))


def _not_checked(key: NoKey) -> ValidApprovals:
    where = "cannot be checked here, and are not lost" if key.is_locked else "cannot be checked"
    words = f"Your approvals {where}: {key.reason}"
    cause = "locked" if key.is_locked else "no_key"
    return ValidApprovals(
        trouble=ApprovalsTrouble(Problem(words, key.hint or ASK_AGAIN), (cause,), key.is_locked)
    )


def _file(number: int, in_keyring: bool, approvals: Mapping[str, Approval], key: bytes) -> bytes:
    body = {
        "version": VERSION,
        "number": number,
        "key": "keyring" if in_keyring else "file",
        "approved": {one.key: _entry(one) for one in approvals.values()},
    }
    return json.dumps({**body, "seal": _seal(key, _sealed(body))}, indent=1).encode()


def _entry(approval: Approval) -> dict[str, object]:
    return {
        "digest": approval.digest,
        "fields": approval.fields,
        "scripts": approval.scripts,
        "at": approval.at.isoformat(),
        "by": approval.by,
    }


def _record(found: Any) -> _Record:
    seal = found.pop("seal")
    if found["version"] != VERSION or not isinstance(seal, str):
        raise ValueError("not a version that this program writes")

    approvals = {key: _approval(key, entry) for key, entry in found["approved"].items()}
    return _Record(int(found["number"]), found["key"] == "keyring", approvals, _sealed(found), seal)


def _approval(key: str, entry: Any) -> Approval:
    return Approval(
        key=key,
        digest=str(entry["digest"]),
        fields=tuple((str(name), str(value)) for name, value in entry["fields"]),
        scripts=tuple(Script(str(name), str(digest)) for name, digest in entry["scripts"]),
        at=datetime.fromisoformat(entry["at"]),
        by=ApprovedBy(entry["by"]),
    )


def _sealed(body: Mapping[str, object]) -> bytes:
    return json.dumps(body, sort_keys=True, separators=(",", ":")).encode()


def _seal(key: bytes, sealed: bytes) -> str:
    from core.rules.approving.seal import seal_of  # imported here: few beats have anything to run

    return seal_of(key, sealed)


def _is_sealed_by(key: bytes, record: "_Record") -> bool:
    from core.rules.approving.seal import is_same_seal

    return is_same_seal(_seal(key, record.sealed), record.seal)
