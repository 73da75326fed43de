"""Which model would be asked, and why."""

import pytest

from core.agent.choose import AnyAccess, agent_of_verifier, choose
from core.model.agent import NoModel
from core.model.settings import AgentSettings, Settings, VerifierSettings
from tests.fakes.model import FakeLocalModels
from tests.fakes.outside import FakeSecrets

OLLAMA = "http://127.0.0.1:11434"


class Place:
    """A machine with some keys, programs and perhaps an Ollama: the `ModelSources` of
    core/agent/choose.py."""

    def __init__(self) -> None:
        self.secrets = FakeSecrets()
        self.environment: dict[str, str] = {}
        self.local_models = FakeLocalModels()

    def choose(self, settings: AgentSettings | None = None) -> AnyAccess | NoModel:
        return choose(settings or AgentSettings(), self)

    def found(self, settings: AgentSettings | None = None) -> AnyAccess:
        found = self.choose(settings)
        assert not isinstance(found, NoModel), found
        return found

    def refused(self, settings: AgentSettings | None = None) -> NoModel:
        refused = self.choose(settings)
        assert isinstance(refused, NoModel), refused
        return refused


@pytest.fixture
def place() -> Place:
    return Place()


def test_auto_prefers_a_key_from_the_keyring(place: Place) -> None:
    place.secrets.kept = {"openai": "sk-ring"}
    place.environment = {"ANTHROPIC_API_KEY": "sk-variable", "OPENAI_API_KEY": "sk-variable"}
    place.local_models.servers = {OLLAMA: ("qwen3:latest",)}
    place.local_models.programs = {"claude": "/usr/bin/claude"}
    found = place.found()

    assert (found.choice.provider, found.key) == ("openai", "sk-ring")
    assert found.choice.model
    assert found.choice.base_url == "https://api.openai.com/v1"
    assert "keyring" in found.choice.reason
    assert place.local_models.asked == [], "a local server is not asked if its answer is not needed"


def test_auto_takes_the_usual_variable_if_the_keyring_has_no_key(place: Place) -> None:
    place.environment = {"ANTHROPIC_API_KEY": " sk-variable\n"}
    found = place.found()

    assert (found.choice.provider, found.key) == ("anthropic", "sk-variable")
    assert found.choice.reason == "ANTHROPIC_API_KEY is set"


def test_auto_takes_a_local_ollama_if_there_is_no_key(place: Place) -> None:
    place.local_models.servers = {OLLAMA: ("qwen3:latest", "llama3")}
    place.local_models.programs = {"codex": "/usr/bin/codex"}
    choice = place.found().choice

    assert (choice.provider, choice.model, choice.base_url) == (
        "ollama",
        "qwen3:latest",
        "http://127.0.0.1:11434/v1",
    )


@pytest.mark.parametrize(
    ("program", "name"), [("claude", "claude-code"), ("codex", "codex"), ("gemini", "gemini")]
)
def test_auto_takes_an_installed_command_line_agent_last(
    place: Place, program: str, name: str
) -> None:
    place.local_models.servers = {OLLAMA: ()}
    place.local_models.programs = {program: f"/usr/bin/{program}"}
    assert place.found().choice.provider == name


def test_auto_without_anything_says_how_to_set_one_up(place: Place) -> None:
    refused = place.refused()
    assert refused.reason == "no model is set up"
    assert "heartbeat key set anthropic" in refused.hint


def test_a_keyring_that_fails_is_asked_once_and_other_sources_are_still_tried(place: Place) -> None:
    place.secrets.trouble = "The keyring is locked."
    assert place.refused().reason == "no model is set up (the keyring is locked)"
    assert place.secrets.reads == 1

    place.environment = {"OPENAI_API_KEY": "sk-variable"}
    assert place.found().choice.reason == "OPENAI_API_KEY is set (the keyring is locked)"

    place.environment = {}
    place.local_models.servers = {OLLAMA: ("qwen3",)}

    assert place.found().choice.provider == "ollama"


@pytest.mark.parametrize("key", ["sk-line\nbreak", "sk-鍵", "sk-\x00"])
def test_what_cannot_be_a_key_is_neither_used_nor_shown(place: Place, key: str) -> None:
    place.secrets.kept = {"anthropic": key}
    for refused in (place.refused(), place.refused(AgentSettings("anthropic"))):
        assert "characters that no key can contain" in refused.reason
        assert key not in refused.reason


def test_a_key_is_not_part_of_the_repr(place: Place) -> None:
    place.secrets.kept = {"anthropic": "sk-secret"}
    assert "sk-secret" not in repr(place.found())


