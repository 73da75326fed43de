"""`heartbeat sandbox`, as a person types it."""

import json

import pytest

from tests.e2e.machine import Machine
from tests.sandbox.servers import web_server


def test_a_command_runs_and_its_exit_code_is_the_answer(machine: Machine) -> None:
    machine.write()
    done = machine.heartbeat("sandbox", "--", "sh", "-c", "echo out; echo err >&2; exit 7")
    assert (done.code, done.out, done.err) == (7, "out\nerr\n", "")


def test_one_word_is_a_shell_line_and_several_are_a_program_with_its_arguments(
    machine: Machine,
) -> None:
    machine.write()
    assert machine.heartbeat("sandbox", "echo a b | wc -w").out == "2\n"
    assert machine.heartbeat("sandbox", "--", "echo", "a  b", "$HOME", "|").out == "a  b $HOME |\n"
    assert machine.heartbeat("sandbox", "ls", "-d", ".").out == ".\n"


def test_it_sees_the_workspace_and_nothing_of_the_person(machine: Machine) -> None:
    machine.write()
    machine.environment["ANTHROPIC_API_KEY"] = "sk-secret"
    (machine.folder / "home" / "letter.txt").write_text("private\n")
    line = (
        f"pwd; ls; cat {machine.folder}/home/letter.txt {machine.states}/*/*; env; cat "
        "/proc/*/environ"
    )
    done = machine.heartbeat("sandbox", line)
    assert done.out.startswith(f"{machine.workspace}\nHEARTBEAT.md\n")
    assert "private" not in done.out
    assert "sk-secret" not in done.out


def test_a_sandboxed_command_starts_in_the_current_folder_of_the_workspace(
    machine: Machine,
) -> None:
    machine.write()
    sub = machine.workspace / "sub"
    sub.mkdir()
    assert machine.heartbeat("sandbox", "pwd", before=["env", "-C", str(sub)]).out == f"{sub}\n"


def test_changes_that_the_sandbox_discards_are_reported(machine: Machine) -> None:
    before = machine.write()
    done = machine.heartbeat(
        "sandbox", "echo evil > config.json; echo evil >> HEARTBEAT.md; echo fine > new.txt"
    )
    assert machine.text() == before
    assert sorted(path.name for path in machine.workspace.iterdir()) == ["HEARTBEAT.md", "new.txt"]
    assert "Not kept in the workspace: config.json" in done.err


def test_a_host_that_is_not_allowed_is_reported(machine: Machine) -> None:
    machine.write()
    done = machine.heartbeat(
        "sandbox", "--domain", "example.com", "--", "curl", "-s", "http://evil.test/"
    )
    assert "Refused, not among the domains: evil.test" in done.err


@pytest.mark.parametrize("domain", ["example.com", "localhost:1", "127.0.0.2"])
def test_the_real_resolver_does_not_let_this_machine_through_that_nobody_named(
    machine: Machine, domain: str
) -> None:
    machine.write()
    with web_server() as server:
        line = f"curl -s -o /dev/null -w '%{{http_code}}' http://localhost:{server.port}/"
        done = machine.heartbeat("sandbox", "--domain", domain, line)
        assert (done.out, server.asked) == ("403", [])
    assert "localhost" in done.err


@pytest.mark.parametrize("domain", ["localhost", "localhost:{port}"])
def test_the_real_resolver_lets_this_machine_through_where_the_person_named_it(
    machine: Machine, domain: str
) -> None:
    """The twin: only what was named is different."""
    machine.write()
    with web_server() as server:
        line = f"curl -s -o /dev/null -w '%{{http_code}}' http://localhost:{server.port}/"
        named = domain.format(port=server.port)
        done = machine.heartbeat("sandbox", "--domain", named, line)
        assert (done.out, len(server.asked)) == ("200", 1)


def test_json_has_everything(machine: Machine) -> None:
    machine.write()
    done = machine.heartbeat(
        "sandbox", "--json", "--domain", "example.com", "curl -s http://evil.test/; exit 3"
    )
    answer = json.loads(done.out)
    assert done.code == 3
    assert answer["duration"] > 0
    assert (answer["how"], answer["exit_code"]) == ("exited", 3)
    assert (answer["refused_hosts"], answer["kept_out"]) == (["evil.test"], [])
    assert "does not let" in answer["output"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (["--domain", "127.0.0.1:http", "true"], "is not a host that can be allowed"),
        (["--domain", "https://example.com/", "true"], "is not a host that can be allowed"),
        ([], "Missing argument"),
    ],
)
def test_wrong_usage_of_the_sandbox_is_reported(
    machine: Machine, words: list[str], says: str
) -> None:
    machine.write()
    done = machine.heartbeat("sandbox", *words)
    assert (done.code, done.out) == (2, "")
    assert says in done.err


def test_where_no_sandbox_works_it_says_so_in_one_line_with_the_fix(machine: Machine) -> None:
    machine.write()
    machine.environment["PATH"] = "/nonexistent"
    done = machine.heartbeat("sandbox", "true")
    assert done.code == 2
    assert done.err.splitlines() == [
        "heartbeat: bubblewrap is not installed.",
        "  Install it, on Debian: sudo apt-get install bubblewrap",
    ]
