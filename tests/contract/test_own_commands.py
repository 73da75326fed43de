"""What every OwnCommands must do: the fake and this system's."""

import sys

import pytest

from core.adapters.processes.own_commands import SystemOwnCommands
from core.model.errors import HeartbeatError
from core.ports.processes import OwnCommands
from tests.fakes.processes import FakeOwnCommands

MISSING = "/nowhere/program"
TALKS = (
    sys.executable,
    "-c",
    "import sys; print('said', *sys.argv[1:]); print('oops', file=sys.stderr); sys.exit(3)",
    "a b",
    "$HOME",
)
READS = (sys.executable, "-c", "import sys; print(repr(sys.stdin.read()))")
NOT_TEXT = (sys.executable, "-c", "import sys; sys.stdout.buffer.write(b'\\xff!')")
IS_SILENT = (sys.executable, "-c", "")


@pytest.fixture(params=["fake", "system"])
def commands(request: pytest.FixtureRequest) -> OwnCommands:
    if request.param == "system":
        return SystemOwnCommands()

    made = FakeOwnCommands(missing=[MISSING])
    made.prints = {TALKS: "said a b $HOME\n", READS: "''\n", NOT_TEXT: "\N{REPLACEMENT CHARACTER}!"}
    return made


def test_what_it_printed_comes_back_whatever_its_exit_code(commands: OwnCommands) -> None:
    assert commands.output(TALKS) == "said a b $HOME\n"


def test_it_gets_no_input(commands: OwnCommands) -> None:
    assert commands.output(READS) == "''\n"


def test_a_silent_one_gives_an_empty_text(commands: OwnCommands) -> None:
    assert commands.output(IS_SILENT) == ""


def test_what_is_not_text_comes_back_all_the_same(commands: OwnCommands) -> None:
    assert commands.output(NOT_TEXT) == "\N{REPLACEMENT CHARACTER}!"


def test_what_cannot_be_started_is_an_error_that_says_so(commands: OwnCommands) -> None:
    with pytest.raises(HeartbeatError, match=f"{MISSING} could not be started"):
        commands.output([MISSING])
