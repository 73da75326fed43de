"""Nothing starts that the person has not approved, through the installed command; with the
approval it does."""

import json
import shutil
import stat
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action, wait_for
from tests.e2e.terminal import terminal


@pytest.fixture
def asked(machine: Machine) -> Machine:
    """A person who is asked, and has not answered."""
    machine.says_yes = False
    return machine


def approve_first(machine: Machine, *blocks: str) -> None:
    """A workspace whose content is approved; what comes later is not."""
    machine.write(*blocks)
    machine.says_yes = True
    machine.approve()
    machine.says_yes = False


def replace_in(file: Path, old: str, new: str) -> None:
    text = file.read_text(encoding="utf-8")
    assert text.count(old) == 1, text
    file.write_text(text.replace(old, new), encoding="utf-8")


class Listener:
    """A server on this machine that notes every request."""

    def __init__(self) -> None:
        heard = self.heard = list[str]()

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:  # the name is http.server's
                body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
                heard.append(f"{self.command} {self.path} {self.headers.get('X-A', '')} {body}")
                self.send_response(200)
                self.end_headers()

            def do_POST(self) -> None:
                self.do_GET()

            def log_message(self, *_: object) -> None:
                pass

        self._server = HTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self._server.server_port}"
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.02,))
        self._thread.start()

    def stop(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


@pytest.fixture
def listener() -> Iterator[Listener]:
    listener = Listener()
    yield listener
    listener.stop()


def holds_until_approved(machine: Machine, left: Callable[[], object]) -> None:
    """A beat leaves no trace; with the approval it leaves one."""
    before = left()
    report = machine.json("run", code=4)
    assert [(item["id"], item["outcome"]) for item in report["items"]] == [
        ("one", "needs_approval")
    ]
    assert (left(), report["beat"]) == (before, None)
    assert machine.heartbeat("approve", "--all").code == 0
    assert machine.json("run")["items"][0]["outcome"] == "completed"
    assert left() != before


# -- what is new, and every field that executes ----------------------------------------------------


def test_new_commands_wait_for_approval_and_the_rest_runs(asked: Machine) -> None:
    approve_first(asked, action("old", "echo x >> old"))
    replace_in(
        asked.file,
        "## Pending Actions\n",
        "## Pending Actions\n\n" + action("new", "echo x >> new"),
    )
    done = asked.heartbeat("run")
    assert done.code == 0
    assert done.out.count("waiting for your approval") == 1
    assert "1 waiting for your approval: new cannot run until you approve: heartbeat" in done.out
    assert (asked.lines("old"), asked.lines("new")) == (["x"], [])
    assert asked.json("status")["approvals_waiting"] == 1
    assert asked.heartbeat("approve", "new").code == 0
    assert asked.heartbeat("run").code == 0
    assert (asked.lines("old"), asked.lines("new")) == (["x"], ["x"])
    assert asked.json("status")["approvals_waiting"] == 0


@pytest.mark.parametrize(
    ("old", "new", "trace"),
    [
        ("command**: echo x", "command**: echo y", "sub/trace"),
        ("command**: echo x", "command**: echo  x", "sub/trace"),
        ("- **working_dir**: sub\n", "", "trace"),
        ("working_dir**: sub", "working_dir**: other", "other/trace"),
        ("  - A: 1", "  - A: 2", "sub/trace"),
        ("  - A: 1", "  - B: 1", "sub/trace"),
        ("- **env**:\n  - A: 1\n", "", "sub/trace"),
    ],
)
def test_each_changed_field_of_a_shell_action_needs_a_new_approval(
    asked: Machine, old: str, new: str, trace: str
) -> None:
    for name in ("sub", "other"):
        (asked.workspace / name).mkdir()
    block = action("one", "echo x >> trace", "working_dir: sub").replace(
        "- **status", "- **env**:\n  - A: 1\n- **status"
    )
    approve_first(asked, block)
    replace_in(asked.file, old, new)
    holds_until_approved(asked, lambda: asked.lines(trace))


def test_an_action_that_leaves_the_sandbox_needs_a_new_approval(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> trace", "sandbox: true"))
    replace_in(asked.file, "sandbox**: true", "sandbox**: false")
    holds_until_approved(asked, lambda: asked.lines("trace"))


def test_a_notification_that_becomes_a_command_needs_a_new_approval(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> trace", "type: notify", "message: hello"))
    assert asked.json("approve")["waiting"] == []
    replace_in(asked.file, "type**: notify", "type**: shell")
    holds_until_approved(asked, lambda: asked.lines("trace"))


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("/path", "/other"),
        ("method**: GET", "method**: POST"),
        ("  - X-A: a", "  - X-A: b"),
        ("body**: text", "body**: other"),
        ("expect_status**: 200", "expect_status**: 20"),
        ("expect_body**: a", "expect_body**: "),
    ],
)
def test_each_changed_field_of_an_http_action_needs_a_new_approval(
    asked: Machine, listener: Listener, old: str, new: str
) -> None:
    keys = [
        f"target: {listener.address}/path",
        "method: GET",
        "body: text",
        "expect_status: 200",
        "expect_body: a",
    ]
    rows = "".join(
        f"- **{row.replace(':', '**:', 1)}\n" for row in ["id: one", "type: http", *keys]
    )
    approve_first(asked, f"### One\n{rows}- **headers**:\n  - X-A: a\n\n")
    replace_in(asked.file, old, new)
    assert asked.json("run", code=4)["beat"] is None
    assert listener.heard == []
    assert asked.heartbeat("approve", "--all").code == 0
    asked.heartbeat("run")
    assert len(listener.heard) == 1


@pytest.mark.parametrize(
    ("keys", "old", "new"),
    [
        (["operation: copy", "source: a", "destination: trace"], "copy", "move"),
        (["operation: copy", "source: a", "destination: trace"], "source**: a", "source**: b"),
        (["operation: copy", "source: a", "destination: elsewhere"], "elsewhere", "trace"),
        (["operation: write", "path: trace", "content: a"], "content**: a", "content**: b"),
        (["operation: write", "path: elsewhere", "content: a"], "elsewhere", "trace"),
    ],
)
def test_each_changed_field_of_a_file_action_needs_a_new_approval(
    asked: Machine, keys: list[str], old: str, new: str
) -> None:
    for name in ("a", "b"):
        (asked.workspace / name).write_text(name)
    rows = "".join(
        f"- **{row.replace(':', '**:', 1)}\n" for row in ["id: one", "type: file", *keys]
    )
    approve_first(asked, f"### One\n{rows}\n")
    replace_in(asked.file, old, new)
    holds_until_approved(asked, lambda: asked.lines("trace"))


@pytest.mark.parametrize(
    ("old", "new"), [("pattern**: *.log", "pattern**: *"), ("older_than**: 9d", "older_than**: 0s")]
)
def test_a_changed_reach_of_a_deletion_needs_a_new_approval(
    asked: Machine, old: str, new: str
) -> None:
    rows = ["id: one", "type: file", "operation: delete", "pattern: *.log", "older_than: 9d"]
    approve_first(
        asked, "### One\n" + "".join(f"- **{row.replace(':', '**:', 1)}\n" for row in rows) + "\n"
    )
    (asked.workspace / "a.log").touch()
    replace_in(asked.file, old, new)
    assert asked.heartbeat("run").code == 4
    assert (asked.workspace / "a.log").exists()


def test_a_changed_message_that_leaves_the_machine_needs_a_new_approval(
    asked: Machine, listener: Listener
) -> None:
    (asked.config / "config.toml").write_text(
        f'[channels.hook]\ntype = "webhook"\nurl = "{listener.address}/hook"\n'
    )
    rows = ["id: one", "type: notify", "message: hello", "channel: hook"]
    approve_first(
        asked, "### One\n" + "".join(f"- **{row.replace(':', '**:', 1)}\n" for row in rows) + "\n"
    )
    replace_in(asked.file, "message**: hello", "message**: my secrets")
    holds_until_approved(asked, lambda: len(listener.heard))


@pytest.mark.parametrize(
    ("old", "new", "held"),
    [
        ("run: echo x >> one", "run: echo y >> one", "one"),
        ("verify: cmd:true", "verify: cmd:exit 0", "one"),
        ("verify: used < 9", "verify: cmd:true;", "two"),
        ("- used: echo 1", "- used: echo 2", "two"),
    ],
)
def test_a_changed_command_check_or_probe_of_a_task_needs_a_new_approval(
    asked: Machine, old: str, new: str, held: str
) -> None:
    approve_first(asked)
    asked.file.write_text(
        "## Tasks\n- [ ] one | One | run: echo x >> one | verify: cmd:true\n"
        "- [ ] two | Two | run: echo x >> two | verify: used < 9\n\n## Probes\n- used: echo 1\n"
    )
    assert asked.heartbeat("approve", "--all").code == 0
    replace_in(asked.file, old, new)
    report = asked.json("run")
    assert [item["id"] for item in report["items"] if item["outcome"] == "needs_approval"] == [held]
    assert {name: len(asked.lines(name)) for name in ("one", "two")} == {
        "one": 1,
        "two": 1,
        held: 0,
    }
    assert asked.heartbeat("approve", "--all").code == 0
    assert asked.heartbeat("run").code == 0
    assert len(asked.lines(held)) == 1


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("command: test -s inbox", "command: cat /etc/passwd"),
        ("cwd: sub", "cwd: ."),
        ("A: b", "A: c"),
        ("'@workspace'", "'@shell'"),
        ("a.example", "b.example"),
    ],
)
def test_each_changed_field_of_a_gate_needs_a_new_approval(
    asked: Machine, old: str, new: str
) -> None:
    (asked.workspace / "heartbeat").mkdir()
    prompt = asked.workspace / "heartbeat" / "inbox.md"
    prompt.write_text(
        "---\ntitle: Inbox\ngate:\n  command: test -s inbox\n  cwd: sub\n  env:\n    A: b\n"
        "  permissions: ['@workspace']\n  allowedDomains: [a.example]\n---\nRead it.\n"
    )
    approve_first(asked)
    replace_in(prompt, old, new)
    assert [item["outcome"] for item in asked.json("run", code=4)["items"]] == ["needs_approval"]
    assert asked.heartbeat("approve", "inbox").code == 0
    assert [item["outcome"] for item in asked.json("run")["items"]] != ["needs_approval"]


