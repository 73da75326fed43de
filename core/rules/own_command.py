"""How the program starts another process of its own."""

import sys


def own_command(module: str, *words: str) -> list[str]:
    """The command line of a program of ours.

    Without -P the folder that we are in, often the workspace, would come first where Python looks
    for modules: any file there that is named like one would run.
    """
    return [sys.executable, "-P", "-m", module, *words]
