"""Reads the first message of a TLS connection: the host that the program says it wants to reach."""

HANDSHAKE = 22
CLIENT_HELLO = 1
LARGEST_RECORD = 2**14
LARGEST_HELLO = 64 * 1024
SERVER_NAME = 0
ENCRYPTED_HELLO = 0xFE0D


class NotHelloError(Exception):
    """These bytes do not start a TLS connection, or not one that shows where it goes."""


def complete_hello(data: bytes) -> bytes | None:
    """Return the message at the start of the stream, which may come in several records; None: more
    bytes are needed."""
    message = b""
    while (record := _first_record(data)) is not None:
        if len(message) > LARGEST_HELLO:
            raise NotHelloError

        message += record
        data = data[5 + len(record) :]
        if message[0] != CLIENT_HELLO:
            raise NotHelloError
        if len(message) >= 4:
            end = 4 + int.from_bytes(message[1:4], "big")
            if len(message) >= end:
                return message[4:end]

    return None


def _first_record(data: bytes) -> bytes | None:
    """Return the content of the first TLS record; None: more bytes are needed."""
    if data and data[0] != HANDSHAKE:
        raise NotHelloError
    if len(data) < 5:
        return None

    length = int.from_bytes(data[3:5], "big")
    if data[1] != 3 or not 0 < length <= LARGEST_RECORD:
        raise NotHelloError

    return data[5 : 5 + length] if len(data) >= 5 + length else None


def server_name(hello: bytes) -> str | None:
    """The one host that it names; None if it names none, as for an address. NotHelloError for
    several names, or a hidden one."""
    rest = _Reader(hello)
    rest.take(2 + 32)  # version, random bytes
    for length_bytes in (1, 2, 1):  # session, ciphers, compression
        rest.block(length_bytes)

    extensions = _Reader(rest.block(2))
    names: list[bytes] = []
    is_named = False
    while extensions.left:
        kind = extensions.number(2)
        content = extensions.block(2)
        if kind == ENCRYPTED_HELLO:
            raise NotHelloError

        if kind == SERVER_NAME:
            is_named = True
            entries = _Reader(_Reader(content).block(2))
            while entries.left:
                entries.number(1)  # the kind of name; there is only one kind
                names.append(entries.block(2))

    if not is_named:
        return None
    if len(names) != 1 or not names[0].isascii():
        raise NotHelloError

    return names[0].decode("ascii").lower()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.left = data

    def take(self, count: int) -> bytes:
        if len(self.left) < count:
            raise NotHelloError

        taken = self.left[:count]
        self.left = self.left[count:]
        return taken

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "big")

    def block(self, length_bytes: int) -> bytes:
        return self.take(self.number(length_bytes))
