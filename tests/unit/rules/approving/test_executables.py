"""Everything that executes is listed, with every field that decides what it does, and nothing
else."""

from pathlib import Path

import pytest

from core.kinds import executables_of, read_document
from core.model.approval import Executable
from core.model.settings import McpServer, Settings
from core.model.workspace import Workspace
from core.rules.reading.prompts import read_prompt

SHELL = """## Pending Actions

### [HIGH] Backup
- id: backup
- type: shell
- command: sh tools/backup --now
- working_dir: jobs
- env:
  - B: 2
  - A: 1
- sandbox: true
- schedule: daily:02:00
- status: PENDING
"""


def workspace(text: str, **prompts: str) -> Workspace:
    document = read_document(text.encode())
    read = [read_prompt(name, prompt.encode()).prompt for name, prompt in prompts.items()]
    return Workspace(
        Path("/w"), Path("/w/HEARTBEAT.md"), document, tuple(one for one in read if one), ()
    )


def found(text: str, settings: Settings | None = None, **prompts: str) -> dict[str, Executable]:
    return {
        one.key: one for one in executables_of(workspace(text, **prompts), settings or Settings())
    }


def test_a_shell_action_has_its_type_every_key_of_it_and_its_sandbox() -> None:
    (one,) = found(SHELL).values()
    assert (one.key, one.title, one.file, one.line, one.needed_by) == (
        "action:backup",
        "Backup",
        "HEARTBEAT.md",
        3,
        ("action:backup",),
    )
    assert one.fields == (
        ("type", "shell"),
        ("command", "sh tools/backup --now"),
        ("working_dir", "jobs"),
        ("env.A", "1"),
        ("env.B", "2"),
        ("sandbox", "true"),
    )
    assert ("jobs/tools/backup", True) in one.candidates


@pytest.mark.parametrize(
    ("lines", "fields"),
    [
        (
            (
                "type: http\n- url: http://x/\n- method: POST\n- body: b\n- expect_status: 201\n- "
                "headers:\n  - X-A: y"
            ),
            {"type", "url", "method", "body", "expect_status", "headers.X-A", "sandbox"},
        ),
        (
            "type: file\n- operation: copy\n- source: a\n- destination: b\n- older_than: 1d",
            {"type", "operation", "source", "destination", "older_than", "sandbox"},
        ),
        ("type: notify\n- message: m\n- channel: phone", {"type", "message", "channel", "sandbox"}),
    ],
)
def test_the_other_types_have_their_own_keys(lines: str, fields: set[str]) -> None:
    (one,) = found(f"## Pending Actions\n\n### One\n- id: one\n- {lines}\n").values()
    assert {name for name, _ in one.fields} == fields


def test_keys_in_params_count_like_those_of_the_block() -> None:
    inside = (
        "## Pending Actions\n\n### One\n- id: one\n- type: shell\n- params:\n  - command: echo a\n"
    )
    outside = "## Pending Actions\n\n### One\n- id: one\n- type: shell\n- command: echo a\n"
    assert [one.fields for one in found(inside).values()] == [
        one.fields for one in found(outside).values()
    ]


@pytest.mark.parametrize("channel", ["", "- channel: desktop\n"])
def test_a_notification_on_the_desktop_executes_nothing(channel: str) -> None:
    assert (
        found(f"## Pending Actions\n\n### One\n- id: one\n- type: notify\n- message: m\n{channel}")
        == {}
    )


def test_of_a_task_the_command_and_an_executing_check_are_listed() -> None:
    text = (
        "## Tasks\n"
        "- [ ] one | One | run: touch x | verify: cmd:test -e x\n"
        "- [ ] two | Two | verify: http://127.0.0.1/ status=200\n"
        "- [ ] three | Three | verify: file:x fresh<1h\n"
        "- [ ] four | Four | verify: json:x#/a == 1\n"
        "- [x] five | Five | run: touch y\n"
        "- [ ] six | Six | run: touch z | schedule: sometimes\n"
    )
    assert {key: one.fields for key, one in found(text).items()} == {
        "run:one": (("run", "touch x"),),
        "check:one": (("verify", "cmd:test -e x"),),
        "check:two": (("verify", "http://127.0.0.1/ status=200"),),
    }
    assert found(text)["check:one"].needed_by == ("task:one",)


def test_a_probe_is_needed_by_the_tasks_that_name_it() -> None:
    text = (
        "## Tasks\n- [ ] one | One | verify: used < 9\n- [ ] two | Two | verify: unused < 9\n"
        "## Probes\n- used: ./measure.sh\n"
    )
    probe = found(text)["probe:used"]
    assert (probe.fields, probe.needed_by) == ((("command", "./measure.sh"),), ("task:one",))
    assert ("./measure.sh", False) in probe.candidates


def test_a_gate_has_its_command_folder_variables_tags_and_domains() -> None:
    prompt = (
        "---\ntitle: Inbox\ngate:\n  command: sh look\n  cwd: sub\n  env:\n    K: v\n"
        "  permissions: ['@network', '@workspace']\n  allowedDomains: [a.example, b.example]\n"
        "---\nRead it.\n"
    )
    gate = found("", inbox=prompt)["gate:inbox"]
    assert gate.fields == (
        ("command", "sh look"),
        ("cwd", "sub"),
        ("env.K", "v"),
        ("permission", "@network"),
        ("permission", "@workspace"),
        ("domain", "a.example"),
        ("domain", "b.example"),
    )
    assert (gate.file, gate.needed_by) == ("heartbeat/inbox.md", ("prompt:inbox",))
    assert ("sub/look", True) in gate.candidates


def test_an_mcp_server_has_its_command_arguments_and_permissions() -> None:
    server = McpServer("python", ("my server.py", "--root=."), ("@workspace",))
    (one,) = found("", Settings(mcp_servers={"files": server})).values()
    assert one.key == "mcp:files"
    assert one.fields == (
        ("command", "python"),
        ("argument", "my server.py"),
        ("argument", "--root=."),
        ("permission", "@workspace"),
    )
    assert (one.file, one.needed_by) == ("config.toml", ())
    assert ("my server.py", True) in one.candidates


def test_what_cannot_run_as_written_is_not_asked_for() -> None:
    assert found("## Pending Actions\n\n### One\n- id: one\n- type: shell\n") == {}
    assert (
        found("## Pending Actions\n\n### One\n- id: one\n- command: ls\n- schedule: sometimes\n")
        == {}
    )


def test_of_two_actions_with_one_id_the_first_is_meant() -> None:
    block = "### One\n- id: one\n- command: {}\n\n"
    (one,) = found(
        "## Pending Actions\n\n" + block.format("first") + block.format("second")
    ).values()
    assert ("command", "first") in one.fields


def test_status_lines_and_the_schedule_are_not_part_of_it() -> None:
    later = (
        SHELL.replace("daily:02:00", "every:1h").replace("PENDING", "FAILED")
        + "- error: no\n- retry_count: 1/1\n"
    )
    assert [one.fields for one in found(later).values()] == [
        one.fields for one in found(SHELL).values()
    ]
