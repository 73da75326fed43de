"""What core.ports.PromptStore promises. There is no fake: only the tools of a model and of the tool
server ask for it, and their tests use the real one."""

from pathlib import Path

import pytest

from core.adapters.files.prompts import PromptStore as PromptsOnDisk
from core.adapters.files.undo import UndoStore as UndoOnDisk
from core.model.errors import HeartbeatError
from core.model.file_work import Undone
from core.ports.files import PromptStore, UndoStore
from tests.fakes.waiting import FakeClock
from tests.stage import MONDAY

OLD = "---\ntitle: Old\n---\nAs the person wrote it.\n"
NEW = "---\ntitle: New\n---\nLook at the mails.\n"


class Shelf:
    """The prompts of a workspace."""

    def __init__(self, folder: Path) -> None:
        root = folder / "workspace"
        root.mkdir()
        self._prompts = root / "heartbeat"
        self._undo: UndoStore = UndoOnDisk(root, folder / "state")
        self.store: PromptStore = PromptsOnDisk(root, self._undo, FakeClock(MONDAY))

    def prompts(self) -> dict[str, str]:
        return {path.name: path.read_text() for path in self._prompts.glob("*")}

    def undo(self) -> None:
        assert isinstance(self._undo.undo(None, None), Undone)


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    return Shelf(tmp_path)


def test_a_new_prompt_is_written_and_said_to_be_new(shelf: Shelf) -> None:
    assert shelf.store.add("look", NEW, overwrite=False) is True
    assert shelf.prompts() == {"look.md": NEW}


def test_an_existing_one_is_replaced_only_where_that_is_wanted(shelf: Shelf) -> None:
    shelf.store.add("look", OLD, overwrite=False)
    with pytest.raises(HeartbeatError) as caught:
        shelf.store.add("look", NEW, overwrite=False)
    assert caught.value.hint
    assert shelf.prompts() == {"look.md": OLD}

    assert shelf.store.add("look", NEW, overwrite=True) is False
    assert shelf.prompts() == {"look.md": NEW}


def test_a_prompt_is_removed_and_the_others_stay(shelf: Shelf) -> None:
    shelf.store.add("look", OLD, overwrite=False)
    shelf.store.add("mail", NEW, overwrite=False)
    shelf.store.remove("look")
    assert shelf.prompts() == {"mail.md": NEW}


def test_what_was_replaced_comes_back(shelf: Shelf) -> None:
    shelf.store.add("look", OLD, overwrite=False)
    shelf.store.add("look", NEW, overwrite=True)
    shelf.undo()
    assert shelf.prompts() == {"look.md": OLD}


def test_what_was_removed_comes_back(shelf: Shelf) -> None:
    shelf.store.add("look", OLD, overwrite=False)
    shelf.store.remove("look")
    shelf.undo()
    assert shelf.prompts() == {"look.md": OLD}


def test_what_is_not_there_cannot_be_removed(shelf: Shelf) -> None:
    with pytest.raises(HeartbeatError) as caught:
        shelf.store.remove("look")
    assert caught.value.hint


@pytest.mark.parametrize("identifier", ["", "../out", "a/b", "a b", ".", "x" * 65])
def test_what_is_not_an_id_touches_no_file(shelf: Shelf, tmp_path: Path, identifier: str) -> None:
    before = sorted(tmp_path.rglob("*"))
    with pytest.raises(HeartbeatError):
        shelf.store.add(identifier, NEW, overwrite=True)
    with pytest.raises(HeartbeatError):
        shelf.store.remove(identifier)
    assert sorted(tmp_path.rglob("*")) == before


def test_a_file_that_cannot_be_written_is_an_error_that_says_so(
    shelf: Shelf, tmp_path: Path
) -> None:
    (tmp_path / "workspace" / "heartbeat").write_text("a file where the folder should be")
    with pytest.raises(HeartbeatError) as caught:
        shelf.store.add("look", NEW, overwrite=False)
    assert "look" in caught.value.message
