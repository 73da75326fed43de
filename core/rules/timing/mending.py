"""Small things that every "this cannot be read" of the time rules needs: what stood there, and what was meant."""

from collections.abc import Iterable

SHOWN = 60


def quoted(text: str) -> str:
    """A piece of a file as it may stand in a message: one line, printable, not too long."""
    harmless = "".join(sign if sign.isprintable() else " " for sign in text[: SHOWN + 1])
    return f"`{harmless[:SHOWN]}…`" if len(harmless) > SHOWN else f"`{harmless}`"


def nearest(word: str, known: Iterable[str]) -> str | None:
    """The known word that was probably meant; None where nothing is close."""
    from difflib import get_close_matches  # 10 ms, and only needed where something is wrong

    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word[:SHOWN].lower(), list(by_lower), n=1, cutoff=0.6)
    return by_lower[close[0]] if close else None


def is_number(text: str) -> bool:
    """Only 0 to 9: str.isdigit also takes `²` and digits of other scripts."""
    return text.isascii() and text.isdigit()