@pytest.mark.parametrize("name", ["anthropic", "openai"])
def test_a_provider_that_is_named_needs_its_own_key(place: Place, name: str) -> None:
    place.secrets.kept = {"openai" if name == "anthropic" else "anthropic": "sk-of-the-other"}
    place.local_models.servers = {OLLAMA: ("qwen3",)}
    refused = place.refused(AgentSettings(name))

    assert refused.reason == f"there is no key for {name}"
    assert refused.hint == f"Store it: heartbeat key set {name}"


def test_the_person_may_name_model_and_address(place: Place) -> None:
    place.secrets.kept = {"anthropic": "sk-1"}
    found = place.found(
        AgentSettings("anthropic", "claude-opus-4-5", "https://gateway.example/v1/")
    )

    assert found.choice.model == "claude-opus-4-5"
    assert found.choice.base_url == "https://gateway.example"  # its client adds /v1


@pytest.mark.parametrize(
    ("model", "provider"),
    [("claude-opus-4-5", "anthropic"), ("gpt-5.4", "openai"), ("qwen3", "ollama")],
)
def test_auto_takes_the_provider_of_the_named_model(
    place: Place, model: str, provider: str
) -> None:
    place.secrets.kept = {"anthropic": "sk-1", "openai": "sk-2"}
    place.local_models.servers = {OLLAMA: ("llama3", "qwen3:latest")}
    choice = place.found(AgentSettings(model=model)).choice

    assert (choice.provider, choice.model) == (provider, model)


def test_an_address_without_a_provider_gets_no_key(place: Place) -> None:
    place.secrets.kept = {"anthropic": "sk-1", "openai": "sk-2"}
    place.environment = {"OPENAI_API_KEY": "sk-3"}
    found = place.found(AgentSettings(model="local", base_url="http://192.168.1.5:1234/v1"))

    assert (found.choice.provider, found.key) == ("openai-compatible", "")


def test_a_compatible_server_needs_an_address_and_a_model(place: Place) -> None:
    assert "base_url" in place.refused(AgentSettings("openai-compatible")).reason
    assert (
        "model"
        in place.refused(
            AgentSettings("openai-compatible", base_url="http://127.0.0.1:1/v1")
        ).reason
    )


def test_a_compatible_server_gets_its_own_key(place: Place) -> None:
    place.secrets.kept = {"openai-compatible": "sk-own", "openai": "sk-other"}
    found = place.found(AgentSettings("openai-compatible", "x", "http://127.0.0.1:1/v1"))
    assert found.key == "sk-own"


def test_a_configured_ollama_with_a_model_is_not_asked(place: Place) -> None:
    choice = place.found(AgentSettings("ollama", "qwen3", "http://127.0.0.1:5000")).choice
    assert choice.base_url == "http://127.0.0.1:5000/v1"
    assert place.local_models.asked == []


def test_a_configured_ollama_that_is_silent_or_empty_is_reported(place: Place) -> None:
    assert "does not answer" in place.refused(AgentSettings("ollama")).reason
    place.local_models.servers = {OLLAMA: ()}
    assert "ollama pull" in place.refused(AgentSettings("ollama")).hint


def test_a_command_line_agent_that_is_not_installed_is_reported(place: Place) -> None:
    assert "`claude`" in place.refused(AgentSettings("claude-code")).reason


def test_the_provider_none_asks_no_model(place: Place) -> None:
    place.secrets.kept = {"anthropic": "sk-1"}
    place.refused(AgentSettings("none"))
    assert place.secrets.reads == 0


def test_an_unknown_provider_is_answered_with_the_nearest_name(place: Place) -> None:
    assert place.refused(AgentSettings("antropic")).hint == "Did you mean `anthropic`?"
    assert "claude-code" in place.refused(AgentSettings("xyz")).hint


@pytest.mark.parametrize(
    ("verifier", "expected"),
    [
        (VerifierSettings(), AgentSettings("openai", "m", "u")),
        (VerifierSettings(model="other"), AgentSettings("openai", "other", "u")),
        (VerifierSettings("openai"), AgentSettings("openai", "m", "u")),
        (VerifierSettings("anthropic"), AgentSettings("anthropic")),
        (VerifierSettings("ollama", "q", "v"), AgentSettings("ollama", "q", "v")),
    ],
    ids=str,
)
def test_the_judge_is_the_agent_unless_the_person_says_otherwise(
    verifier: VerifierSettings, expected: AgentSettings
) -> None:
    assert (
        agent_of_verifier(Settings(agent=AgentSettings("openai", "m", "u"), verifier=verifier))
        == expected
    )
