"""Writes core/rules/providers/public_prices.py from the data of genai-prices: run `python -m
tests.generate_prices`. A test compares the file with what this makes.

Only what the program can use: the providers of the table that have prices, their models that read
and write text, the standard prices on the given day. A rule of theirs that has no counterpart here
ends it with an error, so that none is left out in silence.
"""

import argparse
import re
import subprocess
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime, time
from decimal import Decimal
from importlib.metadata import version
from pathlib import Path

from genai_prices import types
from genai_prices.data import providers

from core.model.light_dataclass import replace
from core.model.settings import Price
from core.rules.providers import services
from core.rules.providers.record import PricedModel, Service

ROOT = Path(__file__).parents[1]
FILE = ROOT / "core" / "rules" / "providers" / "public_prices.py"
UNITS = ("input_mtok", "output_mtok", "cache_read_mtok", "cache_write_mtok", "cache_write_1h_mtok")
OTHER_WORK = re.compile("audio|image|video|realtime|character|transcribe")  # not for a batch
DATED = re.compile(r"\^(.+?)(?:-|\[-@\])(?:\\d\{8\}|\\d\{4\}-\\d\{2\}-\\d\{2\})\$")

HEADER = '''"""What the models of the providers cost, in USD per million tokens, on {day}.

Written by `python -m tests.generate_prices` from the data of genai-prices {version}: do not edit.
"""

from core.model.settings import Price
from core.rules.providers.record import PricedModel

DAY = "{day}"

PRICES: dict[str, tuple[PricedModel, ...]] = {{
'''

Value = Decimal | types.TieredPrices | None


class UnknownRuleError(Exception):
    """genai-prices has something that our table cannot say."""


def public_models(service: Service, day: date) -> Iterator[tuple[types.ModelInfo, PricedModel]]:
    """The text models of a provider, theirs and ours, in their order."""
    moment = datetime.combine(day, time(12), UTC)
    for info in (model for one in providers if one.id == service.name for model in one.models):
        prices = info.get_prices(moment)
        keys = [key for key, value in vars(prices).items() if value is not None]
        if not info.id.startswith(service.model_prefixes) or any(
            map(OTHER_WORK.search, [info.id, *keys])
        ):
            continue
        if "input_mtok" in keys and "output_mtok" in keys:
            names, prefixes = _matching(info.match)
            yield info, PricedModel(names, prefixes, _price(info.id, prices))


def _matching(rule: types.MatchLogic) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The names and the beginnings of names that the rule is about."""
    names: dict[str, None] = {}
    prefixes: dict[str, None] = {}
    for clause in _clauses(rule):
        match clause:
            case types.ClauseEquals(equals=name):
                names[name] = None
            case types.ClauseStartsWith(starts_with=start) | types.ClauseContains(contains=start):
                prefixes[start] = None
            case types.ClauseRegex(regex=pattern) if dated := DATED.fullmatch(pattern):
                names[dated[1].replace("\\", "")] = None
            case _:
                raise UnknownRuleError(f"a rule for the names of a model: {clause}")

    return tuple(names), tuple(prefixes)


def _clauses(rule: types.MatchLogic) -> Iterator[types.MatchLogic]:
    if isinstance(rule, types.ClauseOr):
        for one in rule.or_:
            yield from _clauses(one)
    else:
        yield rule


def _price(model: str, prices: types.ModelPrice) -> Price:
    values = [getattr(prices, unit) for unit in UNITS]
    tiers = [one.tiers for one in values if isinstance(one, types.TieredPrices)]
    starts = [[tier.start for tier in one] for one in tiers]
    if any(one != starts[0] for one in starts):
        raise UnknownRuleError(f"prices of {model} that begin at different lengths: {starts}")

    above = [
        (start, _priced(values, number)) for number, start in enumerate(starts[0] if starts else ())
    ]
    return replace(_priced(values, None), above=tuple(above))


def _priced(values: list[Value], tier: int | None) -> Price:
    """The prices of one tier; None: below the first."""
    reading, writing, *cached = (_number(value, tier) for value in values)
    from_cache, into_cache, for_an_hour = cached
    assert reading is not None
    assert writing is not None
    return Price(reading, writing, from_cache, into_cache, for_an_hour)


def _number(value: Value, tier: int | None) -> float | None:
    if isinstance(value, types.TieredPrices):
        value = value.base if tier is None else value.tiers[tier].price

    return None if value is None else float(value)


def table(day: date) -> str:
    """The file, for the prices of that day."""
    lines = [HEADER.format(day=day.isoformat(), version=version("genai-prices"))]
    for service in services():
        models = [ours for _, ours in public_models(service, day)]
        lines.append(f"{service.name!r}: (")
        lines += [
            f"PricedModel({one.names!r}, {one.prefixes!r}, {_written(one.price)}),"
            for one in models
        ]
        lines.append("),")
    lines.append("}")

    return subprocess.run(
        [sys.executable, "-m", "ruff", "format", "--stdin-filename", str(FILE), "-"],
        cwd=ROOT,
        input="\n".join(lines),
        capture_output=True,
        check=True,
        text=True,
    ).stdout


def _written(price: Price) -> str:
    words = [repr(price.input), repr(price.output)]
    words += [
        f"{name}={number!r}"
        for name in ("cache_read", "cache_write", "cache_write_hour")
        if (number := getattr(price, name)) is not None
    ]

    if price.above:
        longer = ", ".join(f"({start}, {_written(one)})" for start, one in price.above)
        words.append(f"above=({longer},)")

    return f"Price({', '.join(words)})"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument(
        "--day",
        type=date.fromisoformat,
        default=datetime.now(UTC).date(),
        help="the day of the prices, instead of today",
    )
    options = parser.parse_args()
    FILE.write_text(table(options.day), encoding="utf-8")


if __name__ == "__main__":
    main()
