"""The colour that a person sees in the panel."""

from core.model.status import WorkspaceState
from tray_app.tray.icon_image import ICONS
from tray_app.tray.tray import picture


def colour_of(state: WorkspaceState) -> tuple[int, int, int]:
    return ICONS[picture(state, 0)][1]
