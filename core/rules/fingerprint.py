"""One short name for some bytes, the same in every process."""

try:  # hashlib would load OpenSSL: 3.9 MB in the always-on process, for the same function
    from _blake2 import blake2b
except ImportError:
    from hashlib import blake2b


def fingerprint(data: bytes) -> str:
    return blake2b(data, digest_size=16).hexdigest()
