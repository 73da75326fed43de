"""Gates through the installed command, in the real sandbox: each rule of
"Prompts and gates" in docs/spec.md, and 0 processes where one is due."""

from pathlib import Path
from typing import Any

import pytest

from tests.e2e.machine import Machine
from tests.e2e.servers import site

NETWORK = '[agent]\npermissions = ["@workspace", "@network"]\n'


@pytest.fixture
def machine(machine: Machine) -> Machine:
    machine.write()
    return machine


def prompt(machine: Machine, identifier: str, gate: str, run_if: str = "success") -> None:
    """A prompt file; the gate is one line of YAML."""
    folder = machine.workspace / "heartbeat"
    folder.mkdir(exist_ok=True)
    text = f"---\ntitle: {identifier}\nrun_if: {run_if}\ngate: {gate}\n---\nDo it.\n"
    (folder / f"{identifier}.md").write_text(text)


def settings(machine: Machine, text: str) -> None:
    (machine.config / "config.toml").write_text(text)


class Ran:
    """What one beat made of the prompts."""

    def __init__(self, machine: Machine, before: tuple[str, ...] = ()) -> None:
        report: dict[str, Any] = machine.read_json(
            machine.heartbeat("run", "--json", before=before)
        )
        self.outcomes = {one["id"]: one["outcome"] for one in report["items"]}
        self.words = {one["id"]: one["error"] or one["reason"] for one in report["items"]}
        self.announced = [
            (one["kind"], one["title"], one["message"]) for one in report["notifications"]
        ]

    def announced_about(self, identifier: str) -> list[tuple[str, str]]:
        return [(kind, message) for kind, title, message in self.announced if identifier in title]


def test_the_exit_code_and_run_if_decide(machine: Machine) -> None:
    for code in (0, 3):
        for run_if in ("success", "failure", "always"):
            prompt(machine, f"{run_if}_{code}", f"{{command: 'echo said; exit {code}'}}", run_if)
    ran = Ran(machine)
    assert ran.outcomes == {
        "success_0": "needs_model",
        "always_0": "needs_model",
        "failure_3": "needs_model",
        "always_3": "needs_model",
        "failure_0": "skipped",
        "success_3": "skipped",
    }
    assert ran.words["success_3"] == "its gate ended with exit code 3: said"
    assert not [kind for kind, _, _ in ran.announced if kind == "failure"]


def test_a_gate_has_its_folder_and_variables_and_no_home(machine: Machine) -> None:
    (machine.workspace / "sub").mkdir()
    (machine.folder / "home" / "letter").write_text("private")
    prompt(
        machine,
        "here",
        (
            "{command: 'test $(basename $PWD) = sub && test $MODE = quick', cwd: sub, env: {MODE: "
            "quick}}"
        ),
    )
    prompt(machine, "home", f"{{command: 'cat {machine.folder}/home/letter'}}")
    prompt(
        machine,
        "writes",
        "{command: 'echo x > sub/made; echo x > HEARTBEAT.md; test ! -s HEARTBEAT.md'}",
    )
    ran = Ran(machine)
    assert ran.outcomes == {"here": "needs_model", "home": "skipped", "writes": "skipped"}
    assert (machine.workspace / "sub" / "made").exists()
    assert "Keep this." in machine.text()


@pytest.mark.parametrize(
    ("gate", "says"),
    [
        ("{command: 'sleep 60', timeout: 0.3}", "it took longer than 0.3 s"),
        ("{command: 'true', cwd: nowhere}", "nowhere"),
        ("{command: 'curl -s http://evil.test/; exit 0', allowedDomains: [api.test]}", "evil.test"),
        (
            "{command: 'curl -s http://localhost:1/; exit 0', allowedDomains: [api.test]}",
            "localhost",
        ),
        (
            "{command: 'curl -s http://localhost:1/; exit 0', allowedDomains: ['localhost:2']}",
            "localhost",
        ),
    ],
    ids=["timeout", "cannot start", "another host", "this machine", "another port of it"],
)
def test_a_gate_that_gives_no_answer_is_an_error_that_is_announced_once(
    machine: Machine, gate: str, says: str
) -> None:
    settings(machine, NETWORK)
    prompt(machine, "broken", gate)
    prompt(machine, "fine", "{command: 'true'}")
    first = Ran(machine)
    assert first.outcomes == {"broken": "failed", "fine": "needs_model"}
    assert says in first.words["broken"]
    assert any(says in message for _, message in first.announced_about("broken"))
    second = Ran(machine)
    assert second.outcomes["broken"] == "failed"
    assert second.announced_about("broken") == []
    assert [
        one["outcome"] for one in machine.json("history")["occurrences"] if one["id"] == "broken"
    ][:1] == ["failed"]


