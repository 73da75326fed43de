"""What is shown about something that waits for approval; nothing in it can hide."""

import unicodedata
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from core.kinds import executables_of, read_document
from core.model.approval import (
    OUTSIDE,
    ApprovedBy,
    Candidate,
    Executable,
    ExecutableKind,
    Fields,
    Script,
)
from core.model.document import Prompt
from core.model.kinds import AS_YOU
from core.model.settings import GateSettings, McpServer, Settings
from core.model.workspace import Workspace
from core.rules.approving.approval import approval_of, review
from core.rules.approving.page import lines_of, page_of
from core.rules.printable import visible
from core.rules.reading.prompts import read_prompt

NOW = datetime(2026, 11, 16, 9, 0, tzinfo=UTC)
RUN = Candidate("run.sh", False)
FIELDS: Fields = (("type", "shell"), ("command", "./run.sh"), ("sandbox", "false"))
ONE = Executable(
    "action:one",
    ExecutableKind.ACTION,
    "Make a backup",
    "HEARTBEAT.md",
    12,
    FIELDS,
    ("starts in the workspace", AS_YOU),
    ("./run.sh",),
    (RUN,),
    ("action:one",),
)


def page(
    one: Executable,
    script: str = "aa",
    before: Executable | None = None,
    settings: Settings | None = None,
) -> str:
    given = {}
    if before:
        was = review(before, {RUN: Script("run.sh", "aa")}, "/w", {})
        given = {before.key: approval_of(was, NOW, ApprovedBy.PERSON)}
    reviewed = review(one, {RUN: Script("run.sh", script)} if script else {}, "/w", given)
    return "\n".join(lines_of(page_of(reviewed, settings or Settings())))


def test_a_new_one_says_what_where_and_which_scripts() -> None:
    assert page(ONE).splitlines() == [
        "action:one  (new)",
        "  Make a backup",
        "  HEARTBEAT.md, line 12",
        "    type      shell",
        "    command   ./run.sh",
        "    sandbox   false",
        "  scripts:",
        "    run.sh    sha256 aa",
        "  • starts in the workspace",
        "  • runs as you, outside the sandbox: it reaches your files and the network",
    ]


def test_a_changed_one_shows_each_field_before_and_after() -> None:
    before = replace(ONE, fields=(*FIELDS, ("working_dir", "jobs")))
    after = replace(
        ONE, fields=(FIELDS[0], ("command", "./run.sh | mail x"), ("env.A", "1"), FIELDS[2])
    )
    shown = page(after, "bb", before=before)
    assert "action:one  (changed since you approved it)" in shown
    assert [line.strip() for line in shown.splitlines()[3:-2]] == [
        "type          shell",
        "command     - ./run.sh",
        "command     + ./run.sh | mail x",
        "env.A       + 1",
        "sandbox       false",
        "working_dir - jobs",
        "scripts:",
        "run.sh      - sha256 aa",
        "run.sh      + sha256 bb",
    ]


def test_arguments_of_the_same_name_are_told_apart() -> None:
    def server(*words: str) -> Executable:
        fields = (("command", "srv"), *(("argument", word) for word in words))
        return replace(ONE, kind=ExecutableKind.SERVER, fields=fields)

    shown = page(server("a", "c"), "", before=server("a", "b"))
    assert "argument     a\n" in shown
    assert "argument 2 - b\n" in shown
    assert "argument 2 + c\n" in shown


@pytest.mark.parametrize(
    ("character", "code"),
    [
        ("\u202e", "<U+202E>"),  # right to left
        ("\u2066", "<U+2066>"),  # isolate
        ("\u200b", "<U+200B>"),  # zero width
        ("\u200d", "<U+200D>"),
        ("\ufeff", "<U+FEFF>"),
        ("\U000e0041", "<U+E0041>"),  # tag
        ("\U000e0100", "<U+E0100>"),  # variation selector
        ("\ufe0f", "<U+FE0F>"),
        ("\u3164", "<U+3164>"),  # a filler
        ("\u2800", "<U+2800>"),  # a blank
        ("\u00a0", "<U+00A0>"),  # a space that is none for the shell
        ("\u2028", "<U+2028>"),
        ("\x1b", "<U+001B>"),
        ("\r", "<U+000D>"),
        ("\n", "<U+000A>"),
        ("\x00", "<U+0000>"),
        ("\udc80", "<U+DC80>"),
        ("\ue000", "<U+E000>"),
    ],
)
def test_what_cannot_be_seen_is_shown_as_its_code_point_wherever_it_stands(
    character: str, code: str
) -> None:
    assert visible(f"a{character}b") == f"a{code}b"
    hostile = replace(
        ONE,
        key=f"action:o{character}ne",
        title=f"Make{character}",
        file=f"HEART{character}BEAT.md",
        fields=(
            ("type", "shell"),
            (f"env.{character}", f"x{character}"),
            ("command", f"ls {character}"),
            ("sandbox", "false"),
        ),
    )
    shown = page(hostile)
    assert character not in shown.replace("\n", "") if character == "\n" else character not in shown
    assert shown.count(code) == 6


