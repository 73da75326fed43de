"""This version opens the state that the first version wrote: nothing is lost, asked again or set
aside. It may say so in other words, all of which are in REWORDED."""

import json
import os
import shutil
import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from core.adapters.ledger.rows import read_wait
from core.adapters.ledger.schema import typed_wait
from core.model.waiting import Wait, WaitReason
from tests.house.ask_version_0 import COMMANDS

SAMPLE = Path(__file__).parents[1] / "samples" / "version_0"
STATE = "tmp-heartbeat-version-0-workspace-f600cffd"  # the name of its folder among the states

# By command: the reasons that the first version gave in other words. A reason that the first
# version kept as words (a wait for a model) stays as it was.
ONCE_PER_MINUTE = {
    "work for a model starts at most once a minute": (
        "work for a model starts at most once per minute"
    )
}
EVALUATED = {
    "its condition cannot be decided: It is the text ``, and no number.": (
        "its condition cannot be evaluated: It is the text ``, and no number."
    )
}
HOW_TO_SET_ONE_UP = (
    "Store a key: heartbeat key set anthropic. Or name a model of your own in config.toml: "
    '[agent] provider = "ollama", "openai-compatible", "claude-code", "codex" or "gemini".'
)
NO_MODEL = "needs a language model: no model is set up"
REWORDED: dict[str, dict[str, str]] = {
    "history": {**ONCE_PER_MINUTE, **EVALUATED},
    "plan": {
        **EVALUATED,
        "it is ticked": "it is ticked; untick it to run it",
        "missed at Mon 16 Nov 10:00, made up for now": "missed at Mon 16 Nov 10:00, caught up now",
        f"{NO_MODEL} (There is no keyring here.). {HOW_TO_SET_ONE_UP}": (
            f"{NO_MODEL} (there is no keyring here). {HOW_TO_SET_ONE_UP}"
        ),
    },
}


# Settings that have another default today, or tables where there were texts.
OTHER_DEFAULTS = {
    "deliver": {"value": "auto", "source": "default"},
    **{name: {"value": {}, "source": "default"} for name in ("mcp.servers", "channels", "prices")},
}


