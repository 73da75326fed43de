"""The first message of a TLS connection: which host the program says it wants to talk to."""

HANDSHAKE, CLIENT_HELLO = 22, 1
LARGEST_RECORD = 2**14
LARGEST_HELLO = 64 * 1024
SERVER_NAME, ENCRYPTED_HELLO = 0, 0xFE0D


class NotHelloError(Exception):
    """These bytes do not begin a TLS connection, or not one that says openly where it goes."""


def complete_hello(data: bytes) -> bytes | None:
    """The message at the start of the stream, which may come in several records; None: more bytes are needed."""
    message = b""
    while True:
        if data and data[0] != HANDSHAKE:
            raise NotHelloError
        if len(data) < 5:
            return None
        length = int.from_bytes(data[3:5], "big")
        if data[1] != 3 or not 0 < length <= LARGEST_RECORD or len(message) > LARGEST_HELLO:
            raise NotHelloError
        if len(data) < 5 + length:
            return None
        message += data[5 : 5 + length]
        data = data[5 + length :]
        if message[0] != CLIENT_HELLO:
            raise NotHelloError
        if len(message) >= 4 and len(message) >= 4 + (wanted := int.from_bytes(message[1:4], "big")):
            return message[4 : 4 + wanted]


def server_name(hello: bytes) -> str:
    """The one host that it names. No name, several, or a second hidden one: NotHelloError."""
    rest = _Reader(hello)
    rest.take(2 + 32)  # version, random bytes
    for length_bytes in (1, 2, 1):  # session, ciphers, compression
        rest.block(length_bytes)
    extensions = _Reader(rest.block(2))
    names: list[bytes] = []
    while extensions.left:
        kind = extensions.number(2)
        content = extensions.block(2)
        if kind == ENCRYPTED_HELLO:
            raise NotHelloError
        if kind == SERVER_NAME:
            entries = _Reader(_Reader(content).block(2))
            while entries.left:
                entries.number(1)  # the kind of name; there is only one kind
                names.append(entries.block(2))
    if len(names) != 1 or not names[0].isascii():
        raise NotHelloError
    return names[0].decode("ascii").lower()


class _Reader:
    def __init__(self, data: bytes) -> None:
        self.left = data

    def take(self, count: int) -> bytes:
        if len(self.left) < count:
            raise NotHelloError
        taken, self.left = self.left[:count], self.left[count:]
        return taken

    def number(self, count: int) -> int:
        return int.from_bytes(self.take(count), "big")

    def block(self, length_bytes: int) -> bytes:
        return self.take(self.number(length_bytes))
