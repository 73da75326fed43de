"""Runs a command of this program and returns what it printed."""

import subprocess
from collections.abc import Sequence

from core.model.errors import HeartbeatError


class SystemOwnCommands:
    """The `OwnCommands` port, on all systems."""

    def output(self, arguments: Sequence[str]) -> str:
        try:
            done = subprocess.run(
                arguments,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
            )
        except (OSError, ValueError) as error:
            reason = error.strerror if isinstance(error, OSError) else error
            raise HeartbeatError(
                f"{arguments[0]} could not be started: {reason}.", "Is it still installed there?"
            ) from error

        return done.stdout.decode(errors="replace")
