"""Misspelt words: which of the known ones was probably meant."""

from collections.abc import Iterable

LONGEST_COMPARED = 60  # comparing takes quadratic time
LIKENESS = 0.6


def nearest(word: str, known: Iterable[str], likeness: float = LIKENESS) -> str | None:
    """The known word that was probably meant; None if nothing is close.

    From 0 to 1: how alike the two have to be.
    """
    from difflib import get_close_matches  # 10 ms, and only needed where something is wrong

    by_lower = {name.lower(): name for name in known}
    close = get_close_matches(word[:LONGEST_COMPARED].lower(), list(by_lower), n=1, cutoff=likeness)

    return by_lower[close[0]] if close else None
