"""Every file that a workspace in use leaves behind is on the page that promises to list them:
docs/state-files.md."""

import json
import re
import subprocess
from collections.abc import Iterator
from fnmatch import fnmatchcase
from pathlib import Path

import pytest

from tests.e2e.machine import COMMAND, Machine, action, block, wait_for, workspace_text
from tests.e2e.with_keyring import MachineWithKeyring
from tests.model_server import Call, ModelServer, Say

PAGE = (Path(__file__).parents[2] / "docs" / "state-files.md").read_text(encoding="utf-8")
IN_CODE_FONT = re.compile(r"`([^`]+)`")
PLACEHOLDER = re.compile(r"YYYY-MM-DD|\b[NX]+\b|NAME|HASH|ID|…")
WORKSPACE = "## In the workspace"
SETTINGS = "## Settings and keys"
ALL = "## In the state folder, for all workspaces"
ONE = "## In the state folder, one folder per workspace"
MADE = "made.txt"  # by an action, as the person asked


def patterns(heading: str) -> list[str]:
    """The names in the first column of a section, as patterns; what ends with `/` is a folder with
    all that is in it."""
    part = PAGE.partition(f"\n{heading}\n")[2].partition("\n## ")[0]
    names = [
        name
        for line in part.splitlines()
        if line.startswith("| ")
        for name in IN_CODE_FONT.findall(line.split("|")[1])
    ]
    return [re.sub(r"/$", "/*", PLACEHOLDER.sub("*", name)) for name in names]


def unlisted(folder: Path, known: list[str], leave_out: tuple[str, ...] = ()) -> list[str]:
    found = (path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file())
    return [
        name
        for name in sorted(found)
        if not name.startswith(leave_out)
        and not any(fnmatchcase(name, pattern) for pattern in known)
    ]


def all_unlisted(machine: Machine) -> dict[str, list[str]]:
    own = tuple(f"{path.name}/" for path in machine.states.iterdir() if path.is_dir())
    return {
        "workspace": unlisted(machine.workspace, [*patterns(WORKSPACE), MADE]),
        "settings": unlisted(machine.config, patterns(SETTINGS)),
        "state of all": unlisted(machine.states, patterns(ALL), leave_out=own or ("/",)),
        "state": unlisted(machine.state, patterns(ONE)),
    }


@pytest.fixture
def server() -> Iterator[ModelServer]:
    with ModelServer() as running:
        yield running


def use(machine: Machine, server: ModelServer) -> None:
    """Use a workspace as its person would: everything that leaves a file behind."""
    address = server.base_url("openai-compatible")
    (machine.config / "config.toml").write_text(
        f'[agent]\nprovider = "openai-compatible"\nmodel = "scripted"\nbase_url = "{address}"\n'
    )
    (machine.workspace / "config.json").write_text(json.dumps({"heartbeat": {"enabled": True}}))
    assert machine.heartbeat("init").code == 0

    machine.file.write_text(
        workspace_text(
            action("behind", "echo done", priority="BG"),
            block("write", "type: file", "operation: write", f"path: {MADE}", "content: new"),
            action("boxed", "true", "sandbox: true"),
        )
    )
    machine.heartbeat("add", "joke", "Tell a joke.", "--title", "Joke", "--gate", "true")
    remembers = Call("remember", {"section": "Pending", "line": "Ask about the joke"})
    server.play(Say(calls=(remembers,)), Say("A joke."))
    assert machine.heartbeat("run").code == 0

    machine.heartbeat("pause", "2h")
    machine.heartbeat("resume")
    machine.heartbeat("doctor")
    machine.register_editor()
    machine.heartbeat("open", "--receipt", "last")
    with machine.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        wait_for(lambda: (machine.workspace / ".heartbeat" / "owner.json").exists(), "its owner")


def test_every_file_of_a_workspace_in_use_is_on_the_page(
    machine: Machine, server: ModelServer
) -> None:
    use(machine, server)
    assert not any(all_unlisted(machine).values()), all_unlisted(machine)

    # The page is not compared with an empty folder.
    there = {path.relative_to(machine.state).as_posix() for path in machine.state.rglob("*")}
    assert {"lock", "model.lock", "resident.lock", "background", "backups/undo"} <= there
    assert (machine.workspace / "heartbeat" / ".heartbeat-state.json").exists()
    assert (machine.states / "machine-id").exists()


def test_what_is_kept_of_damaged_state_is_on_the_page(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.heartbeat("run")
    approvals = machine.state / "approvals.json"
    approvals.write_text(approvals.read_text().replace("true", "false"))
    machine.heartbeat("approve", "--all")
    (machine.state / "ledger.db").write_bytes(b"not a ledger" * 1000)
    machine.heartbeat("status")
    machine.heartbeat("run")

    assert not any(all_unlisted(machine).values()), all_unlisted(machine)
    kept = [path.name.partition("-")[0] for path in machine.state.iterdir() if "-2" in path.name]
    assert sorted(set(kept)) == ["approvals.json.not", "ledger.db.corrupt"]


def test_the_names_of_keys_are_on_the_page(secretive: MachineWithKeyring) -> None:
    secretive.write(action("one", "true"))
    subprocess.run(
        [COMMAND, "key", "set", "mine"],
        input=b"a secret\n",
        cwd=secretive.workspace,
        env=secretive.environment,
        check=True,
        capture_output=True,
    )
    secretive.heartbeat("run")
    assert (secretive.states / "key-names.json").exists()
    assert not any(all_unlisted(secretive).values()), all_unlisted(secretive)


def test_a_file_that_is_not_on_the_page_would_be_named(tmp_path: Path) -> None:
    (tmp_path / "backups").mkdir()
    for name in ("ledger.db", "ledger.db-wal", "backups/own-writes", "backups/other", "stray"):
        (tmp_path / name).touch()
    assert unlisted(tmp_path, patterns(ONE)) == ["backups/other", "stray"]
