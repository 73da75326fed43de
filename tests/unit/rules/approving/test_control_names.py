"""The names that control the program, in every spelling that a file system may treat as equal."""

import pytest

from core.rules.approving.control_names import is_control_name, writing_problem


@pytest.mark.parametrize(
    "name",
    [
        *(
            "HEARTBEAT.md",
            "heartbeat.md",
            "hEARTbeat.MD",
            "heartbeat",
            "Heartbeat",
            "config.json",
            "Config.JSON",
        ),
        *(".heartbeat", ".Heartbeat", "HEARTBEAT．md", "config.jſon"),
        *(".HEARTBEAT.md.heartbeat-1a2b3c4d", ".heartbeat.md.heartbeat-x.part"),
    ],
)
def test_a_control_name_is_known_in_any_letter_case_and_form(name: str) -> None:
    assert is_control_name(name)


@pytest.mark.parametrize(
    "name",
    ["HEARTBEAT.md.txt", "heartbeats", "my.config.json", "memory", "notes.md", ".heartbeat-x"],
)
def test_other_names_are_free(name: str) -> None:
    assert not is_control_name(name)


def test_a_further_name_counts_with_its_unfinished_versions() -> None:
    assert is_control_name("Plans.md", ["plans.md"])
    assert is_control_name(".plans.md.heartbeat-00ff", ["plans.md"])
    assert not is_control_name("plans.txt", ["plans.md"])


@pytest.mark.parametrize(
    "place",
    ["history", "History/2026-03-16.md", ".git/config", "sub/.Git/hooks/x", "sub/．git", ".git"],
)
def test_a_model_writes_neither_the_history_nor_into_a_repositorys_own_folder(place: str) -> None:
    assert writing_problem(place, "HEARTBEAT.md")


@pytest.mark.parametrize(
    "place", [".gitignore", ".github/workflows/x.yml", "sub/history/x.md", "history.md", "git/x"]
)
def test_a_model_writes_what_is_only_named_like_those(place: str) -> None:
    assert not writing_problem(place, "HEARTBEAT.md")
