"""A short hash of some bytes, the same in every process."""

from collections.abc import Iterable

try:  # hashlib would load OpenSSL: 3.9 MB in the resident, for the same function
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def fingerprint(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def fingerprint_of(parts: Iterable[bytes]) -> str:
    """The same of bytes that come one part after the other."""
    state = blake2b(digest_size=16)
    for part in parts:
        state.update(part)

    return str(state.hexdigest())


def what_is_written(key: str, value: object) -> str:
    """What tells one wrong value of a key from another. The value itself may hold a secret, and
    this is kept in the ledger."""
    return f"{key}: {fingerprint(str(value).encode(errors='surrogateescape'))}"
