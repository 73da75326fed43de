"""Circles in a graph of dependencies, in time linear in its edges (Tarjan's strongly connected components)."""

from collections.abc import Iterator, Mapping, Sequence


def circles(needs: Mapping[str, Sequence[str]]) -> list[list[str]]:
    """The groups of names that need each other, directly or through others; names outside the graph are ignored."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}  # the earliest name that is reachable and still open
    open_names: dict[str, None] = {}  # a stack that can also be asked for membership
    found: list[list[str]] = []
    for root in needs:
        if root in order:
            continue
        walk: list[tuple[str, Iterator[str]]] = []
        _enter(root, needs, order, lowest, open_names, walk)
        while walk:
            name, rest = walk[-1]
            for other in rest:
                if other in needs and other not in order:
                    _enter(other, needs, order, lowest, open_names, walk)
                    break
                if other in open_names:
                    lowest[name] = min(lowest[name], order[other])
            else:
                walk.pop()
                if walk:
                    lowest[walk[-1][0]] = min(lowest[walk[-1][0]], lowest[name])
                if lowest[name] == order[name]:
                    group = _leave(name, open_names)
                    if len(group) > 1 or name in needs[name]:
                        found.append(sorted(group, key=order.__getitem__))
    return found


def _enter(
    name: str,
    needs: Mapping[str, Sequence[str]],
    order: dict[str, int],
    lowest: dict[str, int],
    open_names: dict[str, None],
    walk: list[tuple[str, Iterator[str]]],
) -> None:
    order[name] = lowest[name] = len(order)
    open_names[name] = None
    walk.append((name, iter(needs[name])))


def _leave(name: str, open_names: dict[str, None]) -> list[str]:
    group: list[str] = []
    while not group or group[-1] != name:
        group.append(open_names.popitem()[0])
    return group
