"""docs/spec.md knows every command, option, setting and JSON key: what is added to the program and
not to the page is named here."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import click
import pytest

from core.model.codes import CODES
from core.model.document import ActionStatus
from core.model.occurrence import Outcome
from core.model.score import Level
from core.rules.channels import CHANNEL_TYPES
from core.rules.providers import PROVIDERS
from core.rules.settings.tables import WORKSPACE_KEYS, plain_settings
from tests.answers import check_answer
from tests.installed import heartbeat
from tests.measure_house import imports_of, read_modules
from tray_app.cli.answers import ANSWERS
from tray_app.cli.commands import COMMANDS
from tray_app.cli.main import cli

SPEC = (Path(__file__).parents[2] / "docs" / "spec.md").read_text(encoding="utf-8")
EVERYWHERE = {"--json", "-C", "--workspace", "-h", "--help"}  # accepted after every command's name
ALONE = {
    "PYTHON_KEYRING_BACKEND": "keyring.backends.fail.Keyring",
    "DBUS_SESSION_BUS_ADDRESS": "unix:path=/nowhere",
    "DISPLAY": "",
    "WAYLAND_DISPLAY": "",
}
NAMES_OF_THEIR_OWN = ("frontmatter", "params", "env", "facts", "values")  # any key may occur there


def section(heading: str) -> str:
    return SPEC.partition(f"\n{heading}\n")[2].partition("\n##")[0]


def row(first_cell: str, text: str) -> str:
    """The row of a table that begins with this; empty where there is none."""
    found = re.search(rf"^\| `{re.escape(first_cell)}[` ].*", text, re.MULTILINE)
    return found[0] if found else ""


def commands() -> Iterator[tuple[str, click.Command]]:
    """Every command by the words that call it; those of a group one by one."""
    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        if isinstance(command, click.Group):
            yield from ((f"{name} {inner}", one) for inner, one in command.commands.items())
        elif command:
            yield name, command


def options(command: click.Command) -> set[str]:
    return {
        word
        for one in command.params
        if isinstance(one, click.Option)
        for word in (*one.opts, *one.secondary_opts)
    }


@pytest.mark.parametrize(("name", "command"), [pytest.param(*one, id=one[0]) for one in commands()])
def test_every_command_has_a_row_with_its_options(name: str, command: click.Command) -> None:
    found = row(name, section("### Commands"))
    assert found
    missing = [word for word in options(command) - EVERYWHERE if f"`{word}" not in found]
    assert not missing


def test_the_options_before_a_commands_name_are_explained() -> None:
    words = {*options(cli), *EVERYWHERE, "--version"}
    explained = section("## Command line")
    assert not [word for word in words if f"`{word}" not in explained]


def test_a_command_or_an_option_that_is_not_there_would_be_named() -> None:
    rows = section("### Commands")
    assert not row("dashboard", rows)
    assert "`--nothing" not in row("run", rows)


@pytest.mark.parametrize("key", [name for name, _ in plain_settings()])
def test_every_setting_is_explained(key: str) -> None:
    assert f"`{key}`" in section("### Settings")


@pytest.mark.parametrize("key", WORKSPACE_KEYS)
def test_every_setting_of_a_workspace_is_explained(key: str) -> None:
    assert f'"{key}"' in section("## Where things live")


@pytest.mark.parametrize("name", CHANNEL_TYPES)
def test_every_type_of_channel_has_a_row_with_its_keys(name: str) -> None:
    kind = CHANNEL_TYPES[name]
    cells = row(name, section("### Settings")).split("|")
    assert [key for key in kind.required_keys if f"`{key}`" in cells[2]] == [*kind.required_keys]
    assert [key for key in kind.optional_keys if f"`{key}`" in cells[3]] == [*kind.optional_keys]


def test_every_word_with_a_meaning_is_named() -> None:
    assert not [status for status in ActionStatus if status not in section("### Actions")]
    assert not [level for level in Level if f"`{level}`" not in section("## Score")]
    assert not [outcome for outcome in Outcome if f"`{outcome}`" not in section("### JSON")]
    assert not [name for name in PROVIDERS if f"`{name}`" not in section("## The model")]


# -- what the program answers ----------------------------------------------------------------------


def shape(name: str) -> str:
    """The shape of a command's answer, with the lines that go on with it."""
    first = rf"^    {re.escape(name)} +[^- ].*\n"
    found = re.search(rf"{first}(?:^     .*\n)*", section("### JSON"), re.MULTILINE)
    assert found, f"no shape of {name}"
    return found[0]


