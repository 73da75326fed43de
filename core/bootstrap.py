"""Joins ports to adapters: the only file that knows both."""

from core.adapters.clock import SystemClock


def clock() -> SystemClock:
    return SystemClock()