# -- scripts and places ----------------------------------------------------------------------------


def script(machine: Machine, name: str, line: str) -> Path:
    path = machine.workspace / name
    path.write_text(f"#!/bin/sh\n{line}\n")
    path.chmod(0o755)
    return path


@pytest.mark.parametrize(
    "command",
    [
        "./run.sh",
        "sh run.sh",
        "true && sh -c './run.sh'",
        '"$PWD/run.sh"',
        "sh < run.sh",
        "cd sub; ../run.sh >> x",
    ],
)
def test_a_changed_script_that_a_command_names_needs_a_new_approval(
    asked: Machine, command: str
) -> None:
    (asked.workspace / "sub").mkdir()
    path = script(asked, "run.sh", f"echo x >> {asked.workspace}/trace")
    approve_first(asked, action("one", command))
    assert asked.json("run", "--dry-run")["items"][0]["decision"] == "run"
    path.write_text(path.read_text() + "echo evil\n")
    holds_until_approved(asked, lambda: asked.lines("trace"))


def test_a_script_that_appears_after_the_approval_needs_a_new_one(asked: Machine) -> None:
    approve_first(asked, action("one", "./run.sh"))
    script(asked, "run.sh", "echo x >> trace")
    holds_until_approved(asked, lambda: asked.lines("trace"))


