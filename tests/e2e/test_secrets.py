"""`{{secret:NAME}}` with a real keyring: it arrives where it is meant to, and is nowhere
else."""

import base64
import json
import subprocess
from urllib.parse import quote, quote_plus

import pytest

from tests.desktop.keyring_service import KeyringService
from tests.e2e.machine import Machine, action, block, wait_for, workspace_text
from tests.e2e.servers import site
from tests.e2e.with_keyring import MachineWithKeyring

KEY = 'k3y/+with "quotes" & 100% \\slashes'
PHRASE = "grüne Frösche\tspringen"


def forms(secret: str) -> list[str]:
    """As it is, its beginning, and as it is written elsewhere."""
    escaped = [json.dumps(secret)[1:-1], json.dumps(secret, ensure_ascii=False)[1:-1]]
    in_urls = [quote(secret), quote(secret, safe=""), quote_plus(secret)]
    in_base64 = [
        base64.b64encode(before + secret.encode()).decode()[5:-5] for before in (b"", b"u", b"u:")
    ]
    return [secret, secret[:8], *escaped, *in_urls, *in_base64]


ENCODERS = {
    "plain": "cat",
    "base64": "base64 -w0",
    "base64_within": "(printf user:; cat) | base64 -w0",
    "url": "python3 -c 'import sys, urllib.parse as u; print(u.quote(sys.stdin.read()))'",
    "url_form": "python3 -c 'import sys, urllib.parse as u; print(u.quote_plus(sys.stdin.read()))'",
    "json": "python3 -c 'import sys, json; print(json.dumps(sys.stdin.read()))'",
    "cut": "(printf '%0190d'; cat)",
}


@pytest.fixture
def secretive(secretive: MachineWithKeyring) -> MachineWithKeyring:
    secretive.keep_secret("key", KEY)
    secretive.keep_secret("phrase", PHRASE)
    return secretive


def test_a_secret_arrives_in_commands_variables_requests_and_files(
    secretive: MachineWithKeyring,
) -> None:
    with site() as server:
        secretive.write(
            action("command", "printf '%s' {{secret:key}} | cksum > command"),
            action(
                "quoted", """printf '%s' "{{secret:key}}" '{{secret:phrase}}' | cksum > quoted"""
            ),
            action(
                "env", "printf '%s' \"$TOKEN\" | cksum > env", "env:\n  - TOKEN: {{secret:key}}"
            ),
            block(
                "web", f"url: http://{server.address}/", "method: POST", "body: {{secret:phrase}}"
            ),
        )
        assert secretive.heartbeat("run").code == 0
        assert server.asked[0].body == PHRASE
    for name, value in (("command", KEY), ("quoted", KEY + PHRASE), ("env", KEY)):
        wanted = subprocess.run(
            ["cksum"], input=value.encode(), capture_output=True
        ).stdout.decode()
        assert (secretive.workspace / name).read_text() == wanted
    assert secretive.files_with(*forms(KEY), *forms(PHRASE)) == []


@pytest.mark.parametrize("ending", ["", "; exit 1"])
def test_what_a_command_prints_of_a_secret_is_never_kept_or_shown(
    secretive: MachineWithKeyring, ending: str
) -> None:
    blocks = [
        action(f"{name}_{secret}", f"printf '%s' {{{{secret:{secret}}}}} | {encoder}{ending}")
        for name, encoder in ENCODERS.items()
        for secret in ("key", "phrase")
    ]
    text = workspace_text(*blocks) + "\n## Tasks\n"
    for name, encoder in ENCODERS.items():
        line = f"for n in 1 2; do printf '%s' {{{{secret:key}}}} | {encoder}; echo; done{ending}"
        text += f"- [ ] task_{name} | Print it | run: {line.replace('|', chr(92) + '|')}\n"
    secretive.file.write_text(text)
    done = secretive.heartbeat("run")
    assert done.code == (1 if ending else 0), done
    assert "{{secret:key}}" in done.err
    said = [
        done,
        secretive.heartbeat("-v", "-v", "history"),
        secretive.heartbeat("status"),
        secretive.heartbeat("score"),
    ]
    said += [
        secretive.heartbeat("history", "--json"),
        secretive.heartbeat("run", "plain_key", "--json"),
    ]
    for needle in (*forms(KEY), *forms(PHRASE)):
        assert not any(needle in one.out + one.err for one in said), needle
    assert secretive.files_with(*forms(KEY), *forms(PHRASE)) == []


