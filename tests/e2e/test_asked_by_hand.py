"""What a person asks for by hand is answered: what came of it, or why nothing did."""

from tests.e2e.machine import Machine, action, workspace_text

TASKS = "## Tasks\n- [x] ticked | Done before\n- [ ] think | Think about it\n"


def test_what_was_named_and_could_not_run_is_1_and_says_why_and_what_to_do(
    machine: Machine,
) -> None:
    machine.file.write_text(
        workspace_text(
            action("first", "exit 3", "retry: 1"),
            action("second", "echo hi", "depends_on: first"),
            action("cond", "echo hi", "condition: file_exists:nothere"),
        )
        + TASKS,
        encoding="utf-8",
    )
    prompts = machine.workspace / "heartbeat"
    prompts.mkdir()
    (prompts / "inbox.md").write_text("---\ntitle: Inbox\ngate:\n  command: exit 1\n---\nDo it.\n")

    for name, words in {
        "ticked": "ticked: it is ticked; untick it to run it",
        "think": "heartbeat key set",
        "second": "To run both: heartbeat run first second",
        "cond": "cond: its condition is not true",
        "inbox": "inbox: its gate",
    }.items():
        done = machine.heartbeat("run", name)
        assert done.code == 1, (name, done)
        assert words in done.out, (name, done)
        assert "Nothing was due" not in done.out, (name, done)


def test_what_was_named_and_waits_for_an_approval_alone_is_still_4(machine: Machine) -> None:
    machine.says_yes = False
    machine.write(action("one", "true"))
    assert machine.heartbeat("run", "one").code == 4


def test_nothing_was_due_never_stands_beside_what_needs_the_person(machine: Machine) -> None:
    machine.says_yes = False
    machine.write(action("later", "true", "schedule: at:2126-03-05T10:00:00Z"))
    for _ in range(2):  # it is announced the first time, and still waits the second time
        done = machine.heartbeat("run")
        assert "Nothing was due" not in done.out
        assert "1 waiting for your approval" in done.out

    machine.file.write_text("## Tasks\n- [ ] think | Think about it\n", encoding="utf-8")
    for _ in range(2):
        done = machine.heartbeat("run")
        assert done.code == 0
        assert "Nothing was due" not in done.out
        assert "needs a language model" in done.out
        assert "heartbeat key set" in done.out


def test_run_and_plan_name_the_workspace(machine: Machine) -> None:
    home = machine.folder / "home"
    default = home / "Documents" / "Heartbeat"
    default.mkdir(parents=True)
    (default / "HEARTBEAT.md").write_text(workspace_text(action("one", "true")))
    for words in (["run"], ["plan"]):
        done = machine.heartbeat("-C", str(default), *words)
        assert done.out.splitlines()[-1] == "Workspace: ~/Documents/Heartbeat"
