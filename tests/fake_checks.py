"""A harmless twin of the port that checks look through."""

from dataclasses import dataclass, field
from datetime import datetime

from core.model.seen_file import NoFile, Seen, SeenFile
from core.rules.checking.globs import matches
from core.rules.fingerprint import fingerprint


def seen(text: str, modified: datetime) -> SeenFile:
    return SeenFile(len(text.encode()), modified, fingerprint(text.encode()), text)


@dataclass
class FakeFileLook:
    """A workspace in memory: a name and what a look at it finds."""

    files: dict[str, Seen] = field(default_factory=dict)

    def look(self, name: str) -> Seen:
        return self.files.get(name, NoFile())

    def fingerprints(self) -> dict[str, str]:
        return {name: file.fingerprint for name, file in sorted(self.files.items()) if isinstance(file, SeenFile)}

    def names(self, pattern: str) -> tuple[str, ...]:
        return tuple(name for name in sorted(self.files) if matches(name, pattern))
