"""What controls the program, seen from inside: nothing changes it or makes it, and nothing of the
sandbox is left there.

The twin of each test shows that the same command works without walls, and where a wall of the
simple kind (a read-only mount on top of the bound workspace) would not have held.
"""

import os
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

import pytest

from core.adapters.files.swap import swap_names
from core.adapters.sandbox import bubblewrap as sandbox
from tests.e2e.machine import wait_for
from tests.sandbox.ground import Ground, PlainTopFolder

MINE = "---\nversion: 1\n---\n## Tasks\n- [ ] mine\n"


def furnish(ground: Ground) -> None:
    """Every control file, each with something in it."""
    (ground.workspace / "HEARTBEAT.md").write_text(MINE)
    (ground.workspace / "config.json").write_text("{}\n")
    for folder in ("heartbeat", ".heartbeat"):
        (ground.workspace / folder).mkdir()
        (ground.workspace / folder / "a.md").write_text(f"{folder}\n")


def picture(folder: Path) -> dict[str, tuple[int, int, str]]:
    """All that can be known about a folder's content: mode, inode and bytes of everything in it."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_mode,
            path.lstat().st_ino,
            str(path.readlink())
            if path.is_symlink()
            else path.read_text()
            if path.is_file()
            else "",
        )
        for path in folder.rglob("*")
    }


CHANGES = {
    "append": "echo evil >> HEARTBEAT.md",
    "truncate": ": > HEARTBEAT.md",
    "replace": "echo evil > n; mv -f n HEARTBEAT.md; rm -f n",
    "replace by a copy": "echo evil > sub/n; cp --remove-destination sub/n HEARTBEAT.md; rm sub/n",
    "edit in place": "sed -i s/mine/evil/ HEARTBEAT.md",
    "remove": "rm -f HEARTBEAT.md",
    "rename": "mv HEARTBEAT.md gone.md && cp gone.md sub/copy.md && rm gone.md",
    "link over": "ln -sf sub/evil.md HEARTBEAT.md",
    "link to": "ln HEARTBEAT.md other.md && echo evil >> other.md; rm -f other.md",
    "change its mode": "chmod 777 HEARTBEAT.md",
    "write through a link": "ln -s ../HEARTBEAT.md sub/way; echo evil >> sub/way; rm sub/way",
    "by another process's eyes": "echo evil >> /proc/self/cwd/HEARTBEAT.md",
    "by the root of another process": "echo evil >> /proc/1/root$PWD/HEARTBEAT.md",
    "add a prompt": "echo evil > heartbeat/evil.md",
    "change a prompt": "echo evil >> heartbeat/a.md",
    "remove the prompts": "rm -rf heartbeat",
    "rename the prompts": "mv heartbeat sub/was; mkdir heartbeat; rm -rf sub/was",
    "change the settings": "echo '[]' > config.json",
    "take the workspace over": "echo evil > .heartbeat/owner.json",
    "take another's identity": "echo evil > .heartbeat/workspace.json",
    "rename the owner's folder": "mv .heartbeat sub/was; rm -rf sub/was",
}


@pytest.mark.parametrize("name", CHANGES)
def test_control_files_are_as_they_were(ground: Ground, name: str) -> None:
    furnish(ground)
    before = picture(ground.workspace)
    ground.inside(CHANGES[name])
    assert picture(ground.workspace) == before


@pytest.mark.parametrize(
    "name", [name for name in CHANGES if name != "by the root of another process"]
)
def test_without_walls_each_of_these_changes_something(ground: Ground, name: str) -> None:
    furnish(ground)
    before = picture(ground.workspace)
    ground.bare(CHANGES[name])
    assert picture(ground.workspace) != before


CREATIONS = {
    "HEARTBEAT.md": "echo evil > HEARTBEAT.md",
    "heartbeat.md": "echo evil > heartbeat.md",
    "Heartbeat.MD": "echo evil > sub/n; mv sub/n Heartbeat.MD",
    "HEARTBEAT.md as a link": (
        "echo evil > sub/evil.md; ln -s sub/evil.md HEARTBEAT.md; rm sub/evil.md"
    ),
    "a prompt": "mkdir heartbeat; echo evil > heartbeat/evil.md",
    "prompts as a link": "ln -s sub heartbeat",
    "config.json": "echo evil > config.json",
    "the owner": "mkdir .heartbeat; echo evil > .heartbeat/owner.json",
    "a version on its way": "echo evil > .HEARTBEAT.md.heartbeat-00112233",
}


@pytest.mark.parametrize("name", CREATIONS)
def test_control_files_that_are_missing_stay_missing(ground: Ground, name: str) -> None:
    done = ground.inside(CREATIONS[name])
    assert {path.name for path in ground.workspace.iterdir()} == {"sub"}
    assert list((ground.workspace / "sub").iterdir()) == []
    assert len(done.kept_out) == 1


@pytest.mark.parametrize("name", CREATIONS)
def test_without_walls_each_of_these_is_made(ground: Ground, name: str) -> None:
    ground.bare(CREATIONS[name])
    assert len(list(ground.workspace.iterdir())) == 2


def test_a_plain_mount_would_let_a_missing_file_be_made(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "TopFolder", PlainTopFolder)
    ground.inside(CREATIONS["HEARTBEAT.md"])
    assert (ground.workspace / "HEARTBEAT.md").exists()


def test_nothing_is_left_in_the_workspace_not_even_for_a_moment(ground: Ground) -> None:
    """A process that lists the folder all the time always sees the same names."""
    (ground.workspace / "notes.txt").write_text("mine\n")
    seen: set[str] = set()
    with repeating(lambda: seen.update(entry.name for entry in os.scandir(ground.workspace))):
        for _ in range(3):
            ground.inside(
                "echo evil > HEARTBEAT.md; mkdir heartbeat; : > config.json; cat notes.txt"
            )
    assert seen == {"sub", "notes.txt"}


def test_a_heartbeat_that_is_a_link_holds_with_what_it_leads_to(ground: Ground) -> None:
    (ground.workspace / "plans" / "deep").mkdir(parents=True)
    (ground.workspace / "plans" / "deep" / "today.md").write_text(MINE)
    (ground.workspace / "HEARTBEAT.md").symlink_to("plans/deep/today.md")
    before = picture(ground.workspace)
    done = ground.inside(
        "cat HEARTBEAT.md; echo evil >> HEARTBEAT.md; rm -f HEARTBEAT.md; echo evil > "
        "HEARTBEAT.md; "
        "echo evil >> plans/deep/today.md; mv plans/deep plans/x; mv plans x; rm -rf plans"
    )
    assert done.ending.output.startswith(MINE)
    assert picture(ground.workspace) == before


def test_without_walls_the_link_would_be_replaced(ground: Ground) -> None:
    (ground.workspace / "sub" / "today.md").write_text(MINE)
    (ground.workspace / "HEARTBEAT.md").symlink_to("sub/today.md")
    ground.bare("rm -f HEARTBEAT.md; echo evil > HEARTBEAT.md")
    assert not (ground.workspace / "HEARTBEAT.md").is_symlink()


def test_a_file_that_the_settings_name_holds_too(ground: Ground) -> None:
    (ground.workspace / "plans.md").write_text(MINE)
    reach = ground.reach(protected=(ground.workspace / "plans.md",))
    ground.inside(
        "cat plans.md; echo evil >> plans.md; rm -f plans.md; echo evil > plans.md", reach
    )
    assert (ground.workspace / "plans.md").read_text() == MINE
    ground.inside("echo evil >> plans.md")
    assert (ground.workspace / "plans.md").read_text() != MINE  # without its protection


TRY_LONG = (
    "i=0; while [ $i -lt 4000 ]; do (echo evil >> HEARTBEAT.md) 2> /dev/null; i=$((i+1)); done"
)


def save_by_renaming(workspace: Path) -> None:
    draft = workspace / ".HEARTBEAT.md.swp"
    draft.write_text(MINE)
    draft.rename(workspace / "HEARTBEAT.md")
    time.sleep(0.005)


def save_by_exchanging(workspace: Path) -> None:
    """As Heartbeat itself writes a result."""
    version = workspace / ".HEARTBEAT.md.heartbeat-00"
    version.write_text(MINE)
    swap_names(version, workspace / "HEARTBEAT.md")
    version.unlink()
    time.sleep(0.005)


SAVES = {"renaming": save_by_renaming, "exchanging": save_by_exchanging}


@pytest.mark.parametrize("save", SAVES)
def test_a_save_meanwhile_does_not_open_the_file(ground: Ground, save: str) -> None:
    (ground.workspace / "HEARTBEAT.md").write_text(MINE)
    with repeating(lambda: SAVES[save](ground.workspace)):
        ground.inside(TRY_LONG)
    assert (ground.workspace / "HEARTBEAT.md").read_text() == MINE


@pytest.mark.parametrize("save", SAVES)
def test_a_plain_mount_would_be_gone_after_a_save(
    ground: Ground, save: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The command writes after the save, not during it: in the middle of a rename its line could
    still get into the old file, and be lost with it."""
    monkeypatch.setattr(sandbox, "TopFolder", PlainTopFolder)
    started = ground.workspace / "started"
    saved = ground.workspace / "saved"
    (ground.workspace / "HEARTBEAT.md").write_text(MINE)

    def save_once_started() -> None:
        wait_for(started.exists, "the command to start")
        SAVES[save](ground.workspace)
        saved.touch()

    with ThreadPoolExecutor(1) as pool:
        saving = pool.submit(save_once_started)
        ground.inside(
            "(echo evil >> HEARTBEAT.md) 2> /dev/null; touch started; "
            "until test -e saved; do sleep 0.02; done; echo evil >> HEARTBEAT.md"
        )
        saving.result()

    assert (ground.workspace / "HEARTBEAT.md").read_text() == MINE + "evil\n"


@contextmanager
def repeating(step: Callable[[], object]) -> Iterator[None]:
    """Do it again and again in another thread."""
    done = threading.Event()

    def work() -> None:
        while not done.is_set():
            step()

    thread = threading.Thread(target=work)
    thread.start()
    try:
        yield
    finally:
        done.set()
        thread.join()
