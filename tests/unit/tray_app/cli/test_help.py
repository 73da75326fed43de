"""`heartbeat help`, the groups of `heartbeat --help`, and what a misspelt command is told."""

import json

import click
import pytest
from click.testing import CliRunner

from core.model.errors import HeartbeatError
from tests.answers import check_answer
from tray_app.cli.commands import COMMANDS, Group
from tray_app.cli.main import cli
from tray_app.reference.rendering import rendered
from tray_app.reference.topics import page, topics


def said(*words: str, columns: int = 100) -> str:
    done = CliRunner().invoke(cli, words, env={"COLUMNS": str(columns)}, catch_exceptions=False)
    assert done.exit_code == 0
    return done.output


def refused(*words: str) -> HeartbeatError:
    with pytest.raises(HeartbeatError) as caught:
        cli.main(words, prog_name="heartbeat", standalone_mode=False)

    return caught.value


def test_help_lists_every_topic_and_the_whole_reference_first() -> None:
    names = [line.split()[0] for line in said("help").splitlines() if line.startswith("  ")]
    listed = [name for name in names if name in {one.name for one in topics(page())}]
    assert listed[0] == "format"
    assert sorted(listed) == sorted(one.name for one in topics(page()))


def test_help_format_is_the_whole_page() -> None:
    text = said("help", "format")
    for one in topics(page()):
        assert one.title in text


@pytest.mark.parametrize("topic", [one.name for one in topics(page())])
def test_a_topic_fits_a_narrow_terminal_but_for_its_examples(topic: str) -> None:
    text = next(one.text for one in topics(page()) if one.name == topic)
    wide = [line for line in map(click.unstyle, rendered(text, 60)) if len(line) > 60]
    assert not [line for line in wide if not line.startswith("    ")]


def test_help_of_a_command_is_its_own_help() -> None:
    assert said("help", "pause") == said("pause", "--help")


def test_help_of_a_code_explains_it() -> None:
    assert said("help", "hb208") == said("check", "--explain", "HB208")


def test_a_misspelt_topic_is_told_the_nearest() -> None:
    assert "`schedules`" in refused("help", "shedules").hint


def test_answers_in_json() -> None:
    listed = json.loads(said("help", "--json"))
    check_answer(["help"], listed)
    assert len(listed["topics"]) == len(topics(page()))

    for name in ("tasks", "run", "HB208"):
        one = json.loads(said("help", name, "--json"))
        check_answer(["help"], one)
        assert (one["name"], bool(one["text"]), one["topics"]) == (name, True, [])


@pytest.mark.parametrize(
    ("written", "meant"),
    [("statsu", "heartbeat status"), ("aprove", "heartbeat approve"), ("hlep", "heartbeat help")],
)
def test_a_misspelt_command_is_told_the_nearest(written: str, meant: str) -> None:
    error = refused(written)
    assert written in error.message
    assert f"`{meant}`" in error.hint
    assert error.exit_code == 2


def test_a_misspelt_command_of_a_group_is_told_the_nearest() -> None:
    assert "key set`" in refused("key", "ste").hint


def test_a_word_that_is_close_to_nothing_is_told_where_the_commands_are() -> None:
    error = refused("zzzzzz")
    assert "Did you mean" not in error.hint
    assert "--help" in error.hint


def test_every_group_has_commands_and_every_command_stands_in_its_group() -> None:
    text = said("--help")
    places = {group: text.index(f"\n{group}:\n") for group in Group}
    starts = sorted(places.values())
    for name, line in COMMANDS.items():
        place = text.index(f"\n  {name} ")
        assert max(start for start in starts if start < place) == places[line.group]
