"""A new type of action is one record and one line in one table. These tests add one, and it is
read, approved, shown and run."""

from dataclasses import fields

import pytest

from core import actions
from core.actions.runnable import Call, Done, RunnableType
from core.actions.shell import after_command
from core.kinds import executables_of, read_document
from core.model.action_type import ActionTable, Params, missing_in, no_flaws, runs_no_file, text_in
from core.model.occurrence import Outcome
from core.model.process import Command
from core.ports.world import World
from core.rules.approving.approval import review
from core.rules.approving.page import lines_of, page_of
from core.rules.reading.actions import COMMON_KEYS, WRITTEN_KEYS
from tests.stage import Stage
from tray_app.cli.line_readings import line_readings

TEXT = """## Pending Actions

### [HIGH] Fetch the site
- id: site
- type: git
- repository: site
"""


def missing(params: Params) -> tuple[str, ...]:
    return missing_in(params, "repository")


def needs_approval(params: Params) -> bool:
    return text_in(params, "repository") != "notes"


def reach(params: Params, _: bool) -> tuple[str, ...]:
    return (f"fetches into {text_in(params, 'repository')}",)


def summary(params: Params) -> str:
    return f"pulls {text_in(params, 'repository')}"


def run(world: World, call: Call) -> Done:
    command = Command(f"git pull {call.text('repository')}", world.root, call.action.timeout)
    return after_command(world.processes.run(command, world.cancelled), call.action.timeout)


GIT = RunnableType(
    name="git",
    keys=("repository", "branch", "hook"),
    table_keys=(),
    command_keys=("hook",),
    implied_by=("repository",),
    missing=missing,
    flaws=no_flaws,
    needs_approval=needs_approval,
    candidates=runs_no_file,
    reach=reach,
    summary=summary,
    displaces_files=False,
    message=None,
    run=run,
)


@pytest.fixture
def git(monkeypatch: pytest.MonkeyPatch) -> RunnableType:
    monkeypatch.setattr(actions, "ACTION_TYPES", ActionTable((*actions.ACTION_TYPES, GIT)))
    return GIT


def codes(text: str) -> list[str]:
    return [one.code for one in read_document(text.encode()).diagnostics]


def test_without_its_line_in_the_table_it_does_not_run() -> None:
    assert "HB303" in codes(TEXT)
    stage = Stage(TEXT)
    (item,) = stage.run().items
    assert item.outcome is Outcome.NEEDS_CLARIFICATION
    assert stage.ran == []


def test_it_is_read_with_what_it_needs(git: RunnableType) -> None:
    assert codes(TEXT) == []
    (action,) = read_document(TEXT.encode()).actions
    assert (action.type, action.params) == (git, {"repository": "site"})

    assert codes(TEXT.replace("- type: git\n", "")) == []  # its key tells the type
    assert codes(TEXT.replace("- repository: site\n", "")) == ["HB304"]
    assert codes(TEXT + "- branh: main\n") == ["HB306"]


def test_a_person_approves_it_and_is_told_what_it_reaches(git: RunnableType) -> None:
    stage = Stage(TEXT)
    (one,) = executables_of(stage.workspace(), stage.settings)
    page = lines_of(page_of(review(one, {}, "/w", {}), stage.settings))

    assert one.fields == (("type", git.name), ("repository", "site"), ("sandbox", "false"))
    assert "  • fetches into site" in page

    stage.edit("repository: site", "repository: site\n- hook: `$TOOL run`")
    (hooked,) = executables_of(stage.workspace(), stage.settings)
    page = lines_of(page_of(review(hooked, {}, "/w", {}), stage.settings))
    assert ("hook", "$TOOL run") in hooked.fields  # without the backticks around a command
    assert [line for line in page if "what $TOOL stands for" in line]

    stage.edit("repository: site", "repository: notes")
    assert executables_of(stage.workspace(), stage.settings) == ()


def test_the_check_page_says_what_it_does(git: RunnableType) -> None:
    (row,) = [one for one in line_readings(read_document(TEXT.encode())) if one.label == "action"]
    assert git.summary({"repository": "site"}) in row.details


def test_it_runs_in_a_beat(git: RunnableType) -> None:
    stage = Stage(TEXT)
    (item,) = stage.run().items
    assert (item.id, item.outcome) == ("site", Outcome.COMPLETED)
    assert stage.ran == ["git pull site"]
    assert git.name in actions.ACTION_TYPES.names


def test_a_part_that_is_forgotten_is_named() -> None:
    for forgotten in fields(RunnableType):
        others = {one.name: None for one in fields(RunnableType) if one.name != forgotten.name}
        with pytest.raises(TypeError, match=forgotten.name):
            RunnableType(**others)  # type: ignore[arg-type]  # None for each: only the missing one counts


@pytest.mark.parametrize("name", actions.ACTION_TYPES.names)
def test_no_type_takes_a_key_that_every_action_has(name: str) -> None:
    kind = actions.ACTION_TYPES.get(name)
    assert kind
    assert not {*kind.keys} & {*COMMON_KEYS, *WRITTEN_KEYS}
    assert {*kind.table_keys, *kind.implied_by} <= {*kind.keys}
