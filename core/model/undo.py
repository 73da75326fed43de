"""What became of an undo."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Undone:
    paths: tuple[str, ...]
    items: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class UndoRefused:
    reason: str
