"""Does a text match a pattern with `*` and `?`: one step a character, whatever the pattern.

Every regular-expression engine that goes back and tries again can be made to take for ever by a short pattern. Here
all the places where the pattern could stand are kept at once, as bits of one number, and each character moves them.
"""


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text matches: `*` is any text, `?` any one character, everything else itself."""
    signs = [sign for sign in pattern if sign != "*"]
    stays = 0  # bit n: after n signs of the pattern comes a `*`, so that place may be kept
    place = 0
    for sign in pattern:
        if sign == "*":
            stays |= 1 << place
        else:
            place += 1
    any_one = sum(1 << place for place, sign in enumerate(signs) if sign == "?")
    moves = dict.fromkeys(signs, any_one)  # bit n: this character is the n-th of the pattern
    for place, sign in enumerate(signs):
        moves[sign] |= 1 << place
    places = 1
    for sign in text:
        places = (places & moves.get(sign, any_one)) << 1 | places & stays
        if not places:
            return False
    return bool(places >> len(signs) & 1)
