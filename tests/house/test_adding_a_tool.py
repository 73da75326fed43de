"""A new tool of the model is one record. These tests add one and call it. The record says whether
the tool taints and whether it counts as work, so that no list can forget a tool."""

from dataclasses import fields
from inspect import signature
from pathlib import Path

import pytest

from core.agent import toolbox as toolbox_module
from core.agent.arguments import Arguments, Text
from core.agent.own_tool import own_tool
from core.agent.tool import Effect, Record, Tool, only_reads
from core.agent.tool_world import ToolWorld
from tests.agent.workbench import EVERYTHING, Workbench


class Weather(Arguments):
    town: Text


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Workbench:
    monkeypatch.setattr(toolbox_module, "TOOLS", [*toolbox_module.TOOLS, weather_tools])
    bench = Workbench(tmp_path, monkeypatch)
    bench.grants = EVERYTHING
    bench.domains = ("example.com",)
    return bench


def weather_tools(_world: ToolWorld, _record: Record) -> tuple[Tool, ...]:
    return (
        own_tool(
            Weather,
            lambda given: f"It rains in {given.town}.",
            name="weather",
            description="Say how the weather is in a town.",
            permission="@network",
            reads_outside=True,
            effect=Effect.NONE,
            touches=only_reads,
        ),
    )


def test_a_record_that_a_function_of_the_table_makes_is_all_that_a_tool_needs(
    bench: Workbench,
) -> None:
    toolbox = bench.toolbox()
    (offered,) = [one for one in toolbox.tools() if one.name == "weather"]
    assert not offered.changes_something

    assert toolbox.call("weather", {"town": "Bern"}) == "It rains in Bern."
    assert toolbox.call("weather", {}) == "`town` is missing. Nothing was done."
    (said, refused) = toolbox.recorded().acts
    assert (said.what, said.could_do_it) == ("weather(town=Bern)", False)
    assert not refused.could_do_it


def test_it_taints_because_its_record_says_so(bench: Workbench) -> None:
    page = ("http_get", {"url": "https://example.com/?q=notes"})
    (_, after_reading) = bench.play(("weather", {"town": "Bern"}), page)
    assert "after text from outside was read" in after_reading


def test_without_its_permission_it_is_not_offered(bench: Workbench) -> None:
    bench.grants = ("@workspace",)
    assert "weather" not in [one.name for one in bench.toolbox().tools()]
    assert bench.play(("weather", {"town": "Bern"}))[0].startswith("There is no tool weather.")


def test_a_field_that_is_forgotten_is_named() -> None:
    """No field has a default, in the record and in what makes one."""
    required = {one.name for one in fields(Tool)}
    for forgotten in required:
        others = dict.fromkeys(required - {forgotten})
        with pytest.raises(TypeError, match=forgotten):
            Tool(**others)  # type: ignore[arg-type]  # None for each: only the missing one counts

    parameters = signature(own_tool).parameters.values()
    assert [one.name for one in parameters if one.default is not one.empty] == []
