"""What core.ports.Cancellation promises, asked of the one switch that everything uses, tests as
well."""

import os
import select

from core.adapters.waiting.cancellation import CancelSwitch
from core.ports.processes import Cancellation


def is_readable(cancelled: Cancellation) -> bool:
    return bool(select.select([cancelled], [], [], 0)[0])


def test_nothing_is_to_be_read_before_it_is_set() -> None:
    switch = CancelSwitch()
    assert not switch.is_set()
    assert not is_readable(switch)


def test_once_set_it_stays_set_and_every_wait_sees_it() -> None:
    switch = CancelSwitch()
    switch.set()
    switch.set()
    for _ in range(3):
        assert switch.is_set()
        assert is_readable(switch)


def test_closing_twice_is_harmless() -> None:
    switch = CancelSwitch()
    switch.close()
    switch.close()
    assert not switch.is_set()


def test_set_after_its_end_it_writes_into_nobody_elses_file() -> None:
    switch = CancelSwitch()
    switch.close()
    reading, writing = os.pipe()  # takes the numbers that have become free
    switch.set()
    os.close(writing)
    assert os.read(reading, 10) == b""
    os.close(reading)
    assert switch.is_set()
