"""The file tools: they see the workspace and nothing else, change no other byte, and can be
undone."""

import os
from pathlib import Path

import pytest

from core.agent.tools.heartbeat_file import put_back
from core.engine.plan import plan_now
from core.model.file_work import Undone
from core.model.holder import Holder, Purpose
from core.model.occurrence import BeatReason, Outcome
from core.model.plan import BeatRequest, Decision, Planned
from core.services import COPY_OF_SETTINGS, Services
from core.usecases.approving import review
from core.usecases.reading import read_workspace
from tests.agent.workbench import TEXT, Call, Workbench


def put(path: str, content: str = "mine now\n") -> tuple[str, dict[str, str]]:
    return "write_file", {"path": path, "content": content}


def edit(path: str, old: str, new: str) -> tuple[str, dict[str, str]]:
    return "edit_file", {"path": path, "old": old, "new": new}


def test_a_file_is_written_with_its_folders_and_restored_by_undo(bench: Workbench) -> None:
    bench.write("notes/a.md", "old\r\n")
    assert bench.play(put("notes/a.md"), put("deep/er/b.md")) == [
        "Wrote notes/a.md (9 bytes).",
        "Wrote deep/er/b.md (9 bytes).",
    ]
    assert bench.text("deep/er/b.md") == "mine now\n"

    bench.undo()
    assert bench.text("notes/a.md") == "old\r\n"
    assert not bench.exists("deep/er/b.md")


def test_undo_works_in_a_workspace_behind_a_link(bench: Workbench) -> None:
    bench.write("a.md", "old")
    (bench.home / "link").symlink_to(bench.root)
    bench.root = bench.home / "link"
    bench.play(put("a.md"), ("remember", {"section": "Pending", "line": "tea"}))
    bench.play(
        ("remember", {"section": "Pending", "line": "milk"}),
        edit("HEARTBEAT.md", "# Mine", "# Yours"),
    )

    assert bench.text("a.md") == "mine now\n"

    for _ in range(3):
        bench.undo()

    assert bench.text("a.md") == "old"
    assert bench.text("HEARTBEAT.md") == TEXT
    assert not bench.exists("memory/MEMORY.md")


def test_an_edit_changes_only_the_text_it_replaces(bench: Workbench) -> None:
    bench.write("a.md", "\ufeffone\r\ntwo \t\rthree\u2028four")
    bench.play(edit("a.md", "two", "zwei"))
    assert bench.text("a.md") == "\ufeffone\r\nzwei \t\rthree\u2028four"


@pytest.mark.parametrize(
    ("old", "answer"),
    [
        ("x", "`old` is not in a.md; read it first."),
        ("o", "`old` occurs 2 times in a.md; give more of the text around it."),
        ("", "`old` is not in a.md; read it first."),
    ],
)
def test_an_edit_needs_a_text_that_occurs_exactly_once(
    bench: Workbench, old: str, answer: str
) -> None:
    bench.write("a.md", "one two")
    assert bench.play(edit("a.md", old, "new")) == [answer]
    assert bench.text("a.md") == "one two"


def test_a_binary_file_is_neither_read_nor_edited(bench: Workbench) -> None:
    (bench.root / "a.bin").write_bytes(b"\xff\xfea\0")
    assert bench.play(("read_file", {"path": "a.bin"}), edit("a.bin", "a", "b")) == [
        "a.bin is not a text file.",
        "a.bin is not UTF-8 text.",
    ]


def test_a_long_file_is_read_in_pieces(bench: Workbench) -> None:
    bench.write("a.md", "".join(f"{number:0100d}\n" for number in range(100)))
    seen: list[str] = []
    first = 1
    while True:
        (answer,) = bench.play(("read_file", {"path": "a.md", "first_line": first}))
        seen += [line for line in answer.split("\n") if line.startswith("» ")]
        if "first_line=" not in answer:
            break
        first = int(answer.rpartition("first_line=")[2].rstrip("."))

    assert seen == [f"» {number:0100d}" for number in range(100)]


def test_files_are_listed_by_a_pattern(bench: Workbench) -> None:
    bench.write("notes/a.md", "")
    bench.write("b.txt", "")
    assert bench.play(
        ("list_files", {"pattern": "*a.md"}), ("list_files", {"pattern": "*.pdf"})
    ) == [
        "[list_files]\n» notes/a.md",
        "No file in the workspace matches *.pdf.",
    ]


OUTSIDE = [
    "../out.md",
    "notes/../../out.md",
    "{home}/out.md",
    "link/out.md",
    "file_link",
    "./../../home/out.md",
]


