"""The seal of the approvals: HMAC with SHA-256, as RFC 2104 defines it. Pure.

Not by `hmac`, which loads OpenSSL for the same function: 3 ms in every beat that runs something.
A test compares the two.
"""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hashlib import sha256
else:
    try:
        from _sha2 import sha256
    except ImportError:  # before Python 3.12
        from _sha256 import sha256

BLOCK = 64  # bytes that SHA-256 takes at a time
INNER = bytes(byte ^ 0x36 for byte in range(256))
OUTER = bytes(byte ^ 0x5C for byte in range(256))


def seal_of(key: bytes, sealed: bytes) -> str:
    if len(key) > BLOCK:
        key = sha256(key).digest()

    key = key.ljust(BLOCK, b"\0")
    inner = sha256(key.translate(INNER) + sealed).digest()
    return sha256(key.translate(OUTER) + inner).hexdigest()


def is_same_seal(one: str, other: str) -> bool:
    """Whether they are equal. How long that takes says nothing about where they differ."""
    return sha256(one.encode()).digest() == sha256(other.encode()).digest()
