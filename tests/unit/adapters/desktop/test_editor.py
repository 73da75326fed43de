"""Which editor the person has named."""

import pytest

from core.adapters.desktop.editor import own_editor


@pytest.mark.parametrize(
    ("variables", "command"),
    [
        ({"VISUAL": "  ", "EDITOR": "nano -w"}, ["nano", "-w"]),
        ({"VISUAL": "", "EDITOR": "nano"}, ["nano"]),
        ({"VISUAL": "vi", "EDITOR": "nano"}, ["vi"]),
        ({"VISUAL": " ", "EDITOR": "\t"}, []),
        ({}, []),
    ],
)
def test_a_blank_variable_counts_as_not_set(variables: dict[str, str], command: list[str]) -> None:
    assert own_editor(variables) == command
