"""What a level changes where `accountability.consequences` is on: the interval, and in lockdown what is required."""

from dataclasses import replace
from datetime import timedelta

from core.model.document import Document
from core.model.score import Level
from core.model.settings import Settings

INTERVALS = {
    Level.LOCKDOWN: timedelta(minutes=8),
    Level.ESCALATED: timedelta(minutes=10),
    Level.TIGHTENED: timedelta(minutes=12),
    Level.OUTSTANDING: timedelta(minutes=20),
}


def with_interval(settings: Settings, level: Level | None) -> Settings:
    if not settings.accountability.consequences or level not in INTERVALS:
        return settings
    return replace(settings, interval=INTERVALS[level])


def with_requirements(document: Document, settings: Settings, level: Level | None) -> Document:
    if not settings.accountability.consequences or level is not Level.LOCKDOWN:
        return document
    return replace(document, tasks=tuple(replace(task, required=True) for task in document.tasks))
