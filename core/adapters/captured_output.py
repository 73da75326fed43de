"""What a command prints, in bounded memory: the first and the last half of the limit."""

from core.model.process import OUTPUT_LIMIT

NOTICE = "\n[… {} bytes left out …]\n"
HALF = OUTPUT_LIMIT // 2 - 32  # the notice counts too


class CapturedOutput:
    def __init__(self) -> None:
        self._first = bytearray()
        self._last = bytearray()
        self._left_out = 0

    def add(self, piece: bytes) -> None:
        room = HALF - len(self._first)
        self._first += piece[:room]
        self._last += piece[room:]
        if len(self._last) > 2 * HALF:  # seldom, so that the moving about costs little
            self._shorten()

    def _shorten(self) -> None:
        surplus = max(0, len(self._last) - HALF)
        del self._last[:surplus]
        self._left_out += surplus

    def text(self) -> tuple[str, bool]:
        """The text, and whether something was left out of its middle."""
        self._shorten()
        notice = NOTICE.format(self._left_out).encode() if self._left_out else b""
        return (self._first + notice + self._last).decode(errors="replace"), bool(notice)
