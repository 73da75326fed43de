"""The table of commands and the files of the commands name the same ones."""

from pathlib import Path

import click
import pytest

import tray_app.cli
from tray_app.cli.commands import COMMANDS, load

FOLDER = Path(tray_app.cli.__file__).parent


def test_every_file_that_has_a_command_is_in_the_table_and_the_other_way_round() -> None:
    files = [path for path in FOLDER.glob("*.py") if "\ndef command(" in path.read_text()]
    assert sorted(path.stem for path in files) == sorted(COMMANDS)


@pytest.mark.parametrize("name", COMMANDS)
def test_a_command_has_its_name_and_says_in_the_table_what_it_is_for(name: str) -> None:
    command = load(name)
    assert (command.name, command.short_help) == (name, COMMANDS[name].words)
    assert command.help
    assert isinstance(command, click.Command)


def test_what_a_command_is_for_is_written_in_the_table_alone() -> None:
    for path in FOLDER.glob("*.py"):
        for name, line in COMMANDS.items():
            text = path.read_text()
            assert path.name == "commands.py" or f'short_help="{line.words}"' not in text, name
