"""A real model, over both protocols and on two servers of different makers: a batch finishes, no
matter what the model says."""

from collections.abc import Iterator
from datetime import UTC, datetime, timedelta

import pytest

from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.agent import LanguageModel
from core.model.agent import Batch, BatchEnding, BatchPrompt, BatchTask, Limits, Question
from core.model.settings import AgentSettings, Settings
from tests.fakes.outside import FakeSecrets
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.world import FakeModelWorld
from tests.real_gateway import KEY, real_gateway
from tests.real_model import real_model

LIMITS = Limits(requests=4, tokens=20_000, time=timedelta(minutes=4))
BATCH = Batch(
    datetime(2026, 11, 16, 9, 0, tzinfo=UTC),
    context="Be brief.",
    tasks=(BatchTask("tidy", "Say that the desk is tidy", required=True),),
    prompts=(BatchPrompt("greeting", "Greeting", "Say hello.", gate_output="It is Monday."),),
)


CHOICES = [
    ("llama.cpp", "anthropic"),
    ("llama.cpp", "openai-compatible"),
    ("gateway", "anthropic"),
    ("gateway", "openai"),
    ("gateway", "openai-compatible"),
]


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with real_model() as address, real_gateway(address) as gateway:
        yield {"llama.cpp": address, "gateway": gateway}


@pytest.fixture
def cancel() -> Iterator[CancelSwitch]:
    switch = CancelSwitch()
    yield switch
    switch.close()


def language_model(provider: str, address: str, key: str, toolbox: FakeToolbox) -> LanguageModel:
    base_url = address if provider == "anthropic" else f"{address}/v1"
    secrets = FakeSecrets()
    secrets.kept = {provider: key}
    settings = Settings(agent=AgentSettings(provider, "smollm2", base_url))
    world = FakeModelWorld(settings, secrets)
    return LanguageModel(world, lambda _batch: toolbox, lambda _choice, _usage: None)


@pytest.fixture(params=CHOICES, ids=" ".join)
def model(
    request: pytest.FixtureRequest, addresses: dict[str, str], toolbox: FakeToolbox
) -> LanguageModel:
    server, provider = request.param
    return language_model(provider, addresses[server], KEY, toolbox)


@pytest.fixture
def toolbox() -> FakeToolbox:
    return FakeToolbox()


def test_a_batch_finishes(model: LanguageModel, toolbox: FakeToolbox, cancel: CancelSwitch) -> None:
    result = model.work(BATCH, LIMITS, cancel)

    assert result.ending is BatchEnding.FINISHED, result.problem
    assert result.text.strip()
    assert 1 <= result.usage.requests <= LIMITS.requests
    assert result.usage.input_tokens > 50
    assert result.usage.output_tokens > 0
    assert set(result.reports) <= {"tidy"}
    assert toolbox.closed


def test_a_judgement_counts_only_in_the_right_shape(
    model: LanguageModel, cancel: CancelSwitch
) -> None:
    result = model.judge([Question("tidy", "Tidy the desk", "", "claimed: done")], LIMITS, cancel)

    assert set(result.judgements) <= {"tidy"}
    assert result.usage.requests in (1, 2)


@pytest.mark.parametrize("provider", ["anthropic", "openai", "openai-compatible"])
def test_a_wrong_key_is_told_as_one(
    addresses: dict[str, str], toolbox: FakeToolbox, cancel: CancelSwitch, provider: str
) -> None:
    model = language_model(provider, addresses["gateway"], "rsk-wrong", toolbox)

    result = model.work(BATCH, LIMITS, cancel)

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem is not None
    assert "key" in result.problem.message
    assert "rsk-wrong" not in result.problem.full_text


def test_a_model_that_the_server_does_not_have_is_told_as_one(
    addresses: dict[str, str], toolbox: FakeToolbox, cancel: CancelSwitch
) -> None:
    settings = Settings(agent=AgentSettings("openai", "gpt-none", addresses["gateway"] + "/v1"))
    secrets = FakeSecrets()
    secrets.kept = {"openai": KEY}
    world = FakeModelWorld(settings, secrets)
    model = LanguageModel(world, lambda _batch: toolbox, lambda _choice, _usage: None)

    result = model.work(BATCH, LIMITS, cancel)

    assert result.ending is BatchEnding.UNREACHABLE
    assert result.problem is not None
    assert "gpt-none" in result.problem.full_text
