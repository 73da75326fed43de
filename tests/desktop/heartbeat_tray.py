"""`heartbeat tray` for real, on a real panel: the installed command and a real workspace."""

from tests.desktop.desktop import Desktop
from tests.desktop.tray_on_panel import TrayOnPanel
from tests.e2e.machine import Machine, action

LATER = action("later", "echo x >> later", "schedule: daily:03:00")


class HeartbeatTray(TrayOnPanel):
    """`heartbeat tray` on the panel, instead of a stand-in for the resident."""

    def __init__(self, desktop: Desktop, machine: Machine, log: str = "tray.log") -> None:
        self.desktop = desktop
        names = ("DISPLAY", "DBUS_SESSION_BUS_ADDRESS", "XDG_RUNTIME_DIR")
        machine.environment |= {name: desktop.environment[name] for name in names}
        self.running = machine.start("tray", log=log)
        self.program = self.running.process
        self._log = machine.folder / log
