"""What this process has open."""

from pathlib import Path


def open_descriptors() -> set[tuple[str, str]]:
    """Each with what it leads to: a test sees what is new, whatever others close meanwhile."""
    found = set()
    for entry in Path("/proc/self/fd").iterdir():
        try:
            found.add((entry.name, str(entry.readlink())))
        except FileNotFoundError:  # the one that this list is read with
            continue

    return found
