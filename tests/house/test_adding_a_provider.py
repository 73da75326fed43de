"""A new provider is one record and one line in one table. These tests add one and use it for
everything that a provider is used for."""

from dataclasses import fields
from datetime import UTC, datetime, timedelta

import pytest

from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.agent import LanguageModel
from core.agent.choose import how_to_set_one_up
from core.model.agent import Batch, BatchEnding, BatchTask, Limits, ModelChoice, Question, Usage
from core.model.settings import Price
from core.rules import providers
from core.rules.keys import check_request
from core.rules.prices import cost_of, price_of
from core.rules.providers.record import OPENAI_WIRE, LocalServer, PricedModel, Program, Service
from core.rules.settings.reading import read_settings
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.world import FakeModelWorld
from tests.model_server import ModelServer, Say

PLENTY = Limits(requests=12, tokens=60_000, time=timedelta(minutes=1))
BATCH = Batch(
    datetime(2026, 11, 16, 9, 0, tzinfo=UTC),
    tasks=(BatchTask("tidy", "Tidy the desk", required=True),),
)


def heron(base_url: str) -> Service:
    return Service(
        name="heron",
        wire=OPENAI_WIRE,
        base_url=base_url,
        default_model="heron-1",
        key_variable="HERON_API_KEY",
        model_prefixes=("heron-",),
        prices=(PricedModel(("heron-1",), (), Price(1.0, 2.0)),),
    )


def model_with(config: dict[str, object], variables: dict[str, str]) -> LanguageModel:
    return LanguageModel(
        FakeModelWorld(read_settings(config, "config.toml"), environment=variables),
        lambda _batch: FakeToolbox(),
        lambda choice, usage: cost_of(usage, price_of(choice.provider, choice.model, {})),
    )


def test_a_record_in_the_table_is_all_that_a_provider_needs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with ModelServer(Say("HEARTBEAT_OK")) as server:
        record = heron(server.base_url("heron"))
        monkeypatch.setitem(providers.PROVIDERS, record.name, record)
        config: dict[str, object] = {"agent": {"provider": "heron"}}
        model = model_with(config, {"HERON_API_KEY": "hr-1234567890"})

        choice = model.choice()
        assert isinstance(choice, ModelChoice)
        assert (choice.provider, choice.model) == ("heron", "heron-1")

        result = model.work(BATCH, PLENTY, CancelSwitch())
        assert result.ending is BatchEnding.FINISHED, result.problem
        assert result.usage.usd, "its price is known"
        assert server.received[0].headers["authorization"] == "Bearer hr-1234567890"

        server.play(Say('{"answers": [{"task_id": "tidy", "verdict": "verified"}]}'))
        judged = model.judge([Question("tidy", "Tidy", "", "tidy")], PLENTY, CancelSwitch())
        assert "tidy" in judged.judgements, judged.problem

        request = check_request("heron", "hr-1", None)
        assert request is not None
        assert request.url == f"{record.base_url}/models"
        assert "heron" in providers.with_keys(), "a key can be stored for it"
        assert cost_of(Usage(input_tokens=1_000_000), price_of("heron", "heron-1", {})) == 1.0


def test_auto_finds_it_by_its_variable(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(providers.PROVIDERS, "heron", heron("http://127.0.0.1:9/v1"))
    choice = model_with({}, {"HERON_API_KEY": "hr-1234567890"}).choice()
    assert isinstance(choice, ModelChoice)
    assert choice.provider == "heron"


def test_the_advice_to_set_one_up_names_it(monkeypatch: pytest.MonkeyPatch) -> None:
    crane = LocalServer("crane", OPENAI_WIRE, "http://127.0.0.1:9", "Crane", "crane", "crane get")
    assert '"crane"' not in how_to_set_one_up()

    monkeypatch.setitem(providers.PROVIDERS, crane.name, crane)
    assert '"crane"' in how_to_set_one_up()


@pytest.mark.parametrize("shape", [Service, LocalServer, Program])
def test_a_field_that_is_forgotten_is_named(shape: type) -> None:
    """No field has a default that could be wrong for a provider."""
    for forgotten in fields(shape):
        others = {one.name: None for one in fields(shape) if one.name != forgotten.name}
        with pytest.raises(TypeError, match=forgotten.name):
            shape(**others)
