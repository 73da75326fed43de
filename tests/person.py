"""A person at an editor: every way in which programs save a file, and one who keeps saving.

Run as a program it saves again and again and prints the mark of each save that was completed.
"""

import os
import random
import shutil
import sys
import time
from collections.abc import Callable
from pathlib import Path

START = b"""# Plans

- **status**: PENDING

## Notes

the first note
the last note
"""


def _write(path: Path, flags: int, data: bytes) -> None:
    """Write in two pieces, as a buffer that is larger than one block does."""
    opened = os.open(path, flags, 0o644)
    os.write(opened, data[: len(data) // 2])
    os.write(opened, data[len(data) // 2 :])
    os.close(opened)


def vim(path: Path, data: bytes) -> None:
    """Vim's default: rename away, create, write, flush, delete the backup."""
    probe = path.with_name("4913")
    probe.touch()
    probe.unlink()
    backup = path.with_name(path.name + "~")
    path.rename(backup)
    _write(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, data)
    backup.unlink()


def vim_in_place(path: Path, data: bytes) -> None:
    """Vim with backupcopy=yes."""
    backup = path.with_name(path.name + "~")
    shutil.copy2(path, backup)
    _write(path, os.O_WRONLY | os.O_TRUNC, data)
    backup.unlink()


def nano(path: Path, data: bytes) -> None:
    """nano, ed, VS Code on most systems: emptied and written in place."""
    _write(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, data)


def vs_code(path: Path, data: bytes) -> None:
    """Written in place, and cut off after the new end."""
    opened = os.open(path, os.O_RDWR)
    os.ftruncate(opened, 0)
    os.write(opened, data)
    os.close(opened)


def sed(path: Path, data: bytes) -> None:
    """sed -i, gedit: a new file is renamed over the old one."""
    new = path.with_name("sed" + os.urandom(3).hex())
    _write(new, os.O_WRONLY | os.O_CREAT | os.O_EXCL, data)
    new.chmod(path.stat().st_mode & 0o777)
    new.replace(path)


def sync_client(path: Path, data: bytes) -> None:
    """A version from another machine arrives, with its own, older time."""
    new = path.with_name(f".syncthing.{path.name}.tmp")
    _write(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, data)
    os.utime(new, (1_700_000_000, 1_700_000_000))
    new.replace(path)


def move(path: Path, data: bytes) -> None:
    """mv from a folder that is not watched."""
    elsewhere = path.parent / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    new = elsewhere / path.name
    new.write_bytes(data)
    new.replace(path)


def git_checkout(path: Path, data: bytes) -> None:
    """Deleted and created; the inode number may come back."""
    path.unlink()
    _write(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, data)


WAYS: dict[str, Callable[[Path, bytes], None]] = {
    way.__name__: way
    for way in (vim, vim_in_place, nano, vs_code, sed, sync_client, move, git_checkout)
}


def add_line(data: bytes, line: str, chance: random.Random) -> bytes:
    """The text with one more line among the notes."""
    lines = data.splitlines(keepends=True)
    notes = lines.index(b"## Notes\n") + 1
    lines.insert(chance.randint(notes, len(lines)), line.encode() + b"\n")
    return b"".join(lines)


def keep_saving(path: Path, saves: int, seed: int, second: float) -> None:
    """Save so many times, up to ten times a second, each time what the file holds plus one new
    line."""
    chance = random.Random(seed)
    for number in range(saves):
        time.sleep(second * (0.1 if chance.random() < 0.8 else chance.uniform(0.3, 1.5)))
        way = chance.choice(list(WAYS))
        mark = f"mark {seed} {number} {way}"
        text = path.read_bytes()
        if chance.random() < 0.3:  # the text has been in the editor for a while
            time.sleep(second * chance.uniform(0, 0.5))
        WAYS[way](path, add_line(text, mark, chance))
        print(mark, flush=True)


if __name__ == "__main__":
    keep_saving(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]), float(sys.argv[4]))
