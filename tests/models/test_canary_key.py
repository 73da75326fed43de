"""A canary in place of the key: it is sent to the provider and appears nowhere else, no matter what
providers, errors and commands do.

Real beats with the real clients, keyring adapter, ledger, sandbox and commands. Each error of the
scripted provider repeats the key, in every spelling.
"""

import base64
import json
import logging
import os
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from urllib.parse import quote

import keyring
import pytest
from keyring.backend import KeyringBackend

from core.engine import beat as engine
from core.model.occurrence import BeatReason
from core.model.plan import BeatRequest
from core.model.report import BeatReport
from core.services import Services
from core.usecases.reading import read_workspace
from tests.approving import approve_all_in
from tests.model_server import Call, Cut, Fail, Garbage, ModelServer, Received, Reply, Say

# It is spelled differently in a URL and in JSON, and does not look like any known kind of key.
KEY = 'cAn4ryKqZ7fW"/3a+9c=Q\\z-0123456789'
PROVIDERS = ("anthropic", "openai", "openai-compatible", "ollama")
FILE = """# Mine

## Probes
- surroundings: env

## Tasks
- [ ] ask | Look around | required | verify: cmd:env >> check.env
- [ ] do | Note the surroundings | required | run: env >> task.env; cat /proc/self/environ >> task.env
- [ ] think | Think | optional | verify: thought

## Pending Actions

### [MEDIUM] Note
- **id**: note
- **type**: shell
- **command**: env >> action.env; cat /proc/$PPID/environ >> action.env
- **schedule**: every:1s
- **status**: PENDING
"""
PROMPT = "---\ntitle: Gate\ngate:\n  command: env; cat /proc/*/environ\n---\nSay what you see.\n"


class MemoryKeyring(KeyringBackend):
    """A keyring that works, in this process."""

    priority = 1.0

    def __init__(self) -> None:
        self.kept: dict[tuple[str, str], str] = {}

    def get_password(self, service: str, username: str) -> str | None:
        return self.kept.get((service, username))

    def set_password(self, service: str, username: str, password: str) -> None:
        self.kept[service, username] = password

    def delete_password(self, service: str, username: str) -> None:
        del self.kept[service, username]


def spellings(key: str) -> dict[str, bytes]:
    """The key as files, pages and messages may hold it."""
    data = key.encode()
    found = {
        "plain": data,
        "its beginning": data[:12],
        "hexadecimal": data.hex().encode(),
        "in a URL": quote(key, safe="").encode(),
        "in a URL, in lower case": re.sub(
            "%..", lambda escape: escape[0].lower(), quote(key, safe="")
        ).encode(),
        "in a URL, in part": quote(key).encode(),
        "in JSON": json.dumps(key)[1:-1].encode(),
        "in JSON, with escaped slashes": json.dumps(key)[1:-1].replace("/", r"\/").encode(),
    }
    for shift in range(3):  # base64 of something that holds it
        inner = base64.b64encode(b"x" * shift + data)[4 if shift else 0 : -4]
        found[f"in base64, {shift} behind"] = inner
    return found


def places_of(key: str, folder: Path, said: str) -> list[str]:
    """Where the key is found, and how it is spelled there."""
    files = {
        str(path): path.read_bytes()
        for path in folder.rglob("*")
        if path.is_file() and not path.is_symlink()
    }
    files["what was said"] = said.encode()
    return [
        f"{place}: {name}"
        for place, data in files.items()
        for name, form in spellings(key).items()
        if form in data
    ]


def loud(message: str) -> str:
    """The message of a provider that repeats the key in every spelling."""
    coded = [base64.b64encode(b"x" * shift + KEY.encode()).decode() for shift in range(3)]
    in_url = quote(KEY, safe="")
    in_lower_case = re.sub("%..", lambda escape: escape[0].lower(), in_url)
    in_json = json.dumps(KEY)
    slashes = in_json.replace("/", r"\/")
    plain = [KEY, KEY.encode().hex(), in_url, in_lower_case, quote(KEY), in_json, slashes]
    return " ".join([message, *plain, *coded])


def our_words(received: Received) -> str:
    """What we sent in a request, without the model's own words, which go back only to itself."""
    messages = [one for one in received.body["messages"] if one["role"] != "assistant"]
    return json.dumps({**received.body, "messages": messages})