def test_a_link_that_is_pointed_elsewhere_needs_a_new_approval(asked: Machine) -> None:
    outside = asked.folder / "outside.sh"
    outside.write_text("#!/bin/sh\necho x >> trace\n")
    outside.chmod(0o755)
    script(asked, "good.sh", "true")
    link = asked.workspace / "run.sh"
    link.symlink_to("good.sh")
    approve_first(asked, action("one", "./run.sh"))
    link.unlink()
    link.symlink_to(outside)
    holds_until_approved(asked, lambda: asked.lines("trace"))


def test_a_copied_workspace_has_none_of_the_approvals(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> trace"))
    copy = asked.folder / "copy"
    shutil.copytree(asked.workspace, copy)
    (source,) = (path for path in asked.states.iterdir() if path.is_dir())
    assert asked.heartbeat("-C", str(copy), "run").code == 4
    (theirs,) = (path for path in asked.states.iterdir() if path.is_dir() and path != source)
    for path in source.iterdir():  # also where somebody brings the state along
        shutil.copy(path, theirs / path.name) if path.is_file() else None
    assert asked.heartbeat("-C", str(copy), "run").code == 4
    assert not (copy / "trace").exists()
    assert asked.heartbeat("-C", str(copy), "approve", "--all").code == 0
    assert asked.heartbeat("-C", str(copy), "run").code == 0
    assert (copy / "trace").exists()


# -- what asks for nothing -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("status**: PENDING", "status**: PENDING\n- **error**: no\n- **retry_count**: 1/3"),
        ("schedule**: every:1h", "schedule**: every:2h"),
        ("### [MEDIUM] one", "### [HIGH] Another name"),
        ("## Notes", "## Notes\n\nMore of them.\n\n## Others"),
        (
            "## Pending Actions\n",
            "Words above it.\n\n## Pending Actions\n\n### Other\n- id: o\n- command: other\n\n",
        ),
    ],
)
def test_status_lines_schedule_name_place_and_other_items_need_no_new_approval(
    asked: Machine, old: str, new: str
) -> None:
    approve_first(asked, action("one", "echo x >> trace", "schedule: every:1h"))
    replace_in(asked.file, old, new)
    assert asked.heartbeat("run").code == 0
    assert asked.lines("trace") == ["x"]


