"""Numbers, sizes and dates as people write them: `9 mails`, `1,234.5`, `4 KB`, `18 Nov 2026`. Pure.

Law: where something can be read in several ways, each of them is tried.
"""

import re
from datetime import UTC, datetime, timedelta
from decimal import Decimal

from core.model.light_dataclass import light_dataclass
from core.rules.checking.values import MOST_DIGITS, NOISE, read_number

LONGEST = 200  # characters of a text in which something is looked for

# -- numbers ---------------------------------------------------------------------------------------

_NUMBER = re.compile(r"[-+]?\d+(?:[.,'_]\d+|[ \u00a0\u202f]\d{3}(?!\d))*(?:[eE][-+]?\d+)?")
_BETWEEN_THOUSANDS = re.compile(r"(?<=\d)[.,'_ \u00a0\u202f](?=\d{3}(?!\d))")

_WORDS = "zero one two three four five six seven eight nine ten eleven twelve"
NUMBER_WORDS = {word: number for number, word in enumerate(_WORDS.split())} | {"no": 0, "none": 0}

# What one of it may be, in whatever the measured number counts.
BLOCK = 512  # bytes, in which some programs count
SIZES: dict[str, tuple[float, ...]] = {
    f"{mark}{end}": (
        *(step**one for one in range(1, power + 1) for step in (1000, 1024)),
        *(step**power / BLOCK for step in (1000, 1024)),
    )
    for power, mark in enumerate("kmgtp", 1)
    for end in ("", "b", "ib")
}
SHARES: dict[str, tuple[float, ...]] = {"%": (0.01,), "percent": (0.01,)}
UNITS: dict[str, tuple[float, ...]] = {
    **SHARES,
    **SIZES,
    "dozen": (12,),
    "thousand": (1000,),
    "million": (1e6,),
    "billion": (1e9,),
    **dict.fromkeys(("ms", "s", "sec", "second", "seconds"), (0.001, 1000)),
    **dict.fromkeys(("min", "minute", "minutes"), (60, 60_000)),
    **dict.fromkeys(("h", "hour", "hours"), (60, 3600, 1 / 24)),
    **dict.fromkeys(("d", "day", "days"), (24, 1440, 86_400)),
    **dict.fromkeys(("week", "weeks"), (7, 168, 10_080, 604_800)),
}
# Words with which the number before them is not the whole of what is said.
_RELATIVE = "more less fewer plus minus extra other others new old left open total ago or and to of"
RELATIVE = frozenset(_RELATIVE.split())


@light_dataclass(frozen=True, slots=True)
class WrittenNumber:
    readings: tuple[int | float, ...]  # of the one number, or of the one that the text begins with
    factors: tuple[float, ...] = ()  # what its unit may stand for
    is_all: bool = False  # nothing is said but this number of something
    is_share: bool = False  # a part of something, which may be anything

    def fits(self, measured: int | float) -> bool:
        if any(is_rounded(one, measured) for one in self.readings):
            return True
        if abs(measured) >= 10**MOST_DIGITS:
            return False

        parts = [measured / factor for factor in self.factors]
        return any(is_rounded(one, part) for one in self.readings for part in parts)

    @property
    def meanings(self) -> list[int | float]:
        """All that it may be, in whatever the measured number counts."""
        return [one * factor for one in self.readings for factor in (1, *self.factors)]


def number_in(text: str) -> WrittenNumber | None:
    """The number that a text says; None if there is none in it."""
    text = text[:LONGEST].strip().removeprefix("=").strip()
    first = text.casefold().partition(" ")[0].rstrip(".!")
    if first in NUMBER_WORDS:
        return WrittenNumber((NUMBER_WORDS[first],), is_all=_is_one_thing(text[len(first) :]))

    found = list(_NUMBER.finditer(text))
    if not found:
        return None

    begins = found[0].start() == 0
    if len(found) > 1 and not begins:
        return WrittenNumber(())

    after = text[found[0].end() :]
    word = after.strip(" .!").casefold()
    is_certain = word not in UNITS and _is_one_thing(after)  # an hour may be counted in anything
    is_all = begins and len(found) == 1 and (is_certain or word in SHARES or word in SIZES)
    return WrittenNumber(
        _readings(found[0].group()), UNITS.get(word, ()), is_all, is_share=word in SHARES
    )


def _is_one_thing(rest: str) -> bool:
    """Whether a number is followed by one plain word at most: `9`, `9 mails`, and not `9+`, `9th`,
    `9 of 12` or `2 more`."""
    if rest[:1] not in ("", " ", ".", "!"):
        return False

    word = rest.strip(" .!").casefold()
    return not word or (word.isalpha() and word not in RELATIVE)


def _readings(written: str) -> tuple[int | float, ...]:
    """`1,234` is 1234 or 1.234."""
    spellings = (written, _BETWEEN_THOUSANDS.sub("", written))
    numbers = [read_number(one.replace(",", ".")) for one in spellings]
    return tuple(dict.fromkeys(one for one in numbers if one is not None))


