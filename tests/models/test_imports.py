"""Importing takes time: what a request to a model needs is imported only when one is sent."""

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
from tests.fakes.world import FakeModelWorld

provider, base_url, is_due = json.loads(sys.argv[1])
def toolbox(_batch):
    from tests.fakes.toolbox import FakeToolbox

    return FakeToolbox()

class Secrets:
    get = {"anthropic": "sk-1", "openai": "sk-2"}.get

settings = Settings(agent=AgentSettings(provider, "scripted", base_url))
model = LanguageModel(
    FakeModelWorld(settings, Secrets()), toolbox, lambda *_: None
)
assert isinstance(model.choice(), NoModel) == (provider == "none")
tasks = (BatchTask("tidy", "Tidy the desk", required=True),) if is_due else ()
batch = Batch(datetime(2026, 11, 16, tzinfo=UTC), tasks=tasks)
result = model.work(batch, Limits(5, 60_000, timedelta(minutes=1)), CancelSwitch())
expected = BatchEnding.UNREACHABLE if provider == "none" and is_due else BatchEnding.FINISHED
assert result.ending is expected, result
heavy = (
    "pydantic", "pydantic_ai", "anthropic", "openai", "mcp", "httpx2", "httpx", "asyncio", "keyring"
)
print(json.dumps([name for name in heavy if name in sys.modules]))
assert "[System]" in model.prompt(batch)
"""


@pytest.mark.parametrize(
    ("provider", "is_due", "imported"),
    [
        ("anthropic", True, {"httpx", "pydantic"}),
        ("openai", True, {"httpx", "pydantic"}),
        ("none", True, set()),
        ("anthropic", False, set()),
    ],
)
def test_only_what_a_request_needs_is_imported_and_only_if_there_is_one(
    provider: str, is_due: bool, imported: set[str]
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
        assert len(server.received) == bool(imported)

    assert set(json.loads(done.stdout)) == imported
