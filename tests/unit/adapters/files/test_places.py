"""Which folder is the same one under another name."""

from dataclasses import replace
from pathlib import Path

import pytest

from core.adapters.files.places import Place

BEFORE = Place(device=45, inode=1234, mount="/home")
HERE = Path("/home/ada/notes")


@pytest.mark.parametrize(
    ("now", "is_same"),
    [
        (BEFORE, True),
        (replace(BEFORE, device=46), True),  # the machine was started again
        (replace(BEFORE, mount="/mnt/home"), True),  # the disk is mounted elsewhere
        (replace(BEFORE, device=46, mount="/mnt/stick"), False),
        (replace(BEFORE, inode=1235), False),
        (replace(BEFORE, mount=str(HERE)), False),  # the topmost folder of a disk
    ],
)
def test_the_folder_is_the_same_by_its_number_on_the_same_disk(now: Place, is_same: bool) -> None:
    assert now.is_of_same_folder(BEFORE, HERE) is is_same


def test_nothing_is_the_same_as_what_was_never_noted() -> None:
    assert not BEFORE.is_of_same_folder(None, HERE)