@pytest.mark.parametrize("path", OUTSIDE)
def test_nothing_outside_the_workspace_is_read_written_or_edited(
    bench: Workbench, path: str
) -> None:
    out = bench.home / "out.md"
    out.write_text("private\n")
    (bench.root / "link").symlink_to(bench.home)
    (bench.root / "file_link").symlink_to(out)
    path = path.format(home=bench.home)
    for answer in bench.play(
        ("read_file", {"path": path}), put(path), edit(path, "private", "mine")
    ):
        assert "private" not in answer
        assert "Wrote" not in answer

    assert out.read_text() == "private\n"


def test_writing_to_a_hard_link_leaves_the_file_outside_unchanged(bench: Workbench) -> None:
    out = bench.home / "out.md"
    out.write_text("private\n")
    os.link(out, bench.root / "a.md")
    bench.play(put("a.md"))

    assert (bench.text("a.md"), out.read_text()) == ("mine now\n", "private\n")


CONTROL_FILES = [
    ".heartbeat/owner.json",
    ".heartbeat/workspace.json",
    "config.json",
    "CONFIG.JSON",
    "heartbeat/new.md",
    ".Heartbeat/x",
    "heartbeat/../config.json",
]


@pytest.mark.parametrize("path", CONTROL_FILES)
def test_files_that_control_the_program_are_not_written(bench: Workbench, path: str) -> None:
    (bench.root / "heartbeat").mkdir()
    (answer,) = bench.play(put(path, "{}"))

    assert "was not written" in answer
    assert not bench.exists(path)


def test_files_that_control_the_program_are_not_written_through_a_link(bench: Workbench) -> None:
    bench.write("config.json", "{}")
    for target in ("config.json", "HEARTBEAT.md", "memory"):
        (bench.root / "link").unlink(missing_ok=True)
        (bench.root / "link").symlink_to(bench.root / target)
        bench.play(put("link"), put("link/MEMORY.md"))

    assert bench.text("config.json") == "{}"
    assert bench.text("HEARTBEAT.md") == TEXT
    assert not bench.exists("memory/MEMORY.md")


def test_settings_and_state_are_hidden_even_if_the_workspace_is_the_home_folder(
    bench: Workbench,
) -> None:
    (bench.config / "config.toml").write_text('approval = "ask"\n')
    bench.root = bench.home
    bench.write("HEARTBEAT.md", TEXT)
    path = ".config/heartbeat/config.toml"
    read, written, edited, listed = bench.play(
        ("read_file", {"path": path}),
        put(path),
        edit(path, "ask", "owner"),
        ("list_files", {"pattern": "*.toml"}),
    )

    assert read == f"{path} must not be read"
    assert "was not written" in written
    assert "was not written" in edited
    assert listed == "No file in the workspace matches *.toml."
    assert (bench.config / "config.toml").read_text() == 'approval = "ask"\n'


def test_the_checked_copy_of_the_settings_is_out_of_reach(bench: Workbench) -> None:
    """A forged one would be believed: it is in the state folder for that reason."""
    (bench.config / "config.toml").write_text('approval = "ask"\n')
    bench.root = bench.home
    bench.write("HEARTBEAT.md", TEXT)
    assert Services(bench.root).settings.approval == "ask"
    copy = bench.state / COPY_OF_SETTINGS
    before = copy.read_bytes()

    path = f".local/state/heartbeat/{COPY_OF_SETTINGS}"
    read, written, edited = bench.play(
        ("read_file", {"path": path}), put(path), edit(path, '"ask"', '"owner"')
    )

    assert read == f"{path} must not be read"
    assert "was not written" in written
    assert "was not written" in edited
    assert copy.read_bytes() == before

    copy.write_bytes(before.replace(b'"ask"', b'"owner"'))  # the twin: from outside it counts
    assert Services(bench.root).settings.approval == "owner"


@pytest.mark.parametrize("path", ["a\0b", "", ".", "a" * 300, "\ud800"])
def test_an_invalid_path_is_answered_with_a_sentence(bench: Workbench, path: str) -> None:
    for answer in bench.play(("read_file", {"path": path}), put(path), edit(path, "a", "b")):
        assert answer
        assert "Wrote" not in answer


@pytest.mark.parametrize(
    "call",
    [
        ("read_file", {"path": "?/" * 120_000}),
        ("list_files", {"pattern": "?" * 40_000}),
        put("a/" * 3000),
        edit("a/" * 3000, "a", "b"),
    ],
)
def test_a_name_that_no_system_opens_is_refused(bench: Workbench, call: Call) -> None:
    (answer,) = bench.play(call)
    field = "pattern" if call[0] == "list_files" else "path"
    assert answer == (
        f"`{field}` is too long: it may have at most 4,096 characters. Nothing was done."
    )


