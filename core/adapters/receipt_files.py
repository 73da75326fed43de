"""Receipts as files, so that the desktop can show them: views of the ledger, private, the last few of them."""

from pathlib import Path

from core.adapters.private_file import write_private

MOST = 20


def write_receipt(folder: Path, name: str, text: str) -> Path:
    path = folder / f"{name}.txt"
    write_private(path, text.encode("utf-8", "replace"))
    newest_first = sorted(folder.glob("*.txt"), key=lambda file: file.stat().st_mtime, reverse=True)
    for old in newest_first[MOST:]:
        old.unlink(missing_ok=True)
    return path
