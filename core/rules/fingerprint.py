"""A short hash of some bytes, the same in every process."""

try:  # hashlib would load OpenSSL: 3.9 MB in the resident, for the same function
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def fingerprint(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()


def what_is_written(key: str, value: object) -> str:
    """What tells one wrong value of a key from another. The value itself may hold a secret, and
    this is kept in the ledger."""
    return f"{key}: {fingerprint(str(value).encode(errors='surrogateescape'))}"
