"""Does a text match a pattern with `*` and `?`: one step per character, whatever the pattern.

A regular-expression engine that backtracks can be made to run for ever by a short pattern. Here
all the places that the pattern could have reached are kept at once, as bits of one number, and
each character of the text moves them.
"""


def matches(text: str, pattern: str) -> bool:
    """Whether the whole text matches: `*` is any text, `?` any one character, everything else
    itself."""
    characters = [character for character in pattern if character != "*"]
    stays = 0  # bit n: after n characters of the pattern comes a `*`, so that place may be kept
    place = 0

    for character in pattern:
        if character == "*":
            stays |= 1 << place
        else:
            place += 1

    any_one = sum(1 << place for place, character in enumerate(characters) if character == "?")
    moves = dict.fromkeys(characters, any_one)  # bit n: this character is the n-th of the pattern
    for place, character in enumerate(characters):
        moves[character] |= 1 << place

    places = 1
    for character in text:
        places = (places & moves.get(character, any_one)) << 1 | places & stays
        if not places:
            return False

    return bool(places >> len(characters) & 1)
