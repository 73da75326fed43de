"""A new command is one file with `command` and one line in one table. These tests add one."""

import sys
import types

import click
import pytest
from click.testing import CliRunner

from tray_app.cli.commands import COMMANDS, CommandLine, Group
from tray_app.cli.main import cli


@pytest.fixture(autouse=True)
def greet(monkeypatch: pytest.MonkeyPatch) -> None:
    """Add the file, and the line in the table."""

    @click.command("greet")
    @click.pass_obj
    def command(call: object) -> None:
        """Greet the person."""
        click.echo("Good morning.")

    file = types.ModuleType("tray_app.cli.greet")
    file.command = command  # type: ignore[attr-defined]  # a module made by hand
    monkeypatch.setitem(sys.modules, file.__name__, file)
    line = CommandLine(Group.WORK, "Greet the person in the morning.")
    monkeypatch.setitem(COMMANDS, "greet", line)


def test_it_runs() -> None:
    assert CliRunner().invoke(cli, ["greet"]).output == "Good morning.\n"


def test_help_lists_it_as_the_table_says() -> None:
    assert "Greet the person in the morning." in CliRunner().invoke(cli, ["--help"]).output


def test_it_takes_the_workspace_after_its_name_like_every_other() -> None:
    assert CliRunner().invoke(cli, ["greet", "-C", "."]).exit_code == 0
    assert "--workspace" in CliRunner().invoke(cli, ["greet", "--help"]).output
