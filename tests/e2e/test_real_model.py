"""Whole beats with a real model, through the installed command, over both protocols and on two
servers of different makers.

It is far too small to do anything: nothing that it says may break the program, or earn a point
without a passing check.
"""

import json
from collections.abc import Iterator

import pytest

from tests.e2e.machine import Machine
from tests.real_gateway import KEY, real_gateway
from tests.real_model import real_model

TEXT = """## Tasks

- [ ] mail | Write mail.txt | required | verify: file:mail.txt size>0
- [ ] think | Think of a number | optional | verify: thought_of_one
"""
PROMPT = "---\ntitle: Greeting\n---\nSay hello.\n"


@pytest.fixture(scope="module")
def addresses() -> Iterator[dict[str, str]]:
    with real_model() as address, real_gateway(address) as gateway:
        yield {"llama.cpp": address, "gateway": gateway}


@pytest.mark.parametrize(
    ("server", "provider"),
    [
        ("llama.cpp", "anthropic"),
        ("llama.cpp", "openai-compatible"),
        ("gateway", "anthropic"),
        ("gateway", "openai"),
    ],
)
def test_a_whole_beat_comes_to_its_end_and_earns_nothing_by_words(
    machine: Machine, addresses: dict[str, str], server: str, provider: str
) -> None:
    address = addresses[server]
    base_url = address if provider == "anthropic" else f"{address}/v1"
    (machine.config / "config.toml").write_text(
        f'[agent]\nprovider = "{provider}"\nmodel = "smollm2"\nbase_url = "{base_url}"\n'
    )
    machine.environment |= {"ANTHROPIC_API_KEY": KEY, "OPENAI_API_KEY": KEY}
    machine.file.write_text(TEXT)
    (machine.workspace / "heartbeat").mkdir()
    (machine.workspace / "heartbeat" / "greeting.md").write_text(PROMPT)

    done = machine.heartbeat("run", "--json", timeout=280)

    assert done.code in (0, 1), done
    report = json.loads(done.out)
    items = {item["id"]: item for item in report["items"]}
    assert set(items) == {"mail", "think", "greeting"}
    assert report["model"]["requests"] >= 1
    assert report["model"]["input_tokens"] > 100
    assert report["model"]["output_tokens"] > 0
    assert items["greeting"]["outcome"] == "completed", done
    assert all((item["points"] or 0) <= 0 for item in items.values()), "nobody did anything"
    assert machine.text() == TEXT
    assert machine.json("status")["state"] != "running"
