"""Pausing all beats, and snoozing what is announced about one trouble."""

from datetime import datetime

from core.model.ledger import Pause
from core.model.trouble import read_trouble_key
from core.rules.announcing import announcer
from core.rules.residing.next_step import is_paused
from core.services import Services


def pause(services: Services, until: datetime | None) -> None:
    """Let nothing start by itself until then. A model that is at work is not
    waited for: its call ends at once."""
    services.ledger.requests.pause(Pause(services.clock.now(), until))
    with_model = services.model_lock.holder()
    if with_model:
        services.end_beat(with_model.pid)

    services.wake_resident()


def pause_of(services: Services) -> Pause | None:
    """The current pause; None if there is none."""
    pause = services.ledger.requests.paused()
    return pause if pause and is_paused(pause, services.clock.now()) else None


def resume(services: Services) -> bool:
    """End a pause; whether there was one."""
    was_paused = services.ledger.requests.paused() is not None
    if was_paused:
        services.ledger.requests.resume()
        services.wake_resident()

    return was_paused


def snooze(services: Services, trouble: str, until: datetime) -> None:
    """Announce nothing about a trouble before then; its key is what a button carries."""
    key = read_trouble_key(trouble)
    announcements = services.ledger.announcements
    if key:
        announcements.save(announcer.snooze(announcements.current(), key, until))