def test_without_the_guard_the_secret_would_be_in_the_file_and_the_ledger(
    secretive: MachineWithKeyring,
) -> None:
    """The twin: the same words, from a command that does not name the secret."""
    secretive.write(action("plain", f"echo '{KEY}'"))
    assert secretive.heartbeat("run").code == 0
    names = {path.name for path in secretive.files_with(KEY)}
    assert "HEARTBEAT.md" in names
    assert any(name.startswith("ledger.db") for name in names)


def test_a_secret_in_an_address_a_path_or_an_expectation_is_not_in_the_error(
    secretive: MachineWithKeyring,
) -> None:
    with site() as gone:
        address = gone.address
    with site() as server:
        secretive.write(
            block("gone", f"url: http://{address}/?key={{{{secret:key}}}}"),
            block("wrong", "url: {{secret:key}}"),
            block("lacks", f"url: http://{server.address}/", "expect_body: {{secret:key}}"),
            block("path", "type: file", "operation: read", "path: {{secret:phrase}}"),
            block("far", "type: notify", "message: x", "title: {{secret:key}}", "channel: none"),
        )
        done = secretive.heartbeat("run")
    assert done.code == 1
    assert done.err.count("✗") == 5
    assert not any(needle in done.out + done.err for needle in (*forms(KEY), *forms(PHRASE)))
    assert secretive.files_with(*forms(KEY), *forms(PHRASE)) == []


def test_a_background_action_gets_its_secret_too(secretive: MachineWithKeyring) -> None:
    secretive.write(action("later", "echo {{secret:key}}", priority="BG"))
    assert secretive.heartbeat("run").code == 0
    wait_for(lambda: "{{secret:key}}" in secretive.heartbeat("history").out, "its end")
    assert secretive.files_with(*forms(KEY)) == []


def test_a_missing_secret_is_reported_by_its_name_and_nothing_starts(
    secretive: MachineWithKeyring,
) -> None:
    secretive.file.write_text(
        workspace_text(
            action("one", "touch started; echo {{secret:none}}"), action("two", "echo x > two")
        )
        + "\n## Tasks\n- [ ] task | Do it | run: touch started; echo {{secret:none}}\n"
    )
    done = secretive.heartbeat("run")
    assert done.code == 1
    assert done.err.count("There is no secret `none` in the keyring.") == 2
    assert not (secretive.workspace / "started").exists()
    assert secretive.lines("two") == ["x"]


def test_a_missing_keyring_is_reported_and_nothing_starts(machine: Machine) -> None:
    machine.write(
        action("one", "touch started; echo {{secret:key}}"), action("two", "echo x > two")
    )
    done = machine.heartbeat("run")
    assert done.code == 1
    assert "There is no keyring here." in done.err
    assert not (machine.workspace / "started").exists()
    assert machine.lines("two") == ["x"]


def test_variables_in_run_tasks_arrive_as_values_never_as_code(machine: Machine) -> None:
    machine.file.write_text(
        workspace_text(action("bad", "echo '\"; touch evil; $(touch evil) `touch evil`'; exit 1"))
        + "\n## Tasks\n"
        + (
            "- [ ] say | Say | run: printf '%s/' {{last_error}} \"{{failure_count}}\" "
            "'{{weekday}}' "
            "> said\n"
        )
    )
    assert machine.heartbeat("run").code == 1
    said = (machine.workspace / "said").read_text()
    assert said.startswith('exit code 1: "; touch evil; $(touch evil) `touch evil`/1/')
    assert said.endswith("day/")
    assert not (machine.workspace / "evil").exists()


def test_an_unknown_variable_is_a_diagnostic_and_does_not_run(machine: Machine) -> None:
    machine.file.write_text(
        workspace_text(action("one", "touch started {{dat}}"))
        + "\n## Tasks\n- [ ] two | Do it | run: touch started {{secret:}} {{weekdy}}\n"
    )
    found = [(one["code"], one["hint"]) for one in machine.json("check", code=1)["diagnostics"]]
    assert found[0] == ("HB317", "Did you mean `date`?")
    assert [code for code, _ in found[1:]] == ["HB213", "HB213"]
    assert found[2][1] == "Did you mean `weekday`?"
    report = machine.json("run", code=1)
    assert [one["outcome"] for one in report["items"]] == ["needs_clarification"] * 2
    assert not (machine.workspace / "started").exists()


def test_a_locked_keyring_is_reported_in_time(
    secretive: MachineWithKeyring, keyring: KeyringService
) -> None:
    secretive.write(action("one", "touch started; echo {{secret:key}}"))
    secretive.approve()
    secretive.says_yes = False
    keyring.lock()
    try:
        done = secretive.heartbeat("run")
    finally:
        keyring.open()
    assert not (secretive.workspace / "started").exists()
    assert done.code in (1, 4)  # the seal of the approvals is in the same keyring
    assert not any(needle in done.out + done.err for needle in forms(KEY))