def is_rounded(claimed: float, measured: float) -> bool:
    """Whether the claim is the measured number, or one with fewer decimals that is as near as any.
    Of a half both ways are taken: people and programs round it differently."""
    said = Decimal(str(claimed))
    decimals = said.as_tuple().exponent
    if not isinstance(decimals, int):
        return False  # it is infinite, or not a number

    off = abs(said - Decimal(str(measured)))
    return off <= NOISE or off <= Decimal((0, (5,), min(decimals, 0) - 1))


# -- sizes -----------------------------------------------------------------------------------------

_SIZE = re.compile(r"(\d+(?:[.,]\d+)?) ?(?:([kKMGTP])(?:i?B)?|([kmgtp])b|(?:B|bytes?))")
MARKS = "kmgtp"


def size_in(text: str) -> tuple[float, float] | None:
    """The fewest and the most bytes that a size may mean: a K is 1000 or 1024, and `4.0K` as `du`
    writes it is anything above 3.9K."""
    match = _SIZE.fullmatch(text[:LONGEST].strip())
    if not match:
        return None

    digits = match[1].replace(",", ".")
    number = float(digits)
    mark = (match[2] or match[3] or "").lower()
    if not mark:
        return number, number

    power = MARKS.index(mark) + 1
    step = 10.0 ** -len(digits.partition(".")[2])
    return (number - step) * 1000**power, (number + step) * 1024**power


# -- dates and instants ----------------------------------------------------------------------------

ZONES_APART = timedelta(hours=14)  # at most, between a clock on earth and UTC
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec"
MONTHS = {month: number for number, month in enumerate(_MONTHS.split(), 1)}
_DAY_FIRST = re.compile(
    r"(?P<day>\d{1,2})\.? (?P<month>[a-z]{3,9})\.?,? (?P<year>\d{4})(?P<rest>.*)"
)
_MONTH_FIRST = re.compile(
    r"(?P<month>[a-z]{3,9})\.? (?P<day>\d{1,2}),? (?P<year>\d{4})(?P<rest>.*)"
)
_DOTTED = re.compile(r"(?P<day>\d{1,2})\.(?P<month>\d{1,2})\.(?P<year>\d{4})(?P<rest>.*)")
_ISO = re.compile(r"\d{4}-\d\d-\d\d(?P<time>[T ]\d\d:\d\d(?P<seconds>:\d\d)?)?.*", re.IGNORECASE)


@light_dataclass(frozen=True, slots=True)
class WrittenTime:
    begins: datetime
    lasts: timedelta  # a day, a minute or a second, as precisely as it is written

    def is_same_as(self, other: "WrittenTime") -> bool:
        """Whether both may mean the same, also where a zone is left out."""
        if self._overlaps(other, wall=True):
            return True

        return self._is_fixed and other._is_fixed and self._overlaps(other, wall=False)

    def cannot_be(self, other: "WrittenTime") -> bool:
        are_days = self.lasts == other.lasts == timedelta(days=1)
        if are_days or (self._is_fixed and other._is_fixed):
            return not self.is_same_as(other)

        first, second = sorted((self, other), key=lambda one: one._from(wall=True))
        gap = second._from(wall=True) - (first._from(wall=True) + first.lasts)
        return gap > ZONES_APART

    def _overlaps(self, other: "WrittenTime", *, wall: bool) -> bool:
        first, second = self._from(wall=wall), other._from(wall=wall)
        return first < second + other.lasts and second < first + self.lasts

    def is_between(self, first: "WrittenTime", last: "WrittenTime") -> bool:
        """Whether it lies between two others that are written with a zone, or without, as it is."""
        if not (self._is_fixed is first._is_fixed is last._is_fixed):
            return False

        begin, said, end = (one._from(wall=not self._is_fixed) for one in (first, self, last))
        return min(begin, end) <= said <= max(begin, end)

    @property
    def _is_fixed(self) -> bool:
        return self.begins.tzinfo is not None

    def _from(self, *, wall: bool) -> datetime:
        return self.begins.replace(tzinfo=UTC) if wall else self.begins.astimezone(UTC)


def time_in(text: str) -> WrittenTime | None:
    """A date or an instant that is all of the text; None if it is neither."""
    iso = _as_iso(text[:LONGEST].strip())
    match = _ISO.fullmatch(iso)
    if not match:
        return None

    try:
        begins = datetime.fromisoformat(iso)
    except ValueError:
        return None

    if not match["time"]:
        return WrittenTime(begins, timedelta(days=1))

    return WrittenTime(begins, timedelta(seconds=1 if match["seconds"] else 60))


def _as_iso(text: str) -> str:
    lower = text.casefold()
    match = _DAY_FIRST.fullmatch(lower) or _MONTH_FIRST.fullmatch(lower)
    month = MONTHS.get(match["month"][:3]) if match else None
    if dotted := _DOTTED.fullmatch(lower):
        match = dotted
        month = int(dotted["month"])
    if not match or month is None:
        return text

    clock = match["rest"].strip(" ,").removeprefix("at ").strip()
    clock = f" {clock.zfill(5)}" if clock else ""
    return f"{match['year']}-{month:02}-{int(match['day']):02}{clock}"
