"""`python -m tray_app.cli` is `heartbeat`."""

from tray_app.cli.main import main

main()
