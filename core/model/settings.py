"""The person's settings: `config.toml`, and the three keys of a workspace's `config.json` that
win over it."""

from collections.abc import Mapping
from datetime import timedelta

from core.model.light_dataclass import field, light_dataclass
from core.model.tags import GIVEN_TO_THE_MODEL

DESKTOP = "desktop"  # the channel that every machine has
# What `provider` may be instead of the name of one.
AUTO = "auto"  # the first provider that can be used
NONE = "none"
DEFAULT_INTERVAL = timedelta(minutes=30)


@light_dataclass(frozen=True, slots=True)
class AgentSettings:
    provider: str = AUTO
    model: str | None = None
    base_url: str | None = None
    permissions: tuple[str, ...] = GIVEN_TO_THE_MODEL
    allowed_domains: tuple[str, ...] = ()


@light_dataclass(frozen=True, slots=True)
class VerifierSettings:
    """Where a value is absent, the agent's is used."""

    provider: str | None = None
    model: str | None = None
    base_url: str | None = None


@light_dataclass(frozen=True, slots=True)
class BudgetSettings:
    requests_per_beat: int = 12
    tokens_per_beat: int = 60000
    minutes_per_beat: int = 5
    daily_usd: float = 1.0


@light_dataclass(frozen=True, slots=True)
class Price:
    """USD per million tokens."""

    input: float
    output: float
    cache_read: float | None = None  # None: as input
    cache_write: float | None = None
    cache_write_hour: float | None = None  # for what is kept for an hour; None: as cache_write
    # A request with more input tokens than this costs that, all of it; the shortest first.
    above: tuple[tuple[int, "Price"], ...] = ()

    @property
    def is_free(self) -> bool:
        return not any(
            (self.input, self.output, self.cache_read, self.cache_write, self.cache_write_hour)
        )


@light_dataclass(frozen=True, slots=True)
class GateSettings:
    on_missing_permission: str = "run"
    unsandboxed: bool = False


@light_dataclass(frozen=True, slots=True)
class ReviewSettings:
    max_per_day: int = 1


@light_dataclass(frozen=True, slots=True)
class SessionSettings:
    max_tokens: int = 300


@light_dataclass(frozen=True, slots=True)
class NotifySettings:
    score_drop: int = 20
    per_hour: int = 6
    channels: tuple[str, ...] = (DESKTOP,)


@light_dataclass(frozen=True, slots=True)
class AccountabilitySettings:
    consequences: bool = False


@light_dataclass(frozen=True, slots=True)
class McpServer:
    command: str
    args: tuple[str, ...] = ()
    permissions: tuple[str, ...] = ()


@light_dataclass(frozen=True, slots=True)
class Settings:
    workspace: str | None = None
    interval: timedelta = DEFAULT_INTERVAL
    enabled: bool = True
    approval: str = "ask"
    beat_budget: timedelta = timedelta(minutes=10)
    catch_up: str = "run"  # run, skip, or a duration
    quiet: str = "22:00-07:00"
    history_days: int = 400
    deliver: str = "auto"
    write_back: str = "status"
    heartbeat_file: str | None = None  # config.json only
    agent: AgentSettings = field(default_factory=AgentSettings)
    verifier: VerifierSettings = field(default_factory=VerifierSettings)
    budget: BudgetSettings = field(default_factory=BudgetSettings)
    gates: GateSettings = field(default_factory=GateSettings)
    review: ReviewSettings = field(default_factory=ReviewSettings)
    session: SessionSettings = field(default_factory=SessionSettings)
    notify: NotifySettings = field(default_factory=NotifySettings)
    accountability: AccountabilitySettings = field(default_factory=AccountabilitySettings)
    channels: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    mcp_servers: Mapping[str, McpServer] = field(default_factory=dict)
    prices: Mapping[str, Price] = field(default_factory=dict)  # by model, before the built-in ones
    sources: Mapping[str, str] = field(default_factory=dict)  # dotted key -> the file that set it
    warnings: tuple[str, ...] = ()
