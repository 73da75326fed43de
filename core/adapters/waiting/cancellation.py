"""A request to stop that a signal handler or another thread makes, and that a wait notices at
once."""

import os


class CancelSwitch:
    """The `Cancellation` port."""

    def __init__(self) -> None:
        self._set = False
        self._reading, self._writing = os.pipe()
        self._open = [self._reading, self._writing]

    def set(self) -> None:
        if self._set:
            return

        self._set = True
        if self._open:  # after its end, the number may belong to another file
            os.write(self._writing, b"!")  # never read, so that the other end stays readable

    def is_set(self) -> bool:
        return self._set

    def fileno(self) -> int:
        return self._reading

    def close(self) -> None:
        while self._open:
            os.close(self._open.pop())

    def __del__(self) -> None:
        self.close()
