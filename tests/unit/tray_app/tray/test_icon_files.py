"""The icons as they are shipped."""

import pytest
from PIL import Image, ImageChops

from tray_app.tray.icon_files import SIZES, icon_path, pixmaps
from tray_app.tray.icon_image import ICONS, draw


@pytest.mark.parametrize("name", ICONS)
def test_the_shipped_icons_are_the_drawn_ones(name: str) -> None:
    """`python -m tray_app.tray.icon_image` draws them again. Another Pillow may round an edge
    pixel differently."""
    for size in SIZES:
        with Image.open(icon_path(name, size)) as shipped:
            difference = ImageChops.difference(shipped, draw(name, size))
        assert shipped.size == (size, size)
        assert max(difference.tobytes()) <= 16


@pytest.mark.parametrize("name", ICONS)
def test_the_tray_reads_the_same_pixels_as_pillow(name: str) -> None:
    assert [(width, height) for width, height, _ in pixmaps(name)] == [
        (size, size) for size in SIZES
    ]
    for width, _, argb in pixmaps(name):
        with Image.open(icon_path(name, width)) as file:
            alpha_first = Image.merge("RGBA", [file.getchannel(band) for band in "ARGB"])
        assert argb == alpha_first.tobytes()
