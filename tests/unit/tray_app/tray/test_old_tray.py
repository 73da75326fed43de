"""The icon in a tray of the older kind."""

from tray_app.tray.icon_files import pixmaps
from tray_app.tray.old_tray import OPAQUE, colour, runs


def test_an_icon_as_the_shape_of_a_window_covers_exactly_its_opaque_pixels() -> None:
    for width, height, argb in pixmaps("attention"):
        covered = {(x + step, y) for x, y, length, _ in runs(width, argb) for step in range(length)}
        opaque = {
            (x, y)
            for y in range(height)
            for x in range(width)
            if argb[4 * (y * width + x)] >= OPAQUE
        }
        assert covered == opaque
        assert colour(argb) == bytes((0xD0, 0x7A, 0x00))
