"""The table of states, and what importing the ledger's values costs the resident."""

import subprocess
import sys

import pytest

from core.model.occurrence import OPEN, TRANSITIONS, UNFINISHED, State


def test_every_state_has_its_row_and_every_row_known_states() -> None:
    assert set(TRANSITIONS) == set(State)
    assert set().union(*TRANSITIONS.values()) == set(State)


def test_what_has_ended_never_starts_again() -> None:
    def reachable(state: State, seen: frozenset[State] = frozenset()) -> frozenset[State]:
        for following in TRANSITIONS[state] - seen:
            seen = reachable(following, seen | {following})
        return seen

    for ended in (State.FINISHED, State.VERIFIED, State.NOTIFIED, State.MISSED):
        assert not reachable(ended) & (OPEN | UNFINISHED)
    assert State.NOTIFIED in reachable(State.DUE)


def test_a_started_occurrence_can_only_finish() -> None:
    assert TRANSITIONS[State.STARTED] == {State.FINISHED}


@pytest.mark.parametrize(
    "module", ["core.adapters.ledger", "core.adapters.lock", "core.adapters.folders", "core.ports"]
)
def test_importing_it_stays_cheap_for_the_resident(module: str) -> None:
    heavy = {
        "asyncio",
        "pydantic",
        "yaml",
        "keyring",
        "hashlib",
        "platformdirs",
        "subprocess",
        "tempfile",
        "core.rules",
    }
    program = f"import sys, {module}; print(' '.join(sys.modules))"
    done = subprocess.run(
        [sys.executable, "-c", program], capture_output=True, text=True, check=True
    )
    assert not heavy & set(done.stdout.split())
