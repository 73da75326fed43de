"""Reads the body of a web answer up to a limit. Law: the memory that this takes does not depend on
how the body is compressed.

A model's server is asked not to compress, and no other is told that it may. A body that is
compressed anyway, once, is understood; the library would decompress a piece to any size before we
could count it.
"""

import zlib
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import httpx

UNCOMPRESSED = {"Accept-Encoding": "identity"}
_GZIP_OR_ZLIB = 32 + zlib.MAX_WBITS


class UnexpectedCompressionError(ValueError):
    """We did not ask for this compression."""

    def __init__(self, coding: str) -> None:
        super().__init__(f"its body is compressed with {coding[:40]}, which we did not ask for")


def read_body(
    response: "httpx.Response", most: int, go_on: Callable[[], bool] = lambda: True
) -> bytes:
    """The first `most` bytes of it. Raises UnexpectedCompressionError, and what the library
    raises."""
    data = bytearray()
    for piece in _decompressed(response, most):
        data += piece[: most - len(data)]
        if len(data) >= most or not go_on():
            break

    return bytes(data)


def _decompressed(response: "httpx.Response", most: int) -> Iterator[bytes]:
    coding = response.headers.get("content-encoding", "identity").strip().lower()
    if coding in ("identity", ""):
        yield from response.iter_raw()
        return
    if coding not in ("gzip", "deflate"):
        raise UnexpectedCompressionError(coding)

    decompressor = zlib.decompressobj(_GZIP_OR_ZLIB)
    received = 0
    for piece in response.iter_raw():
        received += len(piece)
        try:
            yield decompressor.decompress(piece, most)
            while decompressor.unconsumed_tail:
                yield decompressor.decompress(decompressor.unconsumed_tail, most)
        except zlib.error as error:
            raise ValueError(f"its body cannot be decompressed: {error}") from None

        if decompressor.eof or received > most:  # the rest may never end, or be empty
            return
