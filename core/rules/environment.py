"""Which of our variables a process of others sees: those that a list names, and the locale's. Pure.

Each place has a list of its own, because each passes on something else: a command of the person
gets what commands need, the sandbox brings its own folders, a command-line agent has its login in
its folders.
"""

from collections.abc import Collection, Mapping

LOCALE = "LC_"


def passed_on(ours: Mapping[str, str], names: Collection[str]) -> dict[str, str]:
    return {name: value for name, value in ours.items() if name in names or name.startswith(LOCALE)}
