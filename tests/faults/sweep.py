"""What a sweep goes through: the beat whose system calls go wrong one by one, how many of them are
tried, and with which errors."""

import os
from itertools import cycle
from pathlib import Path

from tests.e2e.machine import Machine, action, workspace_text
from tests.faults.system_calls import Call, changing_calls, sample, watching

WHOLE = bool(os.environ.get("HEARTBEAT_WHOLE_SWEEP"))
AT_ONCE = 3  # most of a beat's time is waiting
ACTIONS = (
    action("one", "echo one >> ran; echo done one", priority="HIGH"),
    action("two", "echo two >> ran; echo done two"),
)
WITH_FRONTMATTER = workspace_text(*ACTIONS)
WITHOUT = workspace_text(*ACTIONS, header="")

ERRORS = {
    "rename": ("EXDEV", "ENOSPC", "EIO", "EDQUOT"),
    "renameat2": ("EXDEV", "ENOSPC", "EIO", "EDQUOT"),
}
USUAL = ("ENOSPC", "EIO", "EDQUOT")


def new_machine(folder: Path, text: str) -> Machine:
    machine = Machine(folder)
    machine.file.write_text(text)
    machine.approve()
    machine.says_yes = False  # from now on only the beat itself changes anything
    return machine


def calls_of_a_beat(folder: Path, text: str) -> list[Call]:
    for name in ("first", "second"):  # the first one also compiles what was never imported
        machine = new_machine(folder / name, text)
        assert machine.heartbeat("run", before=watching(folder / "trace")).code == 0
    return changing_calls(folder / "trace")


def faults(calls: list[Call], lasting: bool) -> list[tuple[Call, str]]:
    """Which call goes wrong, and how; `lasting`: so does every one of its kind after it."""
    end = "+" if lasting else ""
    if WHOLE:
        return [
            (call, f"error={error}{end}")
            for call in calls
            for error in ERRORS.get(call.name, USUAL)
        ]
    errors = {name: cycle(ERRORS.get(name, USUAL)) for name in {call.name for call in calls}}
    return [
        (call, f"error={next(errors[call.name])}{end}")
        for call in sample(calls, 2 if lasting else 4)
    ]
