"""The colour that a person sees in the panel."""

from core.model.status import State
from tray_app.tray.icon_image import ICONS
from tray_app.tray.tray import picture


def colour_of(state: State) -> tuple[int, int, int]:
    return ICONS[picture(state, 0)][1]
