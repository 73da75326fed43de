"""Reads the two settings files: the person's config.toml, and a workspace's config.json. A missing
file counts as an empty one."""

import json
import tomllib
from pathlib import Path

from core.model.errors import HeartbeatError

LIMIT = 256 * 1024


def read_toml(path: Path) -> dict[str, object]:
    text = _text(path)
    fix = "Fix that line, or move the file away to use the defaults."
    try:
        return tomllib.loads(text)
    except RecursionError:
        raise HeartbeatError(f"{path}: it nests too deeply.", fix) from None
    except ValueError as error:  # wrong TOML, or a number of more than 4300 digits
        raise HeartbeatError(f"{path}: {error}.", fix) from None


def read_json(path: Path) -> object:
    text = _text(path)
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