def test_the_output_of_a_command_does_not_count_as_its_script(asked: Machine) -> None:
    approve_first(
        asked, action("one", "ls > files.txt; wc -l files.txt >> trace", "schedule: every:1s")
    )
    assert asked.heartbeat("run").code == 0
    wait_for(
        lambda: asked.heartbeat("run").code == 0 and len(asked.lines("trace")) >= 2,
        "the second time",
    )
    assert asked.json("approve")["waiting"] == []


def test_a_starter_workspace_runs_at_once(asked: Machine) -> None:
    asked.workspace.rmdir()
    folder = str(asked.workspace)
    asked.workspace.mkdir()
    assert asked.heartbeat("init", folder).code == 0
    assert asked.json("approve")["waiting"] == []
    assert asked.json("run")["items"][0]["outcome"] in ("completed", "waiting")
    assert "needs_approval" not in json.dumps(asked.json("run"))


def test_init_approves_only_what_it_wrote(asked: Machine) -> None:
    (asked.workspace / "heartbeat").mkdir()
    (asked.workspace / "heartbeat" / "evil.md").write_text(
        "---\ntitle: E\ngate:\n  command: echo evil\n---\nDo it.\n"
    )
    assert asked.heartbeat("init").code == 0
    assert [one["key"] for one in asked.json("approve")["waiting"]] == ["gate:evil"]
    own = asked.folder / "own"
    own.mkdir()
    (own / "HEARTBEAT.md").write_text("## Pending Actions\n\n" + action("one", "echo x >> trace"))
    assert asked.heartbeat("init", str(own)).code == 0
    assert asked.heartbeat("-C", str(own), "run").code == 4


# -- the commands ----------------------------------------------------------------------------------


def test_approve_without_a_terminal_only_lists(asked: Machine) -> None:
    asked.write(action("one", "echo x >> trace"))
    done = asked.heartbeat("approve")
    assert done.code == 0
    assert "action:one  (new)" in done.out
    assert "1 waiting for your approval" in done.out
    assert asked.heartbeat("run").code == 4


def test_approve_on_a_terminal_asks_about_each_one(asked: Machine) -> None:
    asked.write(action("one", "echo x >> one"), action("two", "echo x >> two"))
    with terminal(asked, "approve") as screen:
        screen.see("action:one  (new)")
        screen.see("Approve it? [y/N]: ")
        screen.type(b"\n")
        screen.see("action:two  (new)")
        wait_for(lambda: screen._look().count("Approve it?") == 2, "the second question")
        screen.type(b"y\n")
        screen.see("Run two now? [y/N]: ")
        screen.type(b"\n")
        assert screen.end() == 0
        assert "Approved: action:two." in screen.shown
    asked.heartbeat("run")
    assert (asked.lines("one"), asked.lines("two")) == ([], ["x"])


def test_what_was_approved_is_kept_if_the_person_stops_halfway(asked: Machine) -> None:
    asked.write(action("one", "echo x >> one"), action("two", "echo x >> two"))
    with terminal(asked, "approve") as screen:
        screen.see("Approve it? [y/N]: ")
        screen.type(b"y\n")
        question = "Approve it? [y/N]: "
        wait_for(lambda: screen._look().count(question) == 2, "the second question")
        screen.wait_until_it_reads()
        screen.type(b"\x03")
        assert screen.end() == 130
    asked.heartbeat("run")
    assert (asked.lines("one"), asked.lines("two")) == (["x"], [])