# -- HEARTBEAT.md ----------------------------------------------------------------------------------


def test_heartbeat_md_can_be_edited_and_restored(bench: Workbench) -> None:
    (answer,) = bench.play(edit("HEARTBEAT.md", "# Mine", "# Mine\n\nRemember the milk."))
    assert answer == "Wrote HEARTBEAT.md."
    assert bench.text("HEARTBEAT.md") == TEXT.replace("# Mine", "# Mine\n\nRemember the milk.")

    bench.undo()
    assert bench.text("HEARTBEAT.md") == TEXT


def test_a_later_change_of_heartbeat_md_does_not_prevent_the_undo_of_other_files(
    bench: Workbench,
) -> None:
    bench.write("a.md", "old")
    bench.play(put("a.md"), edit("HEARTBEAT.md", "# Mine", "# Yours"))
    bench.write("HEARTBEAT.md", bench.text("HEARTBEAT.md") + "status: idle\n")
    undone = bench.world().undo.undo(None, "agent")

    assert isinstance(undone, Undone), undone
    assert bench.text("a.md") == "old"


def test_a_new_action_is_written_and_waits_for_the_person(bench: Workbench) -> None:
    block = "\n## Pending Actions\n\n### [HIGH] Evil\n- id: evil\n- command: touch evil\n"
    (answer,) = bench.play(put("HEARTBEAT.md", TEXT + block))
    assert answer == "Wrote HEARTBEAT.md. Before they run, the person has to approve: action:evil."


CHECKS = [
    ("- [ ] report", "- [x] report"),
    ("size>3", "size>0"),
    ("| required |", "| optional |"),
    ("max_attempts: 3", "max_attempts: 99"),
    (
        (
            "- [ ] report | Write the report | required | verify: file:report.md size>3 | "
            "max_attempts: 3\n"
        ),
        "",
    ),
    ("- mails: echo 3", "- mails: echo 4"),
    ("## Tasks", "## Done"),
    ("# Mine", "---\nformat: plain\n---\n"),
    ("- [ ] report", "- [ ] report | Nothing | optional\n- [ ] report"),
    ("- [ ] report", "<!--\n- [ ] report"),
]


@pytest.mark.parametrize(("old", "new"), CHECKS)
def test_the_model_cannot_weaken_the_check_of_its_own_work(
    bench: Workbench, old: str, new: str
) -> None:
    (answer,) = bench.play(edit("HEARTBEAT.md", old, new))
    assert answer.startswith("Only the person may change "), answer
    assert bench.text("HEARTBEAT.md") == TEXT


def test_a_refusal_says_what_only_the_person_may_change(bench: Workbench) -> None:
    (weaker,) = bench.play(edit("HEARTBEAT.md", "size>3", "size>0"))

    assert (
        weaker == "Only the person may change `verify` of task:report; ask for it in your report."
    )


def test_a_task_that_the_model_adds_waits_for_the_person(bench: Workbench) -> None:
    bench.approve()
    new = "- [ ] easy | Be | verify: file:HEARTBEAT.md"
    (answer,) = bench.play(edit("HEARTBEAT.md", "- [ ] tidy", f"{new}\n- [ ] tidy"))
    assert "The person has to approve it first: task:easy." in answer
    assert new in bench.text("HEARTBEAT.md")

    def waiting() -> list[str]:
        reviewed, _ = review(bench.world())  # by a new connection, as after a restart
        return [one.key for one in reviewed if one.waits]

    def planned() -> Planned:
        world = bench.world()
        request = BeatRequest(BeatReason.PERSON)
        plan = plan_now(world, read_workspace(world), request, bench.now(), remember=False)
        return next(item for item in plan.items if item.id == "easy")

    assert waiting() == ["task:easy"]
    assert (planned().decision, planned().reason) == (
        Decision.BLOCKED,
        "needs approval: the model added it",
    )

    bench.approve()
    assert waiting() == []
    assert planned().held_as is not Outcome.NEEDS_APPROVAL


def test_a_task_of_the_model_that_the_person_edits_is_the_persons(bench: Workbench) -> None:
    bench.approve()
    bench.play(edit("HEARTBEAT.md", "- [ ] tidy", "- [ ] easy | Be\n- [ ] tidy"))
    reviewed, _ = review(bench.world())
    assert [one.key for one in reviewed if one.waits] == ["task:easy"]

    bench.write("HEARTBEAT.md", bench.text("HEARTBEAT.md").replace("| Be", "| Be good"))
    reviewed, _ = review(bench.world())
    assert [one.key for one in reviewed if one.waits] == []


