"""docs/format.md is true and whole: every example is read as the page says, and every word that the
reader knows has an example.

Below an example, lines that begin with `>` say what the program makes of it. There are three kinds:
a row of `heartbeat check` (`task mail: required · …`), a value of `heartbeat show --json`
(`mail.timeout is 60`), and a finding (`error HB203`). Findings that the page does not name, apart
from notes, fail the test.
"""

import json
import re
from collections.abc import Iterator
from functools import reduce
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from core.actions import ACTION_TYPES
from core.checks import CHECK_KINDS
from core.kinds import read_document
from core.model.diagnostic import Severity
from core.model.document import ActionStatus, Priority, RunIf
from core.model.tags import TAGS
from core.model.workspace import Workspace
from core.rules.planning.conditions import WORDS as CONDITION_WORDS
from core.rules.reading import actions, fields, frontmatter, prompts
from core.rules.reading.prompts import read_prompt
from core.rules.timing.words import WORDS as SCHEDULE_WORDS
from core.rules.variables import NAMES
from tray_app.cli.line_readings import LineReading, line_readings, prompt_reading
from tray_app.cli.show import as_json
from tray_app.reference.rendering import EXAMPLE, QUOTE, blocks
from tray_app.reference.topics import page

VALUE = re.compile(r"([\w.-]+) is (.+)")
FINDING = re.compile(r"(error|warning) (HB\d{3})")
PROMPT_FILE = re.compile(r"`heartbeat/([\w-]+)\.md`:$")


class Example(NamedTuple):
    text: str
    prompt: str  # the id, if it is a prompt file
    said: list[str]


def examples() -> Iterator[Example]:
    found = list(blocks(page()))
    for index, block in enumerate(found):
        if not block[0].startswith(EXAMPLE):
            continue

        prompt = PROMPT_FILE.search(found[index - 1][-1])
        after = found[index + 1]
        said = [line.removeprefix(QUOTE) for line in after if line.startswith(QUOTE)]
        text = "\n".join(line.removeprefix(EXAMPLE) for line in block) + "\n"
        yield Example(text, prompt[1] if prompt else "", said)


EXAMPLES = list(examples())


def read(example: Example) -> Workspace:
    root = Path("/workspace")
    if not example.prompt:
        document = read_document(example.text.encode())
        return Workspace(root, root / "HEARTBEAT.md", document, (), document.diagnostics)

    prompt, found = read_prompt(example.prompt, example.text.encode())
    document = read_document(b"")
    return Workspace(root, root / "HEARTBEAT.md", document, (prompt,) if prompt else (), found)


def rows(workspace: Workspace) -> list[str]:
    """As the page writes them: the label, the id, and how it was read."""
    readings = [*line_readings(workspace.document), *map(prompt_reading, workspace.prompts)]
    return [_row(one) for one in readings]


def _row(reading: LineReading) -> str:
    if not reading.details:
        return f"{reading.label} {reading.text}"

    identifier = reading.text.partition(":")[0]
    return f"{reading.label} {identifier}: {' · '.join(reading.details)}"


def value(workspace: Workspace, path: str) -> Any:
    shown: dict[str, Any] = as_json(workspace)
    items = {one["id"]: one for kind in ("tasks", "actions", "prompts") for one in shown[kind]}
    return reduce(lambda table, key: table[key], path.split("."), {**shown, **items})


@pytest.mark.parametrize("example", EXAMPLES, ids=lambda one: one.text.strip().splitlines()[-1])
def test_every_example_is_read_as_the_page_says(example: Example) -> None:
    workspace = read(example)
    named = [FINDING.fullmatch(line) for line in example.said]
    found = [one for one in workspace.diagnostics if one.severity is not Severity.INFO]
    assert [(str(one.severity), one.code) for one in found] == [
        one.groups() for one in named if one
    ]

    assert example.said, "nothing is said about it"
    for line in example.said:
        if is_value := VALUE.fullmatch(line):
            assert value(workspace, is_value[1]) == json.loads(is_value[2]), line
        elif not FINDING.fullmatch(line):
            assert line in rows(workspace)


# -- nothing is missing ----------------------------------------------------------------------------


def words() -> Iterator[tuple[str, str]]:
    """Every word that a person may write, with what must be in an example."""
    yield from ((key, f"\n{key}: ") for key in frontmatter.KEYS)
    yield from ((key, f"| {key}: ") for key in fields.TASK_KEYS if key != "verify")
    yield from (("verify", "| verify: "), *((word, f"| {word}") for word in fields.NEEDS))
    yield from ((prefix, f"| {prefix}:") for prefix in CHECK_KINDS.by_prefix)
    yield from ((key, f"- {key}: ") for key in actions.COMMON_KEYS if key != "params")
    yield "params", "- params:\n  - "
    yield from ((priority, f"### [{priority}] ") for priority in Priority)
    for kind in ACTION_TYPES:
        yield kind.name, f"- type: {kind.name}\n"
        yield from ((f"{kind.name} {key}", f"- {key}:") for key in kind.keys)
    yield from ((word, f"- condition: {word}") for word in CONDITION_WORDS)
    yield from ((name, f"{{{{{name}}}}}") for name in NAMES)
    yield from ((word, f"{word}") for word in SCHEDULE_WORDS)
    yield from ((key, f"\n{key}:") for key in prompts.KEYS)
    yield from ((key, f"\n  {key}:") for key in prompts.GATE_KEYS)
    yield from ((str(word), f"run_if: {word}") for word in RunIf)
    yield from ((tag.name, f'"{tag.name}') for tag in TAGS if tag.gate_may_ask)


@pytest.mark.parametrize(("word", "written"), [pytest.param(*one, id=one[0]) for one in words()])
def test_every_word_has_an_example(word: str, written: str) -> None:
    plain = "\n".join(one.text for one in EXAMPLES).replace("**", "")
    assert written in f"\n{plain}", word


@pytest.mark.parametrize(
    "word",
    [*Priority, *ActionStatus, *RunIf, *actions.WRITTEN_KEYS, *(tag.listed for tag in TAGS)],
)
def test_every_value_and_every_key_that_the_program_writes_is_named(word: str) -> None:
    assert f"`{word}`" in page()


def test_what_an_example_does_not_say_would_be_found() -> None:
    wrong = Example("## Tasks\n- [ ] a | Do it | optional\n", "", ["a.required is true"])
    with pytest.raises(AssertionError, match=r"a\.required is true"):
        test_every_example_is_read_as_the_page_says(wrong)
