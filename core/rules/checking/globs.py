"""Does a text match a pattern with `*` and `?`: in time proportional to both, whatever they are.

A regular-expression engine that backtracks can be made to run for ever by a short pattern. Here
the parts between the stars are looked for one after the other, each as early as possible, and
nothing is ever tried again.
"""


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text matches: `*` is any text, `?` any one character, everything else
    itself."""
    if len(pattern) - pattern.count("*") > len(text):
        return False  # also: whatever is done below is bounded by the text

    first, *rest = pattern.split("*")
    if not rest:
        return _fits(text, first)

    *middle, last = rest
    place = len(first)
    end = len(text) - len(last)
    if not (_fits(text[:place], first) and _fits(text[end:], last)):
        return False

    for part in middle:
        place = _end_of(part, text, place, end)
        if place < 0:
            return False

    return True


def _fits(text: str, part: str) -> bool:
    if "?" not in part:
        return text == part

    pairs = zip(text, part, strict=False)
    return len(text) == len(part) and all(wanted in ("?", one) for one, wanted in pairs)


def _end_of(part: str, text: str, place: int, end: int) -> int:
    """Where the first text ends that fits the part, between the two places; -1: nowhere."""
    if "?" in part:
        return _end_of_part_with_any(part, text, place, end)

    found = text.find(part, place, end)
    return found + len(part) if found >= 0 else -1


def _end_of_part_with_any(part: str, text: str, place: int, end: int) -> int:
    """All the places that the part could have reached are kept at once, as bits of one number,
    and each character of the text moves them."""
    if len(part) > end - place:
        return -1

    marks = "".join("1" if wanted == "?" else "0" for wanted in reversed(part))
    any_one = int(marks, 2)
    moves: dict[str, int] = {}  # bit n: this character is the n-th of the part
    for index, wanted in enumerate(part):
        moves[wanted] = moves.get(wanted, any_one) | 1 << index

    done = 1 << len(part)
    places = 1
    for index in range(place, end):
        places = (places & moves.get(text[index], any_one)) << 1 | 1
        if places & done:
            return index + 1

    return -1
