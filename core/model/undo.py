"""What became of an undo."""

from collections.abc import Mapping

from core.model.value import dataclass


@dataclass(frozen=True, slots=True)
class Undone:
    paths: tuple[str, ...]
    lines: Mapping[str, Mapping[str, str | None]]  # action -> what its lines said before; None: there was no such line


@dataclass(frozen=True, slots=True)
class UndoRefused:
    reason: str
