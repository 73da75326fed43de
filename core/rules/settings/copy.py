"""The checked copy of the settings: how it is written, and read back without pydantic. Pure.

A copy counts only for the files that it was made of (their paths and all their bytes) and for the
program that made it. Law: what is not exactly such a copy is no copy at all. It is never repaired,
and nothing of it is used: the files themselves are always there to be read again.
"""

from collections.abc import Mapping, Sequence
from datetime import timedelta
from types import UnionType
from typing import Any, get_args, get_origin

from core import VERSION
from core.model.settings import Settings

FORMAT = 1
# Of what the settings files may say: a copy that was checked by other rules does not count. A test
# says what to write here after a change.
DECLARATION = "a4acc9fa7ab3e28c"
MICROSECOND = timedelta(microseconds=1)
LONGEST = timedelta.max // MICROSECOND
SCALARS = (str, int, float, bool)

Source = tuple[str, str]  # the path of a file, and the fingerprint of its bytes


class NotACopyError(Exception):
    """Something in it is not as it was written. It never leaves this module."""


def copy_of(settings: Settings, sources: Sequence[Source]) -> dict[str, Any]:
    return {**_made_of(sources), "settings": _kept(settings)}


def settings_of(copy: object, sources: Sequence[Source]) -> Settings | None:
    """The settings that were made of these files; None if this is not a copy of them."""
    if not isinstance(copy, dict):
        return None

    made_of = {key: value for key, value in copy.items() if key != "settings"}
    if made_of != _made_of(sources):
        return None

    try:
        found = _read(Settings, copy.get("settings"))
    except NotACopyError:
        return None

    assert isinstance(found, Settings)
    return found


def _made_of(sources: Sequence[Source]) -> dict[str, Any]:
    return {
        "format": FORMAT,
        "declaration": DECLARATION,
        "program": VERSION,
        "sources": [list(one) for one in sources],
    }


def _kept(value: Any) -> Any:
    if isinstance(value, timedelta):
        return value // MICROSECOND
    if isinstance(value, tuple):
        return list(value)
    if isinstance(value, Mapping):
        return {key: _kept(one) for key, one in value.items()}
    if hasattr(value, "__match_args__"):
        return {name: _kept(getattr(value, name)) for name in value.__match_args__}

    return value


def _read(kind: Any, kept: Any) -> Any:
    """The value of this kind, by the annotations of core/model/settings.py."""
    origin = get_origin(kind)
    if origin is tuple:
        return tuple(_read(get_args(kind)[0], one) for one in _checked(kept, list))
    if origin is Mapping:
        inner = get_args(kind)[1]
        return {key: _read(inner, one) for key, one in _checked(kept, dict).items()}
    if hasattr(kind, "__match_args__"):
        return _read_light(kind, _checked(kept, dict))
    if kind is timedelta:
        return _read_duration(kept)

    return _read_plain(kind, kept)


def _read_light(kind: Any, kept: dict[str, Any]) -> Any:
    if kept.keys() != set(kind.__match_args__):
        raise NotACopyError

    return kind(**{name: _read(kind.__annotations__[name], kept[name]) for name in kept})


def _read_duration(kept: object) -> timedelta:
    if type(kept) is not int or not 0 <= kept <= LONGEST:
        raise NotACopyError

    return timedelta(microseconds=kept)


def _read_plain(kind: Any, kept: Any) -> Any:
    if kind is object:  # a key of a channel
        known: tuple[type, ...] = SCALARS
    else:
        known = get_args(kind) if isinstance(kind, UnionType) else (kind,)

    if type(kept) not in known:
        raise NotACopyError

    return kept


def _checked(kept: Any, kind: type) -> Any:
    if type(kept) is not kind:
        raise NotACopyError

    return kept
