"""Reads the icons for the tray without Pillow: an image library would double the tray's memory.

The files are ordinary PNGs of one fixed kind (8 bit RGBA, rows unfiltered), which a few lines
can write and read.
"""

import struct
import zlib
from functools import lru_cache
from pathlib import Path

import tray_app

SIZES = (16, 22, 24, 32, 48, 64)
SIGNATURE = b"\x89PNG\r\n\x1a\n"

# Width, height, ARGB in network byte order: what a StatusNotifierItem sends.
Pixmap = tuple[int, int, bytes]


def icon_path(name: str, size: int) -> Path:
    """In an installed program `assets` is inside the package, in the repository next to it."""
    package = Path(tray_app.__file__).parent
    assets = package / "assets"
    if not assets.is_dir():
        assets = package.parent / "assets"

    return assets / "icons" / f"{name}-{size}.png"


@lru_cache(maxsize=2)  # the two steps of the animation
def pixmaps(name: str) -> list[Pixmap]:
    return [(size, size, argb(icon_path(name, size).read_bytes(), size)) for size in SIZES]


def argb(file: bytes, size: int) -> bytes:
    rgba = pixels(file, size)
    swapped = bytearray(len(rgba))
    swapped[0::4] = rgba[3::4]
    swapped[1::4] = rgba[0::4]
    swapped[2::4] = rgba[1::4]
    swapped[3::4] = rgba[2::4]

    return bytes(swapped)


def pixels(file: bytes, size: int) -> bytes:
    """The RGBA bytes of a file that `png` made."""
    start = file.index(b"IDAT") + 4
    (length,) = struct.unpack(">I", file[start - 8 : start - 4])
    rows = zlib.decompress(file[start : start + length])
    row = 1 + 4 * size

    return b"".join(rows[at + 1 : at + row] for at in range(0, row * size, row))


def png(size: int, rgba: bytes) -> bytes:
    rows = b"".join(b"\0" + rgba[at : at + 4 * size] for at in range(0, 4 * size * size, 4 * size))
    header = struct.pack(">IIBBBBB", size, size, 8, 6, 0, 0, 0)
    chunks = ((b"IHDR", header), (b"IDAT", zlib.compress(rows, 9)), (b"IEND", b""))

    return SIGNATURE + b"".join(
        struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
        for kind, data in chunks
    )
