"""A real model, over both protocols: a batch finishes, no matter what the model says."""

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
from tests.real_model import real_model

LIMITS = Limits(requests=4, tokens=20_000, time=timedelta(minutes=4))
BATCH = Batch(
    datetime(2026, 11, 16, 9, 0, tzinfo=UTC),
    context="Be brief.",
    tasks=(BatchTask("tidy", "Say that the desk is tidy", required=True),),
    prompts=(BatchPrompt("greeting", "Greeting", "Say hello.", gate_output="It is Monday."),),
)


@pytest.fixture(scope="module")
def address() -> Iterator[str]:
    with real_model() as running:
        yield running


@pytest.fixture
def cancel() -> Iterator[CancelSwitch]:
    switch = CancelSwitch()
    yield switch
    switch.close()


@pytest.fixture(params=["anthropic", "openai-compatible"])
def model(request: pytest.FixtureRequest, address: str, toolbox: FakeToolbox) -> LanguageModel:
    provider = str(request.param)
    base_url = address if provider == "anthropic" else f"{address}/v1"
    secrets = FakeSecrets()
    secrets.kept = {"anthropic": "sk-any"}
    settings = Settings(agent=AgentSettings(provider, "smollm2", base_url))
    world = FakeModelWorld(settings, secrets)
    return LanguageModel(world, lambda _batch: toolbox, lambda _choice, _usage: None)


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
