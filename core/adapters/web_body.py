"""Reads the body of a web answer, but never more than a limit of it. Law: the memory that it takes
does not depend on how it is packed.

Servers are asked for bodies that are not packed. One that packs it anyway is understood if it does
so once; the library would unpack a piece to any size before anybody could count it.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

NOT_PACKED = {"Accept-Encoding": "identity"}
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class PackedTooOftenError(ValueError):
    """It is packed in a way that was not asked for."""

    def __init__(self, coding: str) -> None:
        super().__init__(f"its body is packed as {coding[:40]}, which was not asked for")


def read_body(
    response: "httpx.Response", most: int, go_on: Callable[[], bool] = lambda: True
) -> bytes:
    """The first `most` bytes of it. Raises PackedTooOftenError, and whatever the library raises."""
    data = bytearray()
    for piece in _unpacked(response, most):
        data += piece[: most - len(data)]
        if len(data) >= most or not go_on():
            break

    return bytes(data)


def _unpacked(response: "httpx.Response", most: int) -> Iterator[bytes]:
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding in ("identity", ""):
        yield from response.iter_raw()
        return
    if coding not in ("gzip", "deflate"):
        raise PackedTooOftenError(coding)

    unpack = zlib.decompressobj(_GZIP_OR_ZLIB)
    packed = 0
    for piece in response.iter_raw():
        packed += len(piece)
        try:
            yield unpack.decompress(piece, most)
            while unpack.unconsumed_tail:
                yield unpack.decompress(unpack.unconsumed_tail, most)
        except zlib.error as error:
            raise ValueError(f"its body cannot be unpacked: {error}") from None

        if unpack.eof or packed > most:  # what follows, or unpacks to nothing, may never end
            return