def test_the_model_cannot_end_a_plain_file_with_tasks(bench: Workbench) -> None:
    bench.write("HEARTBEAT.md", "Look at the sky.\n")
    (answer,) = bench.play(edit("HEARTBEAT.md", "sky.\n", "sky.\n\n## Tasks\n\n- [ ] easy | Be\n"))
    assert answer.startswith("Only the person may change the new task:easy")
    assert bench.text("HEARTBEAT.md") == "Look at the sky.\n"


def test_heartbeat_md_is_not_changed_while_another_beat_has_the_lock(bench: Workbench) -> None:
    held = bench.world().lock.acquire(Purpose.BEAT, bench.now())
    assert not isinstance(held, Holder)

    with held:
        (answer,) = bench.play(edit("HEARTBEAT.md", "# Mine", "# Yours"))

    assert answer == "Another beat is writing HEARTBEAT.md; try again later."
    assert bench.text("HEARTBEAT.md") == TEXT


def test_heartbeat_md_is_not_changed_while_the_person_edits_it(bench: Workbench) -> None:
    (bench.root / ".HEARTBEAT.md.swp").write_bytes(b"b0VIM 9.0")
    (answer,) = bench.play(edit("HEARTBEAT.md", "# Mine", "# Yours"))

    assert "is open in an editor" in answer
    assert bench.text("HEARTBEAT.md") == TEXT


@pytest.mark.parametrize(
    ("before", "after", "is_put_back"),
    [
        ("PENDING", "RUNNING", False),
        ("RUNNING", "COMPLETED", False),
        ("COMPLETED", "PENDING", True),
    ],
)
def test_what_another_beat_writes_during_a_call_of_a_server_stays(
    bench: Workbench, before: str, after: str, is_put_back: bool
) -> None:
    old, new = (
        f"{TEXT}\n## Pending Actions\n\n### Pay\n- id: pay\n- command: ls\n- status: {status}\n"
        for status in (before, after)
    )
    bench.write("HEARTBEAT.md", old)
    services = bench.services()
    workspace = services.workspace()
    bench.write("HEARTBEAT.md", new)

    assert bool(put_back(services, workspace)) == is_put_back
    assert bench.text("HEARTBEAT.md") == (old if is_put_back else new)


# -- the memory ------------------------------------------------------------------------------------


def test_remembering_and_resolving_leaves_the_rest_of_the_memory_unchanged(
    bench: Workbench,
) -> None:
    memory = "# Me\r\n\r\nPrivate.\r\n## Pending\r\n- call Ann\r\n\r\n## Mine\r\n- keep\r\n"
    bench.write("memory/MEMORY.md", memory)
    answers = bench.play(
        ("remember", {"section": "Pending", "line": "ask Bob"}),
        ("resolve_pending", {"line": "call Ann"}),
    )

    assert answers == ["Done.", "Done."]
    assert bench.text("memory/MEMORY.md") == memory.replace("- call Ann", "- ask Bob")

    bench.undo()
    assert bench.text("memory/MEMORY.md") == memory


def test_a_missing_memory_file_is_created(bench: Workbench) -> None:
    assert bench.play(("remember", {"section": "Observed Patterns", "line": "tea at four"})) == [
        "Done."
    ]
    assert bench.text("memory/MEMORY.md") == "## Observed Patterns\n- tea at four\n"

    bench.undo()
    assert not bench.exists("memory/MEMORY.md")


def test_the_other_tools_do_not_write_the_memory_file(bench: Workbench) -> None:
    bench.write("memory/MEMORY.md", "Mine.\n")
    answers = bench.play(
        put("memory/MEMORY.md"), edit("memory/MEMORY.md", "Mine", "Yours"), put("Memory/memory.MD")
    )

    assert all("remember and resolve_pending" in answer for answer in answers)
    assert bench.text("memory/MEMORY.md") == "Mine.\n"


def test_an_unknown_line_or_section_is_refused(bench: Workbench) -> None:
    assert bench.play(
        ("resolve_pending", {"line": "nothing"}), ("remember", {"section": "Tasks", "line": "x"})
    ) == [
        "No pending line fits. Give the line as it is written there.",
        "`section` must be one of Observed Patterns, Pending. Nothing was done.",
    ]


def test_a_memory_file_that_links_out_of_the_workspace_is_not_written(
    bench: Workbench, tmp_path: Path
) -> None:
    (tmp_path / "other.md").write_text("## Pending\n")
    (bench.root / "memory").mkdir()
    (bench.root / "memory" / "MEMORY.md").symlink_to(tmp_path / "other.md")
    (answer,) = bench.play(("remember", {"section": "Pending", "line": "x"}))

    assert answer == "MEMORY.md is a link that leaves the workspace."
    assert (tmp_path / "other.md").read_text() == "## Pending\n"
