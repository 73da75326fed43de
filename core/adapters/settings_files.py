"""Reads the two settings files, the person's config.toml and a workspace's config.json, and keeps a
checked copy of what they say. A missing file counts as an empty one.

Law: the files are read at every start, and the copy counts only if it was made of the same bytes by
the same program: then the checker, which is slow to import, is not needed. The copy is in the state
folder, which neither a model nor a sandboxed command can reach. Whatever is wrong with it, the
files are checked instead; a copy that cannot be written is not written.
"""

import json
import os
import stat
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

from core.model.errors import HeartbeatError
from core.model.settings import Settings
from core.rules.fingerprint import fingerprint
from core.rules.settings.copy import Source, copy_of, settings_of

LIMIT = 256 * 1024
COPY_LIMIT = 4 * LIMIT  # it holds what both files say, with the names of all keys

# A FIFO must not block us, and a link must not lead elsewhere; Windows has neither flag.
_CAREFUL = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


def read_checked(config: Path, workspace_config: Path | None, copy: Path) -> Settings:
    """What the files say together; HeartbeatError if one of them cannot be used."""
    text = _text(config)
    workspace_text = _text(workspace_config) if workspace_config else ""
    sources = [_source(config, text)]
    if workspace_config:
        sources.append(_source(workspace_config, workspace_text))

    kept = settings_of(_read_copy(copy), sources)
    if kept is not None:
        return kept

    from core.rules.settings.reading import read_settings, with_workspace_settings

    settings = read_settings(_toml(text, config), str(config))
    if workspace_config:
        table = _json(workspace_text, workspace_config)
        settings = with_workspace_settings(settings, table, str(workspace_config))

    # The folder of a workspace is made by its first beat: to look at a workspace makes none.
    if workspace_config is None or copy.parent.is_dir():
        _keep(settings, sources, copy)

    return settings


def read_toml(path: Path) -> dict[str, object]:
    return _toml(_text(path), path)


def read_json(path: Path) -> object:
    return _json(_text(path), path)


# -- the copy --------------------------------------------------------------------------------------


def _source(path: Path, text: str) -> Source:
    return str(path), fingerprint(text.encode())


def _read_copy(path: Path) -> object:
    """None if there is none that can be used."""
    try:
        descriptor = os.open(path, _CAREFUL)
        with open(descriptor, "rb") as file:
            return json.loads(file.read(COPY_LIMIT)) if _is_ours(os.fstat(descriptor)) else None
    except (OSError, ValueError, RecursionError):
        return None


def _is_ours(status: os.stat_result) -> bool:
    """A plain file that nobody else could have written."""
    if not stat.S_ISREG(status.st_mode):
        return False
    if os.name == "nt":  # there a file has no such owner and mode
        return True

    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _keep(settings: Settings, sources: Sequence[Source], path: Path) -> None:
    from core.adapters.files.atomic import write_private  # imported here: few starts write it

    with suppress(OSError):
        write_private(path, json.dumps(copy_of(settings, sources)).encode())


# -- the files -------------------------------------------------------------------------------------


def _toml(text: str, path: Path) -> dict[str, object]:
    import tomllib  # imported here: it is not needed for an unchanged file

    fix = "Fix that line, or move the file away to use the defaults."
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise HeartbeatError(f"{path}: it nests too deeply.", fix) from None
    except ValueError as error:  # wrong TOML, or a number of more than 4300 digits
        raise HeartbeatError(f"{path}: {error}.", fix) from None


def _json(text: str, path: Path) -> object:
    try:
        return json.loads(text) if text.strip() else {}
    except (ValueError, RecursionError) as error:
        where = f" in line {error.lineno}" if isinstance(error, json.JSONDecodeError) else ""
        raise HeartbeatError(
            f"{path}: it is not JSON{where}.", "Fix it, or move the file away."
        ) from None


def _text(path: Path) -> str:
    try:
        if not path.exists():
            return ""
        if not path.is_file():
            raise HeartbeatError(
                f"{path}: it is not a file.", "Move it away, or put a text file in its place."
            )

        with open(path, "rb") as file:
            data = file.read(LIMIT + 1)

        if len(data) > LIMIT:
            raise HeartbeatError(
                f"{path}: it is larger than 256 KiB.",
                "Settings are short; move the rest elsewhere.",
            )

        return data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise HeartbeatError(f"{path}: it is not UTF-8.", "Save it as UTF-8.") from None
    except OSError as error:
        raise HeartbeatError(
            f"{path}: it cannot be read: {error.strerror}.", "Check its permissions."
        ) from None
