"""The workspace's top folder as the sandbox sees it: a folder of our own, into which the real entries are joined.

Binding the real folder would not do. A mount can only cover a name that exists, so a missing HEARTBEAT.md could be
made from inside; and the kernel drops a mount over a file as soon as somebody outside saves that file by renaming, so
every save of the person would open HEARTBEAT.md for writing. In a folder of our own neither happens, and nothing of it
shows in the workspace.

- Folders are mounted, so what changes in them changes at once. They cannot be renamed or removed from inside.
- Files are hard links (mounts where that cannot be): they can be written, replaced and removed.
- What steers the program is mounted read-only.
- When the command has ended, what it made, replaced or removed in the top folder is carried over by name. A control
  name never is, and whatever the person did meanwhile stays.
"""

import fcntl
import os
import shutil
import stat
import tempfile
from contextlib import suppress
from pathlib import Path
from types import TracebackType

from core.adapters.folders import make_private
from core.model.sandbox import Reach
from core.rules.permitting.control_names import is_control_name


class TopFolder:
    """`with` it: afterwards `kept_out` has the names that were not carried over."""

    def __init__(self, reach: Reach, stages: Path) -> None:
        self.kept_out: tuple[str, ...] = ()
        self._workspace = reach.workspace
        self._control = steering_names(reach)
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
        self, kind: type[BaseException] | None, value: BaseException | None, traceback: TracebackType | None
    ) -> None:
        try:
            self.kept_out = tuple(self._carry_over())
        finally:
            self._remove_stage()

    def mounts(self) -> list[str]:
        """Words for bubblewrap."""
        words = ["--bind", str(self._place), str(self._workspace)]
        for name, writable in self._mounted.items():
            path = str(self._workspace / name)
            words += ["--bind-try" if writable else "--ro-bind-try", path, path]
        return words

    def _lay_out(self) -> None:
        self._place.chmod(stat.S_IMODE(self._workspace.stat().st_mode) | stat.S_IRWXU)
        with os.scandir(self._workspace) as entries:
            for entry in entries:
                steers = is_control_name(entry.name, self._control)
                if entry.is_dir(follow_symlinks=steers):
                    (self._place / entry.name).mkdir()
                    self._mounted[entry.name] = not steers
                elif not steers and self._link(entry):
                    self._linked[entry.name] = entry.inode()
                elif entry.is_file(follow_symlinks=steers):
                    (self._place / entry.name).touch()
                    self._mounted[entry.name] = not steers

    def _link(self, entry: os.DirEntry[str]) -> bool:
        try:
            os.link(entry.path, self._place / entry.name, follow_symlinks=False)
        except OSError:  # another file system, or one without hard links; somebody else's file
            return False
        return True

    def _carry_over(self) -> list[str]:
        """What the command did to names, in the order in which nothing can get lost; the names that were not done."""
        last_change = self._place.stat().st_mtime_ns
        found = {entry.name: entry.inode() for entry in os.scandir(self._place) if entry.name not in self._mounted}
        changed = [name for name, inode in found.items() if self._linked.get(name) != inode]
        removed = [name for name in self._linked if name not in found]
        return [
            *(name for name in changed if not self._give(name)),
            *(name for name in removed if not self._take(name, last_change)),
        ]

    def _give(self, name: str) -> bool:
        """Put what the command made into the workspace; False where it may not be there, or somebody was faster."""
        made, target = self._place / name, self._workspace / name
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
        """Remove what the command removed; False where it was replaced or written to meanwhile."""
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
        remove(self._place)
        os.close(self._lock)


def steering_names(reach: Reach) -> frozenset[str]:
    """The entries of the top folder that hold something protected or hidden, or that a control name leads to by a
    link: as a whole, because a folder in between could be renamed and made anew."""
    workspace = reach.workspace
    control = [entry for entry in workspace.iterdir() if is_control_name(entry.name)]
    paths = {path for one in (*control, *reach.protected, *reach.hidden) for path in (one, one.resolve())}
    roots = (workspace, workspace.resolve())
    below = {path.relative_to(root) for path in paths for root in roots if path.is_relative_to(root)}
    return frozenset(path.parts[0] for path in below if path.parts)


def add(made: Path, target: Path) -> bool:
    """Give it its name, unless somebody has taken the name meanwhile: False."""
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


def new_stage(stages: Path) -> tuple[Path, int]:
    """A fresh folder and the lock that says it is in use; what a crash left there before is removed."""
    make_private(stages)
    gate = os.open(stages, os.O_RDONLY | os.O_DIRECTORY)
    try:
        fcntl.flock(gate, fcntl.LOCK_EX)  # no stage appears or goes while we look
        for old in stages.iterdir():
            lock = os.open(old, os.O_RDONLY | os.O_DIRECTORY)
            with suppress(BlockingIOError):
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                remove(old)
            os.close(lock)
        place = Path(tempfile.mkdtemp(dir=stages))
        lock = os.open(place, os.O_RDONLY | os.O_DIRECTORY)
        fcntl.flock(lock, fcntl.LOCK_EX)
        return place, lock
    finally:
        os.close(gate)


def remove(folder: Path) -> None:
    """With all that is in it, also folders that the command closed to everybody."""
    try:
        shutil.rmtree(folder)
    except PermissionError:
        for place, names, _ in os.walk(folder):
            for below in (Path(place, name) for name in names):
                if not below.is_symlink():
                    below.chmod(stat.S_IRWXU)
        shutil.rmtree(folder)
