"""The tray's icons: distinguishable without colour, and visible on light and dark
panels."""

from itertools import combinations

import pytest
from PIL import ImageChops, ImageStat

from tray_app.tray.icon_files import SIZES
from tray_app.tray.icon_image import ICONS, draw

LIGHT, DARK = (0xFF, 0xFF, 0xFF), (0x2B, 0x2B, 0x2B)  # the panels that desktops come with


def luminance(colour: tuple[int, int, int]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in colour]
    red, green, blue = (
        part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts
    )
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ICONS)
@pytest.mark.parametrize("panel", [LIGHT, DARK])
def test_every_colour_stands_out_from_light_and_dark_panels(
    name: str, panel: tuple[int, int, int]
) -> None:
    assert contrast(ICONS[name][1], panel) >= 3  # what WCAG asks of graphics


@pytest.mark.parametrize(("one", "other"), list(combinations(ICONS, 2)))
def test_any_two_icons_differ_in_shape(one: str, other: str) -> None:
    for size in SIZES:
        shapes = draw(one, size).getchannel("A"), draw(other, size).getchannel("A")
        assert (
            ImageStat.Stat(ImageChops.difference(*shapes)).mean[0] / 255 > 0.05
        )  # of the square, at least