def scripts_of(says: Callable[[str], str]) -> dict[str, tuple[Reply, ...]]:
    """Every way in which a provider behaves; `says` writes its messages."""
    reads_everything = Say(
        "",
        (
            Call("read_file", {"path": "action.env"}),
            Call("run_command", {"command": "env; cat /proc/*/environ"}),
            Call("list_files", {"pattern": "**"}),
            # A text of this length is shortened in the middle of the key.
            Call("list_files", {"pattern": says("x" * 180)}),
            Call("remember", {"section": "Pending", "line": says("the surroundings")}),
            Call("write_file", {"path": "notes.md", "content": says("Notes:")}),
            Call("notify", {"title": says("News"), "message": says("Listen:")}),
            Call(
                "report_task",
                {
                    "task_id": "ask",
                    "outcome": "done",
                    "result": says("x" * 470),
                    "facts": {"a": says("")},
                },
            ),
            Call("report_task", {"task_id": "think", "outcome": "done", "result": says("thought")}),
        ),
    )
    return {
        "it works": (reads_everything, Say(says("I have your key:"))),
        "401": (Fail(401, says("Incorrect API key provided:")),),
        "429": (Fail(429, says("Slow down,"), retry_after="7"),),
        "500": (reads_everything, Fail(500, says("Oops,"))),
        "529": (Fail(529, says("Overloaded,")),),
        "400": (Fail(400, says("Bad request,")),),
        "404": (Fail(404, says("No such model,")),),
        "cut off": (Cut(Say(says("Your key is"))),),
        "malformed": (Garbage(),),
        "judged": (reads_everything, Say("HEARTBEAT_OK"), Say(says("I judge"))),
    }


@pytest.fixture
def ring() -> Iterator[MemoryKeyring]:
    before = keyring.get_keyring()
    ring = MemoryKeyring()
    keyring.set_keyring(ring)
    yield ring
    keyring.set_keyring(before)


@pytest.fixture
def home(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    for name, place in (
        ("HEARTBEAT_CONFIG_DIR", "config"),
        ("HEARTBEAT_STATE_DIR", "state"),
        ("HOME", "home"),
    ):
        (tmp_path / place).mkdir()
        monkeypatch.setenv(name, str(tmp_path / place))
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "DBUS_SESSION_BUS_ADDRESS"):
        monkeypatch.delenv(name, raising=False)
    root = tmp_path / "workspace"
    (root / "heartbeat").mkdir(parents=True)
    (root / "HEARTBEAT.md").write_text(FILE)
    (root / "heartbeat" / "gate.md").write_text(PROMPT)
    return tmp_path


@pytest.fixture
def heard(caplog: pytest.LogCaptureFixture) -> pytest.LogCaptureFixture:
    """What any library logs, at a finer level than the program uses."""
    caplog.set_level(logging.INFO)
    return caplog


def beat(home: Path, provider: str, server: ModelServer) -> BeatReport:
    (home / "config" / "config.toml").write_text(
        f'[agent]\nprovider = "{provider}"\nmodel = "scripted"\n'
        f'base_url = "{server.base_url(provider)}"\n'
        'permissions = ["@workspace", "@notify", "@memory", "@shell"]\n'
    )
    root = home / "workspace"
    services = Services(root)
    approve_all_in(services, read_workspace(services))
    report = engine.beat(services, BeatRequest(BeatReason.PERSON))
    services.ledger.close()
    assert isinstance(report, BeatReport)
    return report


@pytest.mark.parametrize("source", ["keyring", "environment"])
@pytest.mark.parametrize("provider", PROVIDERS)
def test_the_key_is_sent_only_to_its_provider(
    home: Path,
    ring: MemoryKeyring,
    heard: pytest.LogCaptureFixture,
    capfd: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    provider: str,
    source: str,
) -> None:
    variables = {"anthropic": "ANTHROPIC_API_KEY", "openai": "OPENAI_API_KEY"}
    if source == "keyring":
        ring.kept["heartbeat", provider] = KEY
    else:
        monkeypatch.setenv(variables.get(provider, "OPENAI_API_KEY"), KEY)
    gets_key = provider in variables or (provider, source) == ("openai-compatible", "keyring")
    said: list[str] = []
    with ModelServer() as server:
        for name, script in scripts_of(loud if gets_key else str).items():
            server.play(*script)
            report = beat(home, provider, server)
            assert server.received, f"{name}: no request was sent: {report}"
            said += [repr(report), *map(our_words, server.received)]
            assert any(KEY in value for value in server.received[0].headers.values()) == gets_key, (
                name
            )

    said += [heard.text, *capfd.readouterr()]
    root = home / "workspace"

    assert all(
        (root / f"{name}.env").stat().st_size > 100 for name in ("action", "task", "check")
    ), "the commands did not run"

    assert places_of(KEY, home, "\n".join(said)) == []


@pytest.mark.parametrize("spelling", spellings(KEY))
def test_the_search_finds_the_key_in_every_spelling_and_place(home: Path, spelling: str) -> None:
    form = spellings(KEY)[spelling]
    (home / "workspace" / "leak.txt").write_bytes(b"before " + form + b" after")
    (home / "state" / "ledger.db").write_bytes(b"\x00\x01" + form)

    found = places_of(KEY, home, f"said {form.decode()}")

    assert {place.partition(":")[0].rsplit("/")[-1] for place in found} == {
        "leak.txt",
        "ledger.db",
        "what was said",
    }


def test_a_command_with_the_whole_environment_would_show_the_key(
    home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The twin of the tests above: commands of a beat do not get the environment."""
    import subprocess

    monkeypatch.setenv("ANTHROPIC_API_KEY", KEY)
    subprocess.run(
        "env >> leak.env", shell=True, cwd=home / "workspace", env=dict(os.environ), check=True
    )

    assert places_of(KEY, home, "")
