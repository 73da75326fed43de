"""The tray's icons: told apart without colour, seen on light and dark panels, and shipped as drawn."""

from itertools import combinations

import pytest
from PIL import Image, ImageChops, ImageStat

from core.model.status import State
from tray_app.tray.icon_files import SIZES, icon_path, pixmaps
from tray_app.tray.icon_image import ICONS, draw
from tray_app.tray.tray import picture

LIGHT, DARK = (0xFF, 0xFF, 0xFF), (0x2B, 0x2B, 0x2B)  # the panels that desktops come with


def luminance(colour: tuple[int, int, int]) -> float:
    """Relative luminance as WCAG 2 defines it."""
    parts = [part / 255 for part in colour]
    red, green, blue = (part / 12.92 if part <= 0.04045 else ((part + 0.055) / 1.055) ** 2.4 for part in parts)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: tuple[int, int, int], other: tuple[int, int, int]) -> float:
    darker, lighter = sorted((luminance(one), luminance(other)))
    return (lighter + 0.05) / (darker + 0.05)


@pytest.mark.parametrize("name", ICONS)
@pytest.mark.parametrize("panel", [LIGHT, DARK])
def test_every_colour_stands_out_from_light_and_dark_panels(name: str, panel: tuple[int, int, int]) -> None:
    assert contrast(ICONS[name][1], panel) >= 3  # what WCAG asks of graphics


@pytest.mark.parametrize(("one", "other"), list(combinations(ICONS, 2)))
def test_any_two_icons_differ_in_shape(one: str, other: str) -> None:
    for size in SIZES:
        shapes = draw(one, size).getchannel("A"), draw(other, size).getchannel("A")
        assert ImageStat.Stat(ImageChops.difference(*shapes)).mean[0] / 255 > 0.05  # of the square, at least


@pytest.mark.parametrize("name", ICONS)
def test_the_shipped_icons_are_the_drawn_ones(name: str) -> None:
    """`python -m tray_app.tray.icon_image` draws them anew. Another Pillow may round an edge pixel differently."""
    for size in SIZES:
        with Image.open(icon_path(name, size)) as shipped:
            difference = ImageChops.difference(shipped, draw(name, size))
        assert shipped.size == (size, size)
        assert max(difference.tobytes()) <= 16


@pytest.mark.parametrize("name", ICONS)
def test_the_tray_reads_the_same_pixels_as_pillow(name: str) -> None:
    assert [(width, height) for width, height, _ in pixmaps(name)] == [(size, size) for size in SIZES]
    for width, _, argb in pixmaps(name):
        with Image.open(icon_path(name, width)) as file:
            alpha_first = Image.merge("RGBA", [file.getchannel(band) for band in "ARGB"])
        assert argb == alpha_first.tobytes()


def test_every_state_has_an_icon_and_every_icon_a_state() -> None:
    assert {picture(state, step) for state in State for step in (0, 1)} == set(ICONS)
