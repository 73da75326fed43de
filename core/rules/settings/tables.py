"""Every setting, declared once: its key, kind, range, default and what it means.

The two files are checked by these tables, their JSON Schemas and the table in docs/spec.md are made
of them. A default is that of the light values in core/model/settings.py, which the rest of the
program uses; a setting that is missing in one of the two fails a test.

Law: as in values.py, nothing that has to be fast imports this.
"""

from collections.abc import Iterator
from datetime import timedelta
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, create_model
from pydantic.fields import FieldInfo
from pydantic.json_schema import GenerateJsonSchema

from core.model.settings import Settings
from core.rules.channels import CHANNEL_TYPES, ChannelType
from core.rules.settings.values import (
    Address,
    Amount,
    CatchUp,
    ChannelValue,
    Count,
    Days,
    Duration,
    FileInside,
    Flag,
    Hours,
    Milliseconds,
    Minutes,
    Provider,
    RequiredChannelValue,
    Tags,
    Text,
    Texts,
)
from core.rules.timing.durations import duration_text

DEFAULTS = Settings()


class Table(BaseModel):
    """A table of a settings file: these keys, and no others."""

    model_config = ConfigDict(strict=True, extra="forbid")

    hint_for_unknown: ClassVar[str] = ""  # empty: the nearest known key
    words_for_missing: ClassVar[str] = ""  # empty: "has no KEY"
    hint_for_missing: ClassVar[str] = ""  # empty: "Write `KEY = …` in it."


def setting(default: Any, means: str) -> Any:
    """A key with its default; None: the key has none, and `means` says what then counts."""
    return Field(default, description=means)


def table(of: type[Table], means: str) -> Any:
    return Field(default_factory=of, description=means)


class AgentTable(Table):
    provider: Provider = setting(
        DEFAULTS.agent.provider,
        "Who provides the model: `auto` for the first that can be used, `none`, or a name.",
    )
    model: Text = setting(None, "Which model. Without it: the provider's usual one.")
    base_url: Address = setting(None, "The address of the server. Without it: the provider's.")
    permissions: Tags = setting(
        list(DEFAULTS.agent.permissions), "What the model and the gates may do."
    )
    allowed_domains: Texts = setting(
        list(DEFAULTS.agent.allowed_domains), "The hosts that `http_get` reaches."
    )


class VerifierTable(Table):
    provider: Provider = setting(None, "Who provides the judge. Without it: as the agent.")
    model: Text = setting(None, "Which model judges. Without it: as the agent.")
    base_url: Address = setting(None, "The address of the judge. Without it: as the agent.")


class BudgetTable(Table):
    requests_per_beat: Count = setting(
        DEFAULTS.budget.requests_per_beat, "The most requests to a model in one beat."
    )
    tokens_per_beat: Count = setting(
        DEFAULTS.budget.tokens_per_beat, "The most tokens in one beat."
    )
    minutes_per_beat: Minutes = setting(
        DEFAULTS.budget.minutes_per_beat, "The most minutes that a model works in one beat."
    )
    daily_usd: Amount = setting(DEFAULTS.budget.daily_usd, "The most dollars per day.")


class GatesTable(Table):
    on_missing_permission: Literal["run", "skip"] = setting(
        DEFAULTS.gates.on_missing_permission,
        'Where a gate lacks a permission: run the prompt without it, or `"skip"`: it waits.',
    )
    unsandboxed: Flag = setting(
        DEFAULTS.gates.unsandboxed, "`true`: gates run without a sandbox if none works."
    )


class ReviewTable(Table):
    max_per_day: Count = setting(DEFAULTS.review.max_per_day, "Messages of the review per day.")


class SessionTable(Table):
    max_tokens: Count = setting(
        DEFAULTS.session.max_tokens, "The length of the summary of earlier beats."
    )


class NotifyTable(Table):
    score_drop: Count = setting(
        DEFAULTS.notify.score_drop, "Points lost in a day that are announced."
    )
    per_hour: Count = setting(DEFAULTS.notify.per_hour, "The most notifications per hour.")
    channels: Texts = setting(
        list(DEFAULTS.notify.channels),
        "Where notifications go: `desktop`, and names of channels.",
    )


class AccountabilityTable(Table):
    consequences: Flag = setting(
        DEFAULTS.accountability.consequences, "`true`: levels of the score change the interval."
    )


class ServerTable(Table):
    command: Text = Field(description="The program of the server.")
    args: Texts = setting([], "Its arguments.")
    permissions: Tags = setting([], "What the server may do.")


class McpTable(Table):
    hint_for_unknown = "Write `[mcp.servers.NAME]`."

    servers: dict[str, ServerTable] = setting({}, "The tool servers, by name.")


class PriceTable(Table):
    words_for_missing = "needs `input` and `output`"
    hint_for_missing = "Write the price in USD per million tokens: `input = 3.0`, `output = 15.0`."

    input: Amount = Field(description="USD per million tokens that the model reads.")
    output: Amount = Field(description="USD per million tokens that the model writes.")
    cache_read: Amount = setting(None, "For what the cache has. Without it: as input.")
    cache_write: Amount = setting(None, "For what goes into the cache. Without it: as input.")
    cache_write_hour: Amount = setting(
        None, "For what is kept there for an hour. Without it: as cache_write."
    )


def channel_table(kind: ChannelType) -> type[Table]:
    """The table of a channel of this type."""
    keys: dict[str, Any] = {"type": (Literal[kind.name], ...)}
    keys |= dict.fromkeys(kind.required_keys, (RequiredChannelValue, ...))
    keys |= dict.fromkeys(kind.optional_keys, (ChannelValue, None))

    return create_model(f"{kind.name.capitalize()}Channel", __base__=Table, **keys)