def test_ordinary_letters_of_any_language_stay() -> None:
    assert visible("Größe – 日本 – naïve – Ж – «x»") == "Größe – 日本 – naïve – Ж – «x»"


def test_no_format_control_or_separator_character_is_left_as_it_is() -> None:
    hidden = {"Cc", "Cf", "Cs", "Co", "Cn", "Zl", "Zp"}
    for number in range(0x110000):
        if unicodedata.category(chr(number)) in hidden:
            assert visible(chr(number)) == f"<U+{number:04X}>"


def action(*lines: str) -> str:
    return "\n".join(["## Pending Actions", "### One", "- id: one", *lines])


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (
            action("- command: ls", "- sandbox: true"),
            "in the sandbox: it reaches the workspace and no network",
        ),
        (action("- command: ls", "- working_dir: jobs"), "starts in jobs"),
        (action("- url: http://x.example/a"), "sends to http://x.example/a"),
        (
            action("- type: file", "- operation: delete", "- path: a"),
            "inside the workspace only",
        ),
        (
            action("- type: notify", "- message: hi", "- channel: phone"),
            "over the channel phone",
        ),
        ("## Tasks\n- [ ] a | b | run: ls", "runs as you, outside the sandbox"),
        ("## Tasks\n## Probes\n- a: ls", "runs as you, outside the sandbox"),
        ("## Tasks\n- [ ] a | b | verify: cmd:ls", "runs as you, outside the sandbox"),
        ("## Tasks\n- [ ] a | b | verify: cmd:", "runs as you, outside the sandbox"),
        ("## Tasks\n- [ ] a | b | verify: http://x/ status=200", "asks that address"),
        (
            "## Tasks\n- [ ] a | b | run: sh $x",
            "what $x stands for is known only when it runs",
        ),
    ],
)
def test_it_says_what_each_can_reach(text: str, words: str) -> None:
    [one] = executables_of(workspace(text), Settings())
    assert words in page(one)


@pytest.mark.parametrize(
    ("lines", "words"),
    [
        (("  cwd: sub",), "starts in sub"),
        ((), "in the sandbox: it reaches the workspace and no network"),
        (("  allowedDomains: [a.b, c.d]",), "the workspace and, on the network, only a.b, c.d"),
    ],
)
def test_it_says_what_a_gate_can_reach(lines: tuple[str, ...], words: str) -> None:
    assert words in page(gate(*lines))


def test_it_says_that_the_model_calls_the_tools_of_a_server() -> None:
    settings = Settings(mcp_servers={"mail": McpServer("srv")})
    [one] = executables_of(workspace(""), settings)
    assert "the model calls its tools" in page(one)


def test_a_gate_that_may_run_without_a_sandbox_says_so() -> None:
    assert "runs as you" not in page(gate())
    assert "runs as you" in page(gate(), settings=Settings(gates=GateSettings(unsandboxed=True)))


def workspace(text: str, *prompts: Prompt) -> Workspace:
    document = read_document(text.encode())
    return Workspace(Path("/w"), Path("/w/HEARTBEAT.md"), document, prompts, ())


def gate(*lines: str) -> Executable:
    text = "\n".join(["---", "title: A", "gate:", "  command: ls", *lines, "---", "Do it."])
    prompt = read_prompt("a", text.encode()).prompt
    assert prompt
    [one] = executables_of(workspace("", prompt), Settings())
    return one


def test_a_link_out_of_the_workspace_says_that_its_content_is_not_approved() -> None:
    reviewed = review(ONE, {RUN: Script("run.sh → /usr/bin/x", OUTSIDE)}, "/w", {})
    assert "not part of the approval" in "\n".join(lines_of(page_of(reviewed, Settings())))