def test_approve_as_json_lists_everything_a_person_needs_to_decide(asked: Machine) -> None:
    script(asked, "run.sh", "true")
    approve_first(asked, action("one", "./run.sh"))
    replace_in(asked.file, "./run.sh", "./run.sh now")
    answer = asked.json("approve")
    (one,) = answer["waiting"]
    assert (one["key"], one["kind"], one["standing"]) == ("action:one", "action", "changed")
    assert {"name": "command", "before": "./run.sh", "after": "./run.sh now"} in one["fields"]
    assert [row["name"] for row in one["scripts"]] == ["run.sh"]
    assert "HEARTBEAT.md, line" in one["where"]
    assert one["reach"]
    assert answer["seal"] == {
        "key": str(asked.states / "approval-seal.key"),
        "reason": "There is no keyring here.",
    }
    assert asked.json("approve", "one")["approved"] == ["action:one"]
    assert asked.json("approve")["waiting"] == []


def test_an_unknown_id_is_refused_and_the_most_similar_one_suggested(asked: Machine) -> None:
    asked.write(action("backup", "true"))
    for command in (["approve", "bakup"], ["approve", "backup"], ["revoke", "bakup"]):
        done = asked.heartbeat(*command)
        assert done.code == (0 if "backup" in command else 2)
        if done.code:
            assert "Did you mean `backup`?" in done.err