def keys_of(value: Any) -> Iterator[str]:
    """Every key of a JSON answer, at any depth."""
    if isinstance(value, dict):
        for key, inner in value.items():
            yield key
            if key not in NAMES_OF_THEIR_OWN:
                yield from keys_of(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from keys_of(inner)


def answer(*words: str, home: Path, cwd: Path | None = None) -> Any:
    """What the command says with --json, far from the desktop and the keyring of who runs this."""
    done = heartbeat("--json", *words, home=home, cwd=cwd, variables=ALONE)
    found = json.loads(done.stdout)
    check_answer(words, found)
    return found


def test_every_command_that_answers_in_json_has_a_shape() -> None:
    without_option = {name for name, one in commands() if "--json" not in options(one)}
    said = row("--json", section("## Command line"))
    assert not [name for name in without_option if f"`{name}`" not in said]

    for name, _ in commands():
        if name == "next" or name not in without_option:
            assert shape(name)


def test_every_shape_has_a_schema() -> None:
    first_words = re.findall(
        r"^    ([a-z]+(?: -*[a-z-]+)?) +[{at]", section("### JSON"), re.MULTILINE
    )
    # The page has the shape of an error under "Exit codes", and that of a rebuilt score in place.
    assert {*first_words, "error", "score --rebuild"} == set(ANSWERS)


def declared_keys(schema: Any) -> Iterator[str]:
    """Every key that a schema names, at any depth."""
    if isinstance(schema, dict):
        yield from schema.get("properties", {})
        for inner in schema.values():
            yield from declared_keys(inner)
    elif isinstance(schema, list):
        for inner in schema:
            yield from declared_keys(inner)


@pytest.mark.parametrize("name", sorted(set(ANSWERS) - {"error", "config", "run --dry-run"}))
def test_every_key_of_a_schema_is_on_the_page(name: str) -> None:
    parts = {"score --rebuild": ["score"], "show": ["show", "list"]}.get(name, [name])
    parts += ["history"] if name == "history --beat" else []
    shapes = "".join(map(shape, parts))
    keys = declared_keys(ANSWERS[name].model_json_schema())
    assert not [key for key in keys if f'"{key}"' not in shapes]


def test_no_command_imports_the_schemas() -> None:
    modules = read_modules(Path(__file__).parents[2])
    names = {one.name for one in modules}
    imported = {found.of for one in modules for found in imports_of(one, names)}

    assert "tray_app.cli.answers" in names
    assert "tray_app.cli.answers" not in imported


def test_the_keys_of_the_answers_are_those_on_the_page(tmp_path: Path) -> None:
    workspace = tmp_path / "workspace"
    calls = {
        "init": ["init", str(workspace)],
        "check": ["check"],
        "check --explain": ["check", "--explain", next(iter(CODES))],
        "show": ["show"],
        "next": ["next", "daily:09:00"],
        "plan": ["plan"],
        "plan --prompt": ["plan", "--prompt"],
        "simulate": ["simulate"],
        "run": ["run"],
        "history": ["history"],
        "status": ["status"],
        "score": ["score", "--rebuild"],
        "feedback": ["feedback", "up"],
        "add": ["add", "joke", "A joke", "--title", "Joke", "--gate", "true"],
        "list": ["list"],
        "approve": ["approve"],
        "revoke": ["revoke"],
        "remove": ["remove", "joke"],
        "undo": ["undo"],
        "cancel": ["cancel"],
        "pause": ["pause", "2h"],
        "resume": ["resume"],
        "autostart": ["autostart"],
        "doctor": ["doctor"],
    }
    workspace.mkdir()
    told = {name: answer(*words, home=tmp_path, cwd=workspace) for name, words in calls.items()}
    wrong = {
        name: [key for key in keys_of(found) if f'"{key}"' not in shape(name)]
        for name, found in told.items()
        if name != "show"
    }
    assert not any(wrong.values()), wrong

    both = shape("show") + shape("list")  # a prompt looks the same in both
    assert not [key for key in keys_of(told["show"]) if f'"{key}"' not in both]


def test_the_keys_of_a_receipt_and_of_a_refusal_are_those_on_the_page(tmp_path: Path) -> None:
    answer("init", home=tmp_path)
    answer("run", home=tmp_path)
    receipts = answer("history", "--beat", "1", home=tmp_path)
    both = shape("history") + shape("history --beat")
    assert not [key for key in keys_of(receipts) if f'"{key}"' not in both]

    refused = answer("history", "--beat", "99", home=tmp_path)
    assert list(keys_of(refused)) == ["error", "message", "hint"]
    assert '{"error": {"message", "hint"}}' in section("### Exit codes")


def test_the_keys_of_the_settings_are_those_on_the_page(tmp_path: Path) -> None:
    answer("init", home=tmp_path)
    told = answer("config", home=tmp_path)
    assert {key for one in told.values() for key in one} == {"value", "source"}
    assert {name for name, _ in plain_settings()} <= set(told)
