"""Importing a provider's library takes seconds: only the one in use is imported, and only when the
model is asked."""

import json
import subprocess
import sys
from pathlib import Path

import pytest

from tests.model_server import ModelServer, Say

PROGRAM = """
import json, sys
from datetime import UTC, datetime, timedelta
from core.adapters.waiting.cancellation import CancelSwitch
from core.agent.agent import LanguageModel
from core.model.agent import Batch, BatchEnding, BatchTask, Limits, NoModel
from core.model.settings import AgentSettings, Settings
from tests.fakes.toolbox import FakeToolbox
from tests.fakes.world import FakeModelWorld

provider, base_url, is_due = json.loads(sys.argv[1])
class Secrets:
    get = {"anthropic": "sk-1", "openai": "sk-2"}.get

settings = Settings(agent=AgentSettings(provider, "scripted", base_url))
model = LanguageModel(
    FakeModelWorld(settings, Secrets()), lambda _: FakeToolbox(), lambda *_: None
)
assert isinstance(model.choice(), NoModel) == (provider == "none")
tasks = (BatchTask("tidy", "Tidy the desk", required=True),) if is_due else ()
batch = Batch(datetime(2026, 11, 16, tzinfo=UTC), tasks=tasks)
assert "[System]" in model.prompt(batch)
result = model.work(batch, Limits(5, 60_000, timedelta(minutes=1)), CancelSwitch())
expected = BatchEnding.UNREACHABLE if provider == "none" and is_due else BatchEnding.FINISHED
assert result.ending is expected, result
heavy = (
    "pydantic", "pydantic_ai", "anthropic", "openai", "mcp", "httpx2", "httpx", "asyncio", "keyring"
)
print(json.dumps([name for name in heavy if name in sys.modules]))
"""


@pytest.mark.parametrize(
    ("provider", "is_due", "imported", "not_imported"),
    [
        ("anthropic", True, "anthropic", {"openai", "mcp"}),
        ("openai", True, "openai", {"anthropic", "mcp"}),
        ("none", True, None, set()),
        ("anthropic", False, None, set()),
    ],
)
def test_only_the_library_of_the_provider_in_use_is_imported(
    provider: str, is_due: bool, imported: str | None, not_imported: set[str]
) -> None:
    with ModelServer(Say("HEARTBEAT_OK")) as server:
        done = subprocess.run(
            [
                sys.executable,
                "-c",
                PROGRAM,
                json.dumps([provider, server.base_url(provider), is_due]),
            ],
            cwd=Path(__file__).parents[2],
            capture_output=True,
            text=True,
            check=False,
            timeout=120,
        )
        assert done.returncode == 0, done.stderr
        assert len(server.received) == (imported is not None)

    found = set(json.loads(done.stdout))

    assert (imported in found) if imported else not found, found
    assert not found & not_imported, found
