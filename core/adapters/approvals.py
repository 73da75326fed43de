"""`approvals.json` in the workspace's state folder. Law: what its seal does not cover was not approved.

The seal is an HMAC over all of it, and its number only grows: the ledger knows the last one, so that an older copy
does not bring back what was revoked. A file that cannot be trusted approves nothing; it is moved aside when the next
approval is written.
"""

import json
from collections.abc import Callable, Collection, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from core.adapters.approval_seal import NoKey, SealKeys
from core.adapters.private_file import write_private
from core.model.approval import Approval, ApprovedBy, Given, Script, SealHome
from core.model.errors import HeartbeatError
from core.model.value import dataclass
from core.ports import Ledger

FILE = "approvals.json"
VERSION = 1
LARGEST = 64 << 20
ASK_AGAIN = "Nothing counts as approved until you look at it again: heartbeat approve"


@dataclass(frozen=True, slots=True)
class _Record:
    """What the file holds, as written."""

    number: int
    in_keyring: bool
    approvals: Mapping[str, Approval]
    sealed: bytes  # all that the seal covers
    seal: str


class ApprovalsOnDisk:
    """The `Approvals` port."""

    def __init__(self, state: Path, place: str, keys: SealKeys, ledger: Ledger) -> None:
        self.place = place
        self._path = state / FILE
        self._keys = keys
        self._ledger = ledger

    def noted(self) -> Mapping[str, Approval]:
        record = self._read()
        return record.approvals if isinstance(record, _Record) else {}

    def proven(self) -> Given:
        record = self._read()
        if record is None:
            if self._ledger.approvals_number() == 0:
                return Given()
            return Given(trouble=f"The record of your approvals, {self._path}, is gone.", hint=ASK_AGAIN)
        if isinstance(record, str):
            return self._distrusted(record)
        key = self._keys.for_checking(record.in_keyring)
        if isinstance(key, NoKey):
            hint = key.hint or ASK_AGAIN
            return Given(trouble=f"Your approvals cannot be checked: {key.reason}", hint=hint, is_locked=key.is_locked)
        if not _is_equal(_seal(key, record.sealed), record.seal):
            return self._distrusted("its seal is broken: somebody else changed it")
        if record.number < self._ledger.approvals_number():
            return self._distrusted("it is an older copy")
        return Given(record.approvals)

    def home(self) -> SealHome:
        return self._keys.home()

    def give(self, approvals: Collection[Approval]) -> None:
        self._change(lambda known: {**known, **{one.key: one for one in approvals}})

    def take_back(self, keys: Collection[str]) -> None:
        self._change(lambda known: {key: one for key, one in known.items() if key not in keys})

    def _change(self, change: Callable[[Mapping[str, Approval]], Mapping[str, Approval]]) -> None:
        given = self.proven()
        if given.is_locked:
            raise HeartbeatError(given.trouble, given.hint)
        key, in_keyring = self._keys.for_sealing()  # outside of what follows: it may take its time
        with self._ledger.together():  # so that two processes change it one after the other
            given, record = self.proven(), self._read()
            number = max(self._ledger.approvals_number(), record.number if isinstance(record, _Record) else 0) + 1
            try:
                if given.trouble and record is not None:
                    self._set_aside()
                write_private(self._path, _file(number, in_keyring, change(given.approvals), key))
            except OSError as error:
                hint = "Look at the free space of that disk and at who owns the folder."
                raise HeartbeatError(f"{self._path} could not be written: {error.strerror}.", hint) from error
            self._ledger.set_approvals_number(number)

    def _read(self) -> _Record | str | None:
        """What the file holds; a reason where that is not an approvals file; None where there is none."""
        try:
            if not self._path.is_file():
                return None
            with open(self._path, "rb") as file:
                data = file.read(LARGEST + 1)
        except OSError as error:
            return f"it cannot be read: {error.strerror}"
        try:
            return _record(json.loads(data)) if len(data) <= LARGEST else "it is too large"
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return "it is damaged"

    def _distrusted(self, reason: str) -> Given:
        return Given(trouble=f"The record of your approvals, {self._path}, is not trusted: {reason}.", hint=ASK_AGAIN)

    def _set_aside(self) -> None:
        changed = datetime.fromtimestamp(self._path.stat().st_mtime, UTC)
        name = f"{FILE}.not-trusted-{changed:%Y%m%dT%H%M%SZ}"
        count, aside = 1, self._path.with_name(name)
        while aside.exists():
            count += 1
            aside = self._path.with_name(f"{name}-{count}")
        self._path.rename(aside)


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
    import hmac  # here: it loads OpenSSL, and a beat with nothing to run has no need of it

    return hmac.new(key, sealed, "sha256").hexdigest()


def _is_equal(one: str, other: str) -> bool:
    import hmac

    return hmac.compare_digest(one.encode(), other.encode())
