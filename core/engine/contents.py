"""Watches the contents of the files that checks ask to be fresh or changed, and remembers in the
ledger since when they are so.

Law: what a look finds is remembered before a task is done. Otherwise a beat that is cut off could
be followed by one that believes the file's own time.
"""

from datetime import datetime
from functools import cached_property

from core import checks
from core.kinds import read_check
from core.model.check import Check
from core.model.diagnostic import Problem
from core.model.document import Document
from core.model.file_work import KnownContent, Seen, SeenFile, UnseenFile
from core.model.light_dataclass import replace
from core.ports.world import World
from core.rules.checking.contents import known_now, shown_since
from core.rules.checking.touching import cleaned


class WatchedContents:
    """The looks of one beat, and what was remembered before it."""

    def __init__(self, world: World, document: Document) -> None:
        self._world = world
        self._document = document
        self._looks: dict[str, KnownContent] = {}  # of this beat
        self._has_news = False  # a content that the ledger does not know yet

    @cached_property
    def _earlier(self) -> dict[str, KnownContent]:
        return self._world.ledger.contents.known()

    def look(self, name: str, command_began: datetime | None = None) -> Seen:
        """The file as it is now, with the time since when the program has seen its content.
        `command_began` is when the task's own command did, if it has one."""
        seen = self._world.file_inspector.inspect(name)
        if isinstance(seen, UnseenFile):
            return seen

        path = cleaned(name)
        now = self._world.clock.now()
        before = self._looks.get(path) or self._earlier.get(path)
        known = known_now(before, seen, now)
        self._looks[path] = known
        if before is None or before.fingerprint != known.fingerprint:
            self._has_news = True

        if not isinstance(seen, SeenFile):
            return seen

        return replace(seen, modified=shown_since(known, seen, now, command_began))

    def inspect(self, name: str, command_began: datetime | None) -> Seen:
        """As `look`, for a file that is watched; any other file as it is."""
        if cleaned(name) in self._looks:
            return self.look(name, command_began)

        return self._world.file_inspector.inspect(name)

    def keep_news(self) -> None:
        """Remember what was seen, where it is not what the ledger says."""
        if self._has_news:
            self.keep()

    def keep(self) -> None:
        """Remember what was seen and when; forget what no check watches any more."""
        if not self._looks:
            return

        probes = [probe.name for probe in self._document.probes]
        found = (watched_file(read_check(task, probes)) for task in self._document.tasks)
        self._world.ledger.contents.save(self._looks, {cleaned(path) for path in found if path})
        self._has_news = False


def watched_file(check: Check | Problem) -> str:
    """The file that the check asks to be fresh or changed; empty: none."""
    return "" if isinstance(check, Problem) else checks.CHECK_KINDS.of(check).watched_file(check)
