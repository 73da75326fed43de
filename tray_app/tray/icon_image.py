"""Draws the tray's icons into assets/icons: `python -m tray_app.tray.icon_image`; the program
itself only reads them.

Each state has its own colour, light enough for a dark panel and dark enough for a light one, and
its own shape, so that the states can be distinguished without the colour. What is cut out of the
heart shows the panel behind it.
"""

from collections.abc import Callable
from math import cos, pi, sin

from PIL import Image, ImageChops, ImageDraw

from tray_app.tray.icon_files import SIZES, icon_path, png

FINENESS = 16  # drawn this many times larger, then averaged down

Point = tuple[float, float]
Mask = Image.Image  # 255 where there is ink


def heart(size: int, scale: float = 1.0) -> Mask:
    """A heart in the middle of the square, `scale` of its full size."""
    points = []
    for step in range(360):
        t = step * pi / 180
        x = 16 * sin(t) ** 3
        y = 13 * cos(t) - 5 * cos(2 * t) - 2 * cos(3 * t) - cos(4 * t)
        points.append((0.5 + x * scale / 34, 0.47 - y * scale / 34))

    return polygon(size, points)


def polygon(size: int, points: list[Point]) -> Mask:
    mask = blank(size)
    side = mask.width
    ImageDraw.Draw(mask).polygon([(x * side, y * side) for x, y in points], fill=255)

    return mask


def line(size: int, points: list[Point], width: float) -> Mask:
    mask = blank(size)
    side = mask.width
    draw = ImageDraw.Draw(mask)
    draw.line(
        [(x * side, y * side) for x, y in points],
        fill=255,
        width=round(width * side),
        joint="curve",
    )

    return mask


def disc(size: int, centre: Point, radius: float) -> Mask:
    mask = blank(size)
    side = mask.width
    x = centre[0] * side
    y = centre[1] * side
    r = radius * side
    ImageDraw.Draw(mask).ellipse((x - r, y - r, x + r, y + r), fill=255)

    return mask


def bar(size: int, left: float, top: float, right: float, bottom: float) -> Mask:
    """An upright bar whose edges are on whole pixels of the finished icon: sharp even at 16 px."""
    mask = blank(size)
    edges = [round(edge * size) * FINENESS for edge in (left, top, right, bottom)]
    ImageDraw.Draw(mask).rectangle((edges[0], edges[1], edges[2] - 1, edges[3] - 1), fill=255)

    return mask


def blank(size: int) -> Mask:
    return Image.new("L", (size * FINENESS, size * FINENESS))


def idle(size: int) -> Mask:
    return heart(size)


def running(size: int, core: float) -> Mask:
    """A heart that beats inside its own outline: only the core changes between the steps, the
    outline stays calm."""
    outline = ImageChops.subtract(heart(size), heart(size, 0.76))
    return ImageChops.add(outline, heart(size, core))


def paused(size: int) -> Mask:
    bars = ImageChops.add(bar(size, 0.32, 0.26, 0.44, 0.62), bar(size, 0.56, 0.26, 0.68, 0.62))
    return ImageChops.subtract(heart(size), bars)


def attention(size: int) -> Mask:
    centre = (0.72, 0.28)
    radius = 0.28
    around = ImageChops.subtract(heart(size), disc(size, centre, radius + 0.07))
    mark = ImageChops.add(bar(size, 0.66, 0.1, 0.78, 0.3), bar(size, 0.66, 0.36, 0.78, 0.46))

    return ImageChops.add(around, ImageChops.subtract(disc(size, centre, radius), mark))


def error(size: int) -> Mask:
    crack = [(0.52, 0.05), (0.4, 0.32), (0.6, 0.46), (0.44, 0.66), (0.52, 1.0)]
    return ImageChops.subtract(heart(size), line(size, crack, 0.12))


# name -> how it is drawn, its colour
ICONS: dict[str, tuple[Callable[[int], Mask], tuple[int, int, int]]] = {
    "idle": (idle, (0x1B, 0x9E, 0x77)),
    "running-1": (lambda size: running(size, 0.36), (0x2F, 0x86, 0xE0)),
    "running-2": (lambda size: running(size, 0.54), (0x2F, 0x86, 0xE0)),
    "paused": (paused, (0x86, 0x86, 0x8B)),
    "attention": (attention, (0xD0, 0x7A, 0x00)),
    "error": (error, (0xE0, 0x45, 0x45)),
}


def draw(name: str, size: int) -> Image.Image:
    shape, colour = ICONS[name]
    picture = Image.new("RGBA", (size, size), (*colour, 0))
    picture.putalpha(shape(size).resize((size, size), Image.Resampling.BOX))

    return picture


def main() -> None:
    for name in ICONS:
        for size in SIZES:
            icon_path(name, size).write_bytes(png(size, draw(name, size).tobytes()))


if __name__ == "__main__":
    main()
