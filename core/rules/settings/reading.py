"""Reads the settings of config.toml and config.json by their declaration in tables.py. Pure: the
content of the files is an argument. The result is made of light values, without pydantic.

Law: a mistake is one sentence that says which file, which key, what is wrong and what to write; of
several it is the first in the file. An unknown name comes with the nearest known one.
"""

from collections.abc import Iterator, Mapping
from datetime import timedelta
from typing import Any, NamedTuple, TypeVar, get_args, get_origin

from pydantic import BaseModel, ValidationError
from pydantic.fields import FieldInfo

from core.model.errors import HeartbeatError
from core.model.light_dataclass import replace
from core.model.settings import DEFAULT_INTERVAL, DESKTOP, McpServer, Price, Settings
from core.rules.channels import CHANNEL_TYPES
from core.rules.printable import shown
from core.rules.reading.findings import did_you_mean
from core.rules.settings.tables import (
    BY_NAME,
    DEFAULTS,
    WORKSPACE_KEYS,
    ConfigFile,
    Table,
    WorkspaceFile,
    channel_table,
    inner_table,
)
from core.rules.settings.values import EmptyValueError, Says, not_one_of

SHORTEST_INTERVAL = timedelta(minutes=1)

File = TypeVar("File", bound=BaseModel)
Place = tuple[str | int, ...]  # the keys that lead to a value


class Mistake(NamedTuple):
    place: Place
    sentence: str  # without the file
    hint: str


def read_settings(config: Mapping[str, Any], file: str) -> Settings:
    """The settings of config.toml. A wrong key is a HeartbeatError that says what to write; the
    program does not guess."""
    found = _validated(ConfigFile, config)
    mistakes = found if isinstance(found, list) else []
    mistakes += _channel_mistakes(config.get("channels"))
    if mistakes or isinstance(found, list):
        raise _error(mistakes, config, file)

    settings = _light(found, file)
    _check_channels(settings, file)
    return _bounded(settings, file)


def with_workspace_settings(settings: Settings, config: object, file: str) -> Settings:
    """`enabled`, `intervalMs` and `heartbeatFile` in a workspace's config.json win over
    config.toml; a missing table changes nothing."""
    found = _validated(WorkspaceFile, config)
    if isinstance(found, list):
        raise _error(found, config, file)

    given = found.heartbeat
    changes: dict[str, Any] = {}
    if "enabled" in given.model_fields_set:
        changes["enabled"] = given.enabled
    if "intervalMs" in given.model_fields_set:
        changes["interval"] = timedelta(milliseconds=given.intervalMs) or DEFAULT_INTERVAL
    if "heartbeatFile" in given.model_fields_set:
        changes["heartbeat_file"] = given.heartbeatFile

    warnings = (*settings.warnings, *_unused(config, file))
    sources = {**settings.sources, **dict.fromkeys(changes, file)}
    settings = replace(settings, **changes, sources=sources, warnings=warnings)

    return _bounded(settings, file)


def _unused(config: Any, file: str) -> list[str]:
    return [
        f"{file}: `{shown(key)}` is not used. {did_you_mean(key, WORKSPACE_KEYS)}"
        for key in config.get("heartbeat", {})
        if key not in WORKSPACE_KEYS
    ]


def _bounded(settings: Settings, file: str) -> Settings:
    if settings.interval >= SHORTEST_INTERVAL:
        return settings

    warning = f"{file}: an interval under a minute is too short; it beats once per minute."
    return replace(settings, interval=SHORTEST_INTERVAL, warnings=(*settings.warnings, warning))


# -- from the tables to light values ---------------------------------------------------------------


def _light(found: ConfigFile, file: str) -> Settings:
    values: dict[str, Any] = {}
    sources: dict[str, str] = {}

    for name, field in ConfigFile.model_fields.items():
        value = getattr(found, name)
        if name in BY_NAME:
            continue
        if inner_table(field) is None:
            values[name] = value
            set_here = [name] if name in found.model_fields_set else []
        else:
            values[name] = type(getattr(DEFAULTS, name))(**_plain(value))
            set_here = [f"{name}.{key}" for key in value.model_fields_set]

        sources |= dict.fromkeys(set_here, file)

    servers = {name: McpServer(**_plain(one)) for name, one in found.mcp.servers.items()}
    prices = {model: Price(**_plain(one)) for model, one in found.prices.items()}
    named = {"channels": found.channels, "mcp.servers": servers, "prices": prices}
    sources |= {table: file for table, entries in named.items() if entries}

    return Settings(
        **values, channels=found.channels, mcp_servers=servers, prices=prices, sources=sources
    )


def _plain(table: Table) -> dict[str, Any]:
    values = {key: getattr(table, key) for key in type(table).model_fields}
    return {key: tuple(one) if isinstance(one, list) else one for key, one in values.items()}


# -- channels --------------------------------------------------------------------------------------


def _channel_mistakes(channels: object) -> list[Mistake]:
    """Their tables are checked one by one, each by its own type: a mistake would otherwise be found
    only when a message could not be sent."""
    if not isinstance(channels, Mapping):
        return []

    return [
        mistake
        for name, keys in channels.items()
        for mistake in _mistakes_of_channel(keys, ("channels", name))
    ]


