"""The workspace's top folder as the sandbox sees it: a folder of our own, a stage, with the real
entries in it.

Mounting the real folder is not enough. A mount can only cover a name that exists, so a missing
HEARTBEAT.md could be made from inside; and the kernel drops a mount over a file as soon as a
program outside saves that file by renaming, so after the person's next save the command could write
to HEARTBEAT.md. In a folder of our own neither happens, and the workspace shows no trace of it.

- Folders are mounted, so changes in them are real at once. They cannot be renamed or removed from
  inside.
- Files are hard links (mounts where links are not possible): they can be written, replaced and
  removed.
- What controls the program is mounted read-only.
- When the command has ended, what it made, replaced or removed in the top folder is copied to the
  workspace by name, but never a control name, and never over what the person did meanwhile.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType

from core.adapters.folders import make_private
from core.model.sandbox import Reach
from core.rules.approving.control_names import is_control_name


class TopFolder:
    """A context manager: afterwards `kept_out` has the names that were not copied to the
    workspace."""

    def __init__(self, reach: Reach, stages: Path) -> None:
        self.kept_out: tuple[str, ...] = ()
        self._workspace = reach.workspace
        self._control = control_names(reach)
        self._stages = stages
        self._linked: dict[str, int] = {}  # name -> inode
        self._mounted: dict[str, bool] = {}  # name -> writable

    def __enter__(self) -> "TopFolder":
        self._place, self._lock = new_stage(self._stages)
        try:
            self._lay_out()
        except BaseException:
            self._remove_stage()
            raise

        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        value: BaseException | None,
        traceback: TracebackType | None,
    ) -> None:
        try:
            self.kept_out = tuple(self._carry_over())
        finally:
            self._remove_stage()

    def mounts(self) -> list[str]:
        """Options for bubblewrap."""
        words = ["--bind", str(self._place), str(self._workspace)]
        for name, writable in self._mounted.items():
            path = str(self._workspace / name)
            words += ["--bind-try" if writable else "--ro-bind-try", path, path]

        return words

    def _lay_out(self) -> None:
        self._place.chmod(stat.S_IMODE(self._workspace.stat().st_mode) | stat.S_IRWXU)
        with os.scandir(self._workspace) as entries:
            for entry in entries:
                controls = is_control_name(entry.name, self._control)
                if entry.is_dir(follow_symlinks=controls):
                    (self._place / entry.name).mkdir()
                    self._mounted[entry.name] = not controls
                elif not controls and self._link(entry):
                    self._linked[entry.name] = entry.inode()
                elif entry.is_file(follow_symlinks=controls):
                    (self._place / entry.name).touch()
                    self._mounted[entry.name] = not controls

    def _link(self, entry: os.DirEntry[str]) -> bool:
        try:
            os.link(entry.path, self._place / entry.name, follow_symlinks=False)
        except OSError:  # another file system, or one without hard links; another user's file
            return False

        return True

    def _carry_over(self) -> list[str]:
        """Repeat in the workspace what the command did to names, first what it made and then what
        it removed, so that nothing is lost. Return the names that were left out."""
        last_change = self._place.stat().st_mtime_ns
        found = {
            entry.name: entry.inode()
            for entry in os.scandir(self._place)
            if entry.name not in self._mounted
        }

        changed = [name for name, inode in found.items() if self._linked.get(name) != inode]
        removed = [name for name in self._linked if name not in found]

        return [
            *(name for name in changed if not self._give(name)),
            *(name for name in removed if not self._take(name, last_change)),
        ]

    def _give(self, name: str) -> bool:
        """Put what the command made into the workspace; return False if it must not be there, or
        the person was faster."""
        made = self._place / name
        target = self._workspace / name
        if is_control_name(name, self._control):
            return False

        try:
            if name in self._linked and os.path.lexists(target):
                return self._replace(made, target)

            return add(made, target)
        except OSError:
            return False

    def _replace(self, made: Path, target: Path) -> bool:
        there = target.lstat()
        if there.st_ino != self._linked[made.name] or there.st_mtime_ns > made.lstat().st_ctime_ns:
            return False
        if made.is_dir() and not made.is_symlink():
            target.unlink()

        made.rename(target)
        return True

    def _take(self, name: str, when: int) -> bool:
        """Remove what the command removed; return False if it was replaced or written to
        meanwhile."""
        try:
            there = (self._workspace / name).lstat()
            if there.st_ino != self._linked[name] or there.st_mtime_ns > when:
                return False

            (self._workspace / name).unlink()
        except FileNotFoundError:
            return True
        except OSError:
            return False

        return True

    def _remove_stage(self) -> None:
        try:
            with stages_locked(self._stages):
                remove(self._place)
        finally:
            os.close(self._lock)


def control_names(reach: Reach) -> frozenset[str]:
    """The entries of the top folder that control the program: those that contain something
    protected or hidden, or that a control name links to. Whole entries, because a folder in between
    could be renamed and made again."""
    workspace = reach.workspace
    control = [entry for entry in workspace.iterdir() if is_control_name(entry.name)]
    names = set()

    for path in (*control, *reach.protected, *reach.hidden):
        for spelling in (path, path.resolve()):
            for root in (workspace, workspace.resolve()):
                if spelling.is_relative_to(root) and spelling != root:
                    names.add(spelling.relative_to(root).parts[0])

    return frozenset(names)


def add(made: Path, target: Path) -> bool:
    """Put it into the workspace; return False if the name has been taken meanwhile."""
    if made.is_dir() and not made.is_symlink():
        try:
            target.mkdir()
        except FileExistsError:
            return False

        try:
            made.rename(target)  # over the empty folder, in one step
        except OSError:  # another file system
            shutil.copytree(made, target, symlinks=True, dirs_exist_ok=True)

        return True

    try:
        os.link(made, target, follow_symlinks=False)
    except FileExistsError:
        return False
    except OSError:  # another file system, or one without hard links
        if os.path.lexists(target):
            return False
        shutil.copy2(made, target, follow_symlinks=False)

    return True


@contextmanager
def stages_locked(stages: Path) -> Iterator[None]:
    """Keep other threads and processes from making or removing a stage meanwhile."""
    descriptor = os.open(stages, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def new_stage(stages: Path) -> tuple[Path, int]:
    """Make a new folder and take the lock that shows that it is in use; remove what a crash left
    there before."""
    make_private(stages)
    with stages_locked(stages):
        for old in stages.iterdir():
            remove_unless_in_use(old)

        place = Path(tempfile.mkdtemp(dir=stages))
        return place, locked(place)


def remove_unless_in_use(stage: Path) -> None:
    try:
        lock = locked(stage)
    except BlockingIOError:
        return

    try:
        remove(stage)
    finally:
        os.close(lock)


def locked(stage: Path) -> int:
    """Take the stage's lock, which is ours until it is closed; BlockingIOError: it is in use."""
    lock = os.open(stage, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BaseException:
        os.close(lock)
        raise

    return lock


def remove(folder: Path) -> None:
    """Remove the folder and all that is in it, even folders that the command made inaccessible."""
    try:
        shutil.rmtree(folder)
    except PermissionError:
        for place, names, _ in os.walk(folder):
            for below in (Path(place, name) for name in names):
                if not below.is_symlink():
                    below.chmod(stat.S_IRWXU)

        shutil.rmtree(folder)
