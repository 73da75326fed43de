"""What a verdict is worth (SPEC 7)."""

from core.model.verdict import Verdict

REQUIRED, OPTIONAL = 10, 5
NOT_VERIFIED = -15
CONTRADICTION = -30  # beside the one above
UNCLEAR = -2
THUMBS_UP, THUMBS_DOWN = 3, -10


def possible_points(required: bool) -> int:
    return REQUIRED if required else OPTIONAL


def points_of(verdict: Verdict, *, required: bool, contradiction: bool = False) -> int:
    match verdict:
        case Verdict.VERIFIED:
            return possible_points(required)
        case Verdict.NOT_VERIFIED:
            return NOT_VERIFIED + (CONTRADICTION if contradiction else 0)
        case Verdict.UNCLEAR:
            return UNCLEAR