def _mistakes_of_channel(keys: object, place: Place) -> list[Mistake]:
    if not isinstance(keys, Mapping):
        return [_not_a_table(place)]

    kind = CHANNEL_TYPES.get(keys["type"]) if isinstance(keys.get("type"), str) else None
    if kind is None:
        return [_not_one_of((*place, "type"), tuple(CHANNEL_TYPES), keys.get("type"))]

    found = _validated(channel_table(kind), keys, place)
    return found if isinstance(found, list) else []


def _check_channels(settings: Settings, file: str) -> None:
    known = (DESKTOP, *settings.channels)
    for name in settings.notify.channels:
        if name not in known:
            message = (
                f"{file}: `notify.channels` names `{shown(name)}`, and there is no "
                f"[channels.{shown(name)}]."
            )
            raise HeartbeatError(message, did_you_mean(name, known))


# -- mistakes --------------------------------------------------------------------------------------


def _validated(file: type[File], content: object, above: Place = ()) -> File | list[Mistake]:
    try:
        return file.model_validate(content)
    except ValidationError as error:
        found = error.errors(include_url=False)
        return [_mistake(one, file, above) for one in found]


def _error(mistakes: list[Mistake], content: object, file: str) -> HeartbeatError:
    first = min(mistakes, key=lambda one: _position(content, one.place))
    return HeartbeatError(f"{file}: {first.sentence}", first.hint)


def _position(content: object, place: Place) -> list[int]:
    """Where in the file it is, so that the first mistake is named first."""
    position: list[int] = []
    for key in place:
        if not isinstance(content, Mapping):
            break

        position.append([*content, key].index(key))
        content = content.get(key)

    return position


def _mistake(error: Mapping[str, Any], file: type[BaseModel], above: Place) -> Mistake:
    fields = list(_way(file, error["loc"]))
    place = (*above, *(key for key, _ in fields))
    field = fields[-1][1] if fields else None

    match error["type"]:
        case "extra_forbidden":
            return _unknown(file, above, error["loc"])
        case "missing":
            return _missing(file, above, error["loc"])
        case "model_type" | "dict_type":
            return _not_a_table(place)
        case "literal_error" if field is not None:
            return _not_one_of(place, get_args(field.annotation), error["input"])
        case "value_error" if isinstance(error["ctx"]["error"], EmptyValueError):
            return _missing(file, above, error["loc"])
        case "value_error":
            return _wrong(place, error["ctx"]["error"].says)
        case _:
            return _wrong(place, _says(field))


def _way(file: type[BaseModel], place: Place) -> Iterator[tuple[str, FieldInfo | None]]:
    """The keys and fields that lead to a place; an index in a list is not one."""
    current: Any = file
    for key in map(str, place):
        if isinstance(current, type) and issubclass(current, BaseModel):
            field = current.model_fields.get(key)
            yield key, field
            current = field.annotation if field else None
        elif get_origin(current) is dict:
            yield key, None
            current = get_args(current)[1]
        else:
            return


def _table_at(file: type[BaseModel], place: Place) -> type[Table]:
    current: Any = file
    for key in place:
        is_by_name = get_origin(current) is dict
        current = get_args(current)[1] if is_by_name else current.model_fields[str(key)].annotation

    found: type[Table] = current
    return found


def _says(field: FieldInfo | None) -> Says:
    assert field is not None
    return next(one for one in field.metadata if isinstance(one, Says))


def _wrong(place: Place, says: Says) -> Mistake:
    words = says.message if says.message[0].islower() else f"is not right: {says.message}"
    return Mistake(place, f"`{_name(place)}` {words.rstrip('.')}.", says.hint)


def _not_one_of(place: Place, words: tuple[str, ...], value: object) -> Mistake:
    return _wrong(place, not_one_of(value, words).says)


def _not_a_table(place: Place) -> Mistake:
    if place in ((), ("heartbeat",)):
        return Mistake(
            place, "it must hold an object.", 'Write {"heartbeat": {"intervalMs": 1800000}}.'
        )

    name = _name(place)
    return Mistake(place, f"`{name}` must be a table.", f"Write `[{name}]` and its keys below it.")


def _unknown(file: type[BaseModel], above: Place, place: Place) -> Mistake:
    *around, key = place
    table = _table_at(file, tuple(around))
    where = _name((*above, *around))
    inside = f" in [{where}]" if where else ""
    hint = table.hint_for_unknown or did_you_mean(str(key), table.model_fields)

    return Mistake((*above, *place), f"`{shown(str(key))}` is not a setting{inside}.", hint)


def _missing(file: type[BaseModel], above: Place, place: Place) -> Mistake:
    *around, key = place
    table = _table_at(file, tuple(around))
    words = table.words_for_missing or f"has no {key}"
    hint = table.hint_for_missing or f'Write `{key} = "…"` in it.'

    return Mistake((*above, *place), f"[{_name((*above, *around))}] {words}.", hint)


def _name(place: Place) -> str:
    """The dotted name, as `heartbeat config` lists it; in config.json there is only one table."""
    keys = place[1:] if place[:1] == ("heartbeat",) else place
    return ".".join(shown(str(key)) for key in keys)
