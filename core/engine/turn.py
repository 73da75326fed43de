"""Whose turn it is: a beat gives its lock up while a model works, and takes it again."""

from collections.abc import Iterator
from contextlib import contextmanager

from core.engine.world import World
from core.ports import HeldLock


class Turn:
    """The workspace's lock of one beat, which is given up while its batch is with the model."""

    def __init__(self, world: World, held: HeldLock) -> None:
        self._world = world
        self._held = held

    @contextmanager
    def given_up(self, model: HeldLock) -> Iterator[None]:
        """Taken back at the end, however long another beat has it; not where the beat breaks off."""
        with model:
            self._held.release()
            self._world.wake_resident()
            yield
            self._held = self._world.lock.wait("beat", self._world.clock.now())

    def end(self) -> None:
        self._held.release()