def _add_channel_types(schema: dict[str, Any]) -> None:
    kinds = [channel_table(kind) for kind in CHANNEL_TYPES.values()]
    schema["additionalProperties"] = {"oneOf": [schema_of(kind) for kind in kinds]}


class ConfigFile(Table):
    """The settings of Heartbeat, in config.toml. Every key is optional."""

    workspace: Text = setting(
        None, "The workspace if no other is named. Without it: `Heartbeat` in the documents folder."
    )
    interval: Duration = setting(
        DEFAULTS.interval, "The time between two ticks, at least a minute."
    )
    enabled: Flag = setting(DEFAULTS.enabled, "`false`: nothing starts on its own.")
    approval: Literal["ask", "owner"] = setting(
        DEFAULTS.approval, '`"owner"`: what is saved while the resident watches is approved.'
    )
    beat_budget: Duration = setting(
        DEFAULTS.beat_budget, "The time in a beat after which no LOW action starts."
    )
    catch_up: CatchUp = setting(
        DEFAULTS.catch_up, 'Missed slots: run once, `"skip"`, or how late one may be, as `"2h"`.'
    )
    quiet: Hours = setting(
        DEFAULTS.quiet, 'The hours with only the most urgent notifications; `""`: none.'
    )
    history_days: Days = setting(DEFAULTS.history_days, "How many days the ledger keeps.")
    deliver: Literal["auto", "keep", "notify"] = setting(
        DEFAULTS.deliver,
        'Answers to a plain file: `"keep"` them in the history, `"notify"` the person, or what the '
        "file asks for.",
    )
    write_back: Literal["status", "verdicts", "off"] = setting(
        DEFAULTS.write_back,
        '`"off"`: the program does not write into HEARTBEAT.md; `"verdicts"`: it also keeps one '
        "line with the last verdict under each task.",
    )
    agent: AgentTable = table(AgentTable, "The model that works.")
    verifier: VerifierTable = table(VerifierTable, "The model that judges.")
    budget: BudgetTable = table(BudgetTable, "What a model may use.")
    gates: GatesTable = table(GatesTable, "The commands before prompts.")
    review: ReviewTable = table(ReviewTable, "The model's own initiative.")
    session: SessionTable = table(SessionTable, "What a model knows of earlier beats.")
    notify: NotifyTable = table(NotifyTable, "Notifications.")
    accountability: AccountabilityTable = table(AccountabilityTable, "The score.")
    channels: dict[str, Any] = Field(
        default_factory=dict,
        description="Ways to send a notification, by name. `token` and `password` are names in the "
        "keyring.",
        json_schema_extra=_add_channel_types,
    )
    mcp: McpTable = table(McpTable, "Tools of other programs.")
    prices: dict[str, PriceTable] = setting(
        {}, "Prices by model, which win over those that the program knows."
    )


class WorkspaceTable(Table):
    """Its unknown keys are warned about, not refused: other programs write this file too."""

    model_config = ConfigDict(extra="ignore")

    enabled: Flag = setting(None, "`false`: nothing starts on its own. Without it: config.toml's.")
    intervalMs: Milliseconds = setting(  # noqa: N815 - as it is written in the file
        None,
        "The time between two ticks in milliseconds, at least a minute; 0 is 30 minutes. Without "
        "it: config.toml's.",
    )
    heartbeatFile: FileInside = setting(  # noqa: N815 - as it is written in the file
        None, "The file to read instead of HEARTBEAT.md, inside the workspace."
    )


class WorkspaceFile(Table):
    """What Heartbeat reads of a workspace's config.json; it wins over config.toml."""

    model_config = ConfigDict(extra="ignore")

    heartbeat: WorkspaceTable = table(WorkspaceTable, "The three settings of a workspace.")


# -- what is declared ------------------------------------------------------------------------------


class _Schema(GenerateJsonSchema):
    """Without titles, because the keys speak for themselves; durations as a person writes them."""

    def field_title_should_be_set(self, schema: Any) -> bool:
        return False

    def encode_default(self, dft: Any) -> Any:
        return duration_text(dft) if isinstance(dft, timedelta) else super().encode_default(dft)


def schema_of(file: type[BaseModel]) -> dict[str, Any]:
    """The JSON Schema (draft 2020-12). What has no default has no `null` either: neither file has
    a use for it."""
    found: dict[str, Any] = file.model_json_schema(schema_generator=_Schema)
    return {key: _without_null_defaults(value) for key, value in found.items()}


def full_schema_of(file: type[BaseModel]) -> dict[str, Any]:
    """The schema as a document of its own."""
    return {"$schema": GenerateJsonSchema.schema_dialect, **schema_of(file)}


def _without_null_defaults(schema: Any) -> Any:
    if isinstance(schema, list):
        return [_without_null_defaults(one) for one in schema]
    if not isinstance(schema, dict):
        return schema

    return {
        key: _without_null_defaults(value)
        for key, value in schema.items()
        if not (key == "default" and value is None)
    }


def inner_table(field: FieldInfo) -> type[Table] | None:
    """The table that this field is; None for a plain value and for tables by name."""
    found = field.annotation
    return found if isinstance(found, type) and issubclass(found, Table) else None


def plain_settings() -> Iterator[tuple[str, FieldInfo]]:
    """Every setting of config.toml by its dotted name, without the tables that are named by the
    person."""
    for name, field in ConfigFile.model_fields.items():
        inner = inner_table(field)
        if name in BY_NAME:
            continue
        if inner is None:
            yield name, field
        else:
            yield from ((f"{name}.{key}", one) for key, one in inner.model_fields.items())


BY_NAME = ("channels", "mcp", "prices")  # tables whose keys are names that the person chose
WORKSPACE_KEYS = tuple(WorkspaceTable.model_fields)