def test_what_is_revoked_waits_again(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> one"), action("two", "echo x >> two"))
    assert "action:one  by you" in asked.heartbeat("revoke").out
    assert asked.json("revoke", "one")["revoked"] == ["action:one"]
    asked.heartbeat("run")
    assert (asked.lines("one"), asked.lines("two")) == ([], ["x"])
    assert asked.heartbeat("revoke", "--all").code == 0
    assert asked.heartbeat("revoke").out == "Nothing is approved.\n"


def test_characters_that_hide_or_turn_round_are_shown_as_code_points(asked: Machine) -> None:
    asked.write(
        action("one", "echo safe \u202e\u2066# rm -rf\u200b \U000e0041 \x1b[2Jx").replace(
            "] one", "] O\u202ene"
        )
    )
    out = asked.heartbeat("approve").out
    for code in ("<U+202E>", "<U+2066>", "<U+200B>", "<U+E0041>", "<U+001B>"):
        assert code in out
    assert not {"\u202e", "\u2066", "\u200b", "\U000e0041", "\x1b"} & set(out)
    assert "\\u202e" not in json.dumps(asked.json("approve"))


def test_a_script_that_cannot_be_read_cannot_be_approved(asked: Machine) -> None:
    with (asked.workspace / "run.sh").open("wb") as file:
        file.truncate(65 << 20)
    asked.write(action("one", "./run.sh"), action("two", "echo x >> two"))
    done = asked.heartbeat("approve", "--all")
    assert done.code == 1
    assert "cannot be approved" in done.err
    asked.heartbeat("run")
    assert asked.lines("two") == ["x"]


# -- the record ------------------------------------------------------------------------------------


def test_a_forged_record_approves_nothing_is_announced_once_and_kept(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> one"))
    record = asked.state / "approvals.json"
    assert stat.S_IMODE(record.stat().st_mode) == 0o600
    content = json.loads(record.read_text())
    replace_in(asked.file, "echo x", "echo evil")
    content["approved"]["action:one"]["digest"] = asked.json("approve")["waiting"][0]["digest"]
    record.write_text(json.dumps(content))
    done = asked.heartbeat("run")
    assert done.code == 4
    assert "its seal is broken" in done.out
    assert "its seal is broken" not in asked.heartbeat("run").out
    assert asked.lines("one") == []
    assert "its seal is broken" in asked.heartbeat("approve").err
    assert asked.heartbeat("approve", "--all").code == 0
    assert asked.heartbeat("run").code == 0
    assert asked.lines("one") == ["evil"]
    assert len(list(asked.state.glob("approvals.json.not-trusted-*"))) == 1


def test_an_older_record_does_not_bring_back_what_was_revoked(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> one"))
    record = asked.state / "approvals.json"
    older = record.read_bytes()
    assert asked.heartbeat("revoke", "--all").code == 0
    record.write_bytes(older)
    done = asked.heartbeat("run")
    assert done.code == 4
    assert "older copy" in done.out
    assert asked.lines("one") == []


def test_a_beat_with_nothing_due_loads_no_keyring(asked: Machine) -> None:
    approve_first(asked, action("one", "echo x >> one", "schedule: daily:00:00"))
    asked.environment["PYTHONPROFILEIMPORTTIME"] = "1"

    def loaded(*words: str) -> set[str]:
        done = asked.heartbeat("run", *words)
        return {line.rpartition("|")[2].strip() for line in done.err.splitlines() if "|" in line}

    seal = "core.rules.approving.seal"
    assert not {seal, "keyring", "secretstorage", "cryptography"} & loaded()
    assert asked.lines("one") == []
    assert seal in loaded("one")
    assert asked.lines("one") == ["x"]


# -- while it watches ------------------------------------------------------------------------------


def has_planned(machine: Machine) -> bool:
    return any(machine.states.glob("*/ledger.db")) and machine.ledger().plan.note() is not None


def is_at_rest(machine: Machine) -> bool:
    return all(beat.finished for beat in machine.ledger().beats.recent(3))


def test_a_saved_command_asks_for_approval_at_once_and_starts_when_it_is_approved(
    asked: Machine,
) -> None:
    approve_first(asked)
    with asked.start("daemon"):
        wait_for(lambda: has_planned(asked), "the first plan")
        asked.write(
            action("one", "echo x >> one"),
            action("two", "echo x >> two", "schedule: yearly:01-01:00:00"),
        )
        wait_for(lambda: asked.json("status")["approvals_waiting"] == 2, "both to be asked for")
        wait_for(lambda: asked.json("status")["state"] == "attention", "the state to say so")
        assert asked.lines("one") == []
        assert asked.heartbeat("approve", "--all").code == 0
        wait_for(lambda: asked.lines("one") == ["x"], "the approved action")
        assert asked.json("status")["approvals_waiting"] == 0


def test_a_changed_script_asks_for_approval_when_it_is_saved_not_when_it_is_due(
    asked: Machine,
) -> None:
    (asked.workspace / "jobs").mkdir()
    path = script(asked, "jobs/run.sh", "true")
    approve_first(asked, action("one", "sh jobs/run.sh", "schedule: yearly:01-01:00:00"))
    asked.witness_starts()
    with asked.start("daemon"):
        wait_for(lambda: len(asked.starts("plan")) == 2, "the plan after the script became known")
        assert asked.json("status")["approvals_waiting"] == 0
        path.write_text("echo evil\n")
        wait_for(
            lambda: asked.json("status")["approvals_waiting"] == 1, "the script to be asked for"
        )


def test_as_the_owner_what_is_saved_runs_and_what_a_beat_changed_waits(asked: Machine) -> None:
    (asked.config / "config.toml").write_text('approval = "owner"\n')
    approve_first(asked)
    heading = "## Pending Actions"
    evil = action("evil", "echo x >> evil").replace("\n", "\\n").replace("*", "\\*")
    command = f"sed -i 's/^{heading}$/{heading}\\n\\n{evil}/' HEARTBEAT.md; echo x >> agent"
    with asked.start("daemon"):
        wait_for(lambda: has_planned(asked), "the first plan")
        asked.write(action("mine", "echo x >> mine"))
        wait_for(lambda: asked.lines("mine") == ["x"] and is_at_rest(asked), "what was saved")
        replace_in(asked.file, heading + "\n", heading + "\n\n" + action("agent", command))
        wait_for(lambda: asked.lines("agent") == ["x"], "the action that writes another one")
        wait_for(lambda: asked.json("status")["approvals_waiting"] == 1, "that one to be asked for")
        wait_for(lambda: is_at_rest(asked), "the end of that beat")
        assert "### [MEDIUM] evil" in asked.text()
        replace_in(asked.file, "## Notes", "## Some notes")
        replace_in(asked.file, heading + "\n", heading + "\n\n" + action("more", "echo x >> more"))
        wait_for(lambda: asked.lines("more") == ["x"], "what was saved next to it")
        assert asked.lines("evil") == []
    replace_in(asked.file, heading + "\n", heading + "\n\n" + action("off", "echo x >> off"))
    with asked.start("daemon"):
        wait_for(
            lambda: asked.json("status")["approvals_waiting"] == 2,
            "what was saved while it was off",
        )
        assert (asked.lines("evil"), asked.lines("off")) == ([], [])


@pytest.mark.parametrize("command", ["plan", "simulate"])
def test_an_approval_that_is_missing_is_announced_before_the_item_is_due(
    machine: Machine, command: str
) -> None:
    machine.write(action("nightly", "true", "schedule: daily:02:00"))
    warning = "1 waiting for your approval: heartbeat approve\n"
    assert warning in machine.heartbeat(command).out
    machine.approve()
    assert warning not in machine.heartbeat(command).out
