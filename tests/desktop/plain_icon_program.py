"""Our Linux icon used like any pystray Icon: made, given a menu, run until it is stopped."""

from tray_app.tray.icon_files import pixmaps
from tray_app.tray.status_notifier import StatusNotifierIcon
from tray_app.tray.toolkit import Menu, MenuItem


def say(text: str) -> None:
    print(text, flush=True)


def main() -> None:
    menu = Menu(
        MenuItem("Say hello", lambda: say("hello")), MenuItem("Stop", lambda icon: icon.stop())
    )
    StatusNotifierIcon("plain", pixmaps("idle"), "A plain icon", menu, say).run()
    say("ended")


if __name__ == "__main__":
    main()