@pytest.mark.parametrize("named", ["localhost", "localhost:{port}"])
def test_a_gate_reaches_this_machine_where_the_person_named_it(
    machine: Machine, named: str
) -> None:
    settings(machine, NETWORK)
    with site() as running:
        port = running.server_address[1]
        domains = named.format(port=port)
        gate = f"'curl -sf http://localhost:{port}/'"
        prompt(machine, "asks", f"{{command: {gate}, allowedDomains: ['{domains}']}}")
        assert Ran(machine).outcomes == {"asks": "needs_model"}
        assert len(running.asked) == 1


def started_programs(trace: Path) -> list[str]:
    return [
        line
        for line in trace.read_text().splitlines()
        if "execve(" in line and line.endswith("= 0")
    ]


def test_a_missing_permission_starts_no_process_and_says_which_one_once(
    machine: Machine, tmp_path: Path
) -> None:
    gate = "{command: 'touch started', allowedDomains: [api.test], permissions: ['@shell']}"
    prompt(machine, "asks", gate)
    strace = ("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(tmp_path / "trace"))
    ran = Ran(machine, strace)
    assert len(started_programs(tmp_path / "trace")) == 1  # the command itself
    assert ran.outcomes == {"asks": "needs_model"}
    (announced,) = ran.announced_about("asks")
    assert announced[0] == "permission"
    assert "@network" in announced[1]
    assert "@shell" in announced[1]
    assert "api.test" not in announced[1]  # no word of the file reaches it
    assert Ran(machine).announced_about("asks") == []
    assert not (machine.workspace / "started").exists()


def test_with_the_permission_it_is_started(machine: Machine, tmp_path: Path) -> None:
    """The twin: the same gate, and the same way to see its process."""
    settings(machine, NETWORK)
    prompt(machine, "asks", "{command: 'touch started', allowedDomains: [api.test]}")
    ran = Ran(machine, ("strace", "-f", "-qq", "-e", "trace=execve", "-o", str(tmp_path / "trace")))
    assert ran.outcomes == {"asks": "needs_model"}
    assert any("bwrap" in line for line in started_programs(tmp_path / "trace"))
    assert (machine.workspace / "started").exists()


def test_a_missing_permission_makes_the_prompt_wait_if_the_settings_say_so(
    machine: Machine,
) -> None:
    settings(machine, '[gates]\non_missing_permission = "skip"\n')
    prompt(machine, "asks", "{command: 'touch started', allowedDomains: [api.test]}")
    ran = Ran(machine)
    assert ran.outcomes == {"asks": "waiting"}
    assert "@network" in ran.words["asks"]
    assert not (machine.workspace / "started").exists()


def test_a_prompt_without_a_title_is_an_error_and_its_gate_is_not_asked(machine: Machine) -> None:
    prompt(machine, "untitled", "{command: 'touch started'}")
    path = machine.workspace / "heartbeat" / "untitled.md"
    path.write_text(path.read_text().replace("title: untitled\n", ""))
    ran = Ran(machine)
    assert ran.outcomes == {"untitled": "needs_clarification"}
    assert "title" in ran.words["untitled"]
    assert [one["code"] for one in machine.json("check", code=1)["diagnostics"]][:1] == ["HB501"]
    assert not (machine.workspace / "started").exists()


def test_the_network_permission_without_domains_reaches_nothing_and_check_says_so(
    machine: Machine,
) -> None:
    settings(machine, NETWORK)
    prompt(
        machine,
        "asks",
        "{command: 'curl -s --max-time 2 http://example.com/', permissions: ['@network']}",
    )
    assert "HB505" in [one["code"] for one in machine.json("check")["diagnostics"]]
    assert Ran(machine).outcomes == {"asks": "skipped"}


def test_without_a_working_sandbox_a_gate_is_an_error_unless_the_person_allows_it(
    machine: Machine,
) -> None:
    machine.environment["PATH"] = "/nonexistent"
    prompt(machine, "asks", "{command: '/usr/bin/touch started'}")
    ran = Ran(machine)
    assert ran.outcomes == {"asks": "failed"}
    assert "bubblewrap is not installed" in ran.words["asks"]
    assert not (machine.workspace / "started").exists()
    settings(machine, "[gates]\nunsandboxed = true\n")
    Ran(machine)
    assert (machine.workspace / "started").exists()