@pytest.fixture(scope="module")
def copy(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return copy_in(tmp_path_factory.mktemp("version_0").resolve())


def copy_in(folder: Path) -> Path:
    shutil.copytree(SAMPLE / "workspace", folder / "workspace")
    shutil.copytree(SAMPLE / "config", folder / "config")
    shutil.copytree(SAMPLE / "state", folder / "state" / STATE)
    (folder / "state" / STATE / "approval-seal.key").rename(folder / "state" / "approval-seal.key")
    (folder / "home").mkdir()
    return folder


def ask(copy: Path, *words: str) -> dict[str, Any]:
    """What this version says about the copy."""
    environment = {
        **os.environ,
        "HEARTBEAT_STATE_DIR": str(copy / "state"),
        "HEARTBEAT_CONFIG_DIR": str(copy / "config"),
        "HOME": str(copy / "home"),
        "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
        "TZ": "Europe/Berlin",
    }
    for name in ("ANTHROPIC_API_KEY", "OPENAI_API_KEY", "HEARTBEAT_WORKSPACE"):
        environment.pop(name, None)

    done = subprocess.run(
        [sys.executable, "-m", "tests.house.ask_version_0", str(copy), *words],
        cwd=SAMPLE.parents[2],
        env=environment,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    found: dict[str, Any] = json.loads(done.stdout)
    return found


@pytest.fixture(scope="module")
def said_now(copy: Path) -> dict[str, Any]:
    return ask(copy)


@pytest.fixture(scope="module")
def said_then() -> dict[str, Any]:
    """What the first version said about the same state."""
    said: dict[str, Any] = json.loads((SAMPLE / "said.json").read_text())
    return said


# Keys that came later; `kept`, which was the share of the points in the first version; and `level`,
# which is null today unless levels have consequences.
LATER = {
    *("kept", "kept_count", "due_count", "check_fails", "self_reported", "ruling"),
    *("running", "key_from", "level", "moved_from", "undone"),
    *("problem", "in_background"),
}


def comparable(said: Any) -> Any:
    """What both versions can say."""
    if isinstance(said, list):
        return [comparable(one) for one in said]
    if isinstance(said, dict):
        return {key: comparable(one) for key, one in said.items() if key not in LATER}

    return said


@pytest.mark.parametrize("command", COMMANDS)
def test_this_version_says_what_the_first_one_said(
    command: str, said_now: dict[str, Any], said_then: dict[str, Any]
) -> None:
    words = REWORDED.get(command, {})
    if command == "config":
        said_then = {**said_then, command: {**said_then[command], **OTHER_DEFAULTS}}

    assert comparable(said_now[command]) == comparable(reworded(said_then[command], words))

    was_said = reasons(said_then[command])
    assert [old for old in words if old not in was_said] == [], "words that nobody says"


def reworded(said: Any, words: dict[str, str]) -> Any:
    """Put today's words in the place of the reasons that were reworded; all else stays."""
    if isinstance(said, list):
        return [reworded(one, words) for one in said]
    if not isinstance(said, dict):
        return said

    return {
        key: words.get(value, value) if key == "reason" and value else reworded(value, words)
        for key, value in said.items()
    }


def reasons(said: Any) -> set[str]:
    if isinstance(said, list):
        return {reason for one in said for reason in reasons(one)}
    if not isinstance(said, dict):
        return set()

    own = {said["reason"]} if said.get("reason") else set()
    return own | {reason for value in said.values() for reason in reasons(value)}


def test_what_was_approved_is_not_asked_again(said_now: dict[str, Any]) -> None:
    approvals = json.loads((SAMPLE / "state" / "approvals.json").read_text())
    assert "action:disk" in approvals["approved"]
    assert [one["key"] for one in said_now["approve"]["waiting"]] == ["action:stranger"]
    assert said_now["approve"]["trouble"] is None


def test_nothing_is_set_aside(copy: Path, said_now: dict[str, Any]) -> None:
    assert said_now
    names = [path.name for path in (copy / "state").rglob("*")]
    assert not [name for name in names if "corrupt" in name or "not-trusted" in name]


def test_sentences_of_what_waits_become_values(copy: Path, said_now: dict[str, Any]) -> None:
    assert said_now
    with closing(sqlite3.connect(copy / "state" / STATE / "ledger.db")) as ledger:
        rows = ledger.execute(
            "SELECT item, waits_for, details, reason FROM occurrence WHERE state = 'waiting'"
        ).fetchall()

    stopped = ("stopped_by", ["disk"], "")
    found = {
        item: (waits_for, json.loads(details), words) for item, waits_for, details, words in rows
    }
    assert found.pop("prompt:joke")[0] == "no_model"
    assert found == {
        "action:unclear": ("unclear", ["A shell action needs `command`"], ""),
        "action:after": ("dependency_never_ran", ["index"], ""),
        "action:index": ("still_running", [], ""),
        "action:copy": stopped,
        "action:flaky": stopped,
        "task:page": stopped,
        "task:lie": stopped,
        "task:summary": ("once_a_minute", [], ""),
        "prompt:notes": ("once_a_minute", [], ""),
        "action:stranger": ("unapproved", ["it waits for your approval"], ""),
        "action:much": ("undecided", ["It is the text ``, and no number."], ""),
    }


def test_every_old_sentence_becomes_a_wait_with_all_its_details() -> None:
    """The sentences are those of the first version, and a migration does not depend on today's
    words: compared are the reason and its details, which today's sentence shows."""
    for outcome, sentence, wait in [
        (
            "waiting",
            "the beat stopped, because disk failed",
            Wait(WaitReason.STOPPED_BY, ("disk",)),
        ),
        ("waiting", "it is still running", Wait(WaitReason.STILL_RUNNING)),
        (
            "waiting",
            "it waits for sync, which has not run yet",
            Wait(WaitReason.DEPENDENCY_NEVER_RAN, ("sync",)),
        ),
        (
            "waiting",
            "work for a model starts at most once a minute",
            Wait(WaitReason.ONCE_A_MINUTE),
        ),
        (
            "needs_clarification",
            "its condition cannot be decided: It is no number.",
            Wait(WaitReason.UNDECIDED, ("It is no number.",)),
        ),
        (
            "needs_clarification",
            "A shell action needs `command`",
            Wait(WaitReason.UNCLEAR, ("A shell action needs `command`",)),
        ),
        (
            "needs_model",
            "needs a language model: no model is set up. Store a key.",
            Wait(WaitReason.NO_MODEL, ("no model is set up. Store a key.",)),
        ),
        ("waiting", "it waits for sync", Wait(WaitReason.DEPENDENCY, ("sync",))),
        ("waiting", "the beat's time is used up", Wait(WaitReason.TIME_USED_UP)),
        ("waiting", "another beat's batch is with the model", Wait(WaitReason.OTHER_BATCH)),
        (
            "waiting",
            "the model failed 3 times in a row; it is asked again at 10:05",
            Wait(WaitReason.MODEL_FAILED, ("failed 3 times in a row", "10:05")),
        ),
        (
            "waiting",
            "today's 1.00 USD for the model are used up (budget.daily_usd)",
            Wait(WaitReason.MONEY, ("1.00",)),
        ),
        ("waiting", "paused", Wait(WaitReason.PAUSED)),
        ("waiting", "it failed and is tried again later", Wait(WaitReason.RETRY)),
        (
            "waiting",
            "it has not run yet; waits for the active hours at 09:00",
            Wait(
                WaitReason.OTHER,
                ("it has not run yet; waits for the active hours at 09:00",),
            ),
        ),
        ("waiting", "it asks for @web", Wait(WaitReason.OTHER, ("it asks for @web",))),
        (
            "needs_approval",
            "its gate changed since you approved it",
            Wait(WaitReason.OTHER, ("its gate changed since you approved it",)),
        ),
    ]:
        waits_for, details = typed_wait(outcome, sentence)
        assert read_wait(waits_for, json.dumps(details)) == wait
        assert [detail for detail in wait.details if detail not in wait.sentence] == []


def test_a_beat_after_the_update_starts_and_announces_nothing_again(tmp_path: Path) -> None:
    """Of what was due then, one waits for another action, one for a model and one still runs."""
    copy = copy_in(tmp_path.resolve())
    file = copy / "workspace" / "HEARTBEAT.md"
    before = file.read_text().splitlines()
    done = ask(copy, "beat")
    assert {"after", "summary", "notes"} <= set(done.pop("listed"))
    assert done == {"started": [], "in_the_background": [], "notices": []}
    pairs = zip(before, file.read_text().splitlines(), strict=True)
    assert {old.split()[0] for old, new in pairs if old != new} == {"last_wake:", "next_wake:"}


def test_the_verdicts_of_its_evidence_say_why_they_are_so(said_now: dict[str, Any]) -> None:
    rulings = {
        (one["verdict"], one["ruling"])
        for one in said_now["history"]["occurrences"]
        if one["verdict"] or one["ruling"]
    }
    assert rulings == {("not_verified", "measured otherwise"), ("verified", None)}
