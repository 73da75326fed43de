"""Lying, lazy, looping and hostile models. Each attack runs twice: with its guard, and without it.
Without the guard it must succeed, or the test with the guard would prove nothing."""

from collections.abc import Iterator
from contextlib import ExitStack

import pytest

from core.agent.toolbox import BatchToolbox
from tests.agent.hostile.claims import false_claims
from tests.agent.hostile.files import attacks_on_files
from tests.agent.hostile.overload import attacks_by_overload
from tests.agent.hostile.sending import attacks_by_sending
from tests.agent.hostile.stage import Attack, Stage
from tests.agent.hostile.steering import attacks_on_control_files, attacks_on_weak_checks
from tests.agent.hostile.walls import attacks_on_secrets, attacks_on_walls
from tests.agent.workbench import Workbench

ALL = [
    *attacks_on_files(),
    *attacks_on_control_files(),
    *attacks_on_weak_checks(),
    *attacks_on_walls(),
    *attacks_on_secrets(),
    *attacks_by_sending(),
    *attacks_by_overload(),
    *false_claims(),
]


@pytest.fixture
def stage(bench: Workbench, monkeypatch: pytest.MonkeyPatch) -> Iterator[Stage]:
    monkeypatch.chdir(bench.root)
    with ExitStack() as things:
        yield Stage(bench, monkeypatch, things)


def play(stage: Stage, attack: Attack) -> None:
    toolbox = BatchToolbox(stage.change(stage.bench.services()), stage.bench.batch)
    try:
        toolbox.tools()
        stage.answers = [toolbox.call(name, arguments) for name, arguments in attack.calls(stage)]
        stage.result = toolbox.recorded()
    finally:
        toolbox.close()
    stage.after(stage)


def test_there_are_more_than_thirty_attacks() -> None:
    assert len({attack.name for attack in ALL}) == len(ALL) >= 30


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name.replace(" ", "_"))
def test_a_hostile_model_does_no_harm(stage: Stage, attack: Attack) -> None:
    attack.prepare(stage)
    stage.after = attack.after
    play(stage, attack)

    assert not attack.harm(stage), stage.answers[:3]


@pytest.mark.parametrize("attack", ALL, ids=lambda attack: attack.name.replace(" ", "_"))
def test_without_its_guard_the_attack_succeeds(stage: Stage, attack: Attack) -> None:
    attack.prepare(stage)
    stage.after = attack.after
    attack.off(stage)
    play(stage, attack)

    assert attack.harm(stage), stage.answers[:3]
