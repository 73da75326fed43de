"""Whether what an agent touched belongs to a task: which files a task and its check name, and
which of them a call read, listed or wrote. Pure.

Law: a file that nobody named earns nothing. A word is the name of a file if it looks like one
(`report.md`, `notes/today`) or if the workspace has a file or folder of that name; otherwise a
model could write a file that is called like any word of the task.
"""

from collections.abc import Collection, Iterable, Iterator
from posixpath import basename, normpath

from core.model.evidence import Act, Named
from core.rules.approving.command_words import INTERPRETERS
from core.rules.checking.globs import matches

COMMAND_ENDS = ";|&()`\n\r"
BETWEEN_WORDS = "\"'<>$={},"
PATTERN = "*?"
PART_OF_A_NAME = "_-./"  # besides letters and digits
LONGEST_WORD = 200
MOST_WORDS = 100
HERE = "./"


# -- what a command names --------------------------------------------------------------------------


def words_of(command: str) -> tuple[str, ...]:
    """All words of a command that could name a file, also those that do not."""
    found = [word for words in _simple_commands(command) for word in words]
    return tuple(dict.fromkeys(word for word in found if not word.startswith("-")))[:MOST_WORDS]


def names_a_file(command: str, known: Collection[str]) -> bool:
    """Whether a command names a file of the workspace that it looks at. The script that it runs
    is how it looks, not what at."""
    return any(
        _looks_like_file(word, known)
        for words in _simple_commands(command)
        for word in _operands(words)
    )


def _simple_commands(line: str) -> Iterator[list[str]]:
    separated = "".join("\n" if one in COMMAND_ENDS else one for one in line)
    for part in separated.split("\n"):
        spaced = "".join(" " if one in BETWEEN_WORDS else one for one in part)
        words = [word for word in spaced.split() if len(word) <= LONGEST_WORD]
        if words:
            yield words


def _operands(words: list[str]) -> list[str]:
    program = basename(words[0]).rstrip("0123456789.")
    operands = [word for word in words[1:] if not word.startswith("-")]

    return operands[1:] if program in INTERPRETERS else operands


def _looks_like_file(word: str, known: Collection[str]) -> bool:
    if "://" in word or word.startswith(("/", "~")):
        return False

    path = cleaned(word)
    return path in known or "/" in path or _has_ending(path)


def _has_ending(path: str) -> bool:
    """Whether it is like `report.md`, and not like `0.5`."""
    stem, dot, ending = basename(path).rpartition(".")
    return bool(dot and stem and ending) and ending.isalnum() and not ending.isdigit()


# -- what belongs to a task ------------------------------------------------------------------------


def belongs(act: Act, named: Named, known: Collection[str]) -> bool:
    """Whether the call did something that belongs to the task."""
    if not act.happened:
        return False
    if named.by_any_reading and act.touched.reads:
        return True

    return any(
        _is_named(path, named, known)
        for touched in act.touched.paths
        for path in _files_of(cleaned(touched), named, known)
    )


def _files_of(touched: str, named: Named, known: Collection[str]) -> list[str]:
    """The file, or those that a pattern lists: also one that is not there, if it was asked for."""
    if not any(mark in touched for mark in PATTERN):
        return [touched] if touched else []

    return [one for one in (*named.paths, *known) if matches(cleaned(one), touched)]


def _is_named(path: str, named: Named, known: Collection[str]) -> bool:
    if any(_is_same_or_inside(path, cleaned(one)) for one in named.paths):
        return True

    names = [one for one in _names_for(path, known) if _looks_like_file(one, known)]
    return any(mentions(text, name) for text in (named.words, *named.commands) for name in names)


def _names_for(path: str, known: Collection[str]) -> list[str]:
    """How the person may name it: in full, by its last part, or by a folder that it is in."""
    return [path, basename(path), *(one for one in _folders_of(path) if one in known)]


def _is_same_or_inside(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def _folders_of(path: str) -> list[str]:
    parts = path.split("/")[:-1]
    return ["/".join(parts[: index + 1]) for index in range(len(parts))]


def with_folders(paths: Iterable[str]) -> frozenset[str]:
    """The files with all folders that they are in."""
    found: set[str] = set()
    for path in paths:
        found.add(path)
        found.update(_folders_of(path))

    return frozenset(found)


# -- what a model wrote ----------------------------------------------------------------------------


def written_by(acts: Iterable[Act], changed: Iterable[str]) -> frozenset[str]:
    """The files that were written by these calls. A command or a tool server may have written
    every file that has changed."""
    found: set[str] = set()
    for act in acts:
        if not act.happened:
            continue

        writes = act.touched.writes
        found.update(changed if writes is None else (cleaned(path) for path in writes))

    return frozenset(found)


def is_touched(path: str, act: Act) -> bool:
    """Whether the call touched the file, or something that holds it."""
    for touched in act.touched.paths:
        place = cleaned(touched)
        if place in (path, ".", *_folders_of(path)) or matches(path, place):
            return True

    return False


def is_measured_from(named: Named, written: Collection[str]) -> bool:
    """Whether the measured values came from one of the files that were written."""
    if any(cleaned(source) in written for source in named.sources):
        return True

    texts = [" ".join(words) for line in named.commands for words in _simple_commands(line)]
    for path in written:
        places = [path, *_folders_of(path)]
        if any(mentions(text, place) for text in texts for place in places):
            return True
        if any(_matches_a_pattern(text, path) for text in texts):
            return True

    return False


def _matches_a_pattern(text: str, path: str) -> bool:
    words = (word for word in text.split() if any(mark in word for mark in PATTERN))
    return any(matches(path, cleaned(word)) for word in words)


# -- names in texts --------------------------------------------------------------------------------


def cleaned(path: str) -> str:
    """The path without what does not change which file it is."""
    return normpath(path.strip()) if path.strip() else ""


def mentions(text: str, name: str) -> bool:
    """Whether the text has the name of a file, not only as a part of a longer name."""
    text = text.casefold()
    name = name.casefold()
    place = text.find(name) if name else -1

    while place >= 0:
        if _begins_a_name(text, place) and _ends_a_name(text, place + len(name)):
            return True

        place = text.find(name, place + 1)

    return False


def _begins_a_name(text: str, place: int) -> bool:
    if text[:place].endswith(HERE):
        place -= len(HERE)

    before = text[place - 1] if place else " "
    return not (before.isalnum() or before in PART_OF_A_NAME)


def _ends_a_name(text: str, place: int) -> bool:
    """A full stop may end a sentence, and a slash a folder. With more after the slash it names
    something in the folder, not the folder."""
    after = text[place : place + 1] or " "
    if after in "./":
        return not _is_in_a_name(text[place + 1 : place + 2])

    return not _is_in_a_name(after)


def _is_in_a_name(character: str) -> bool:
    return character.isalnum() or character in ("_", "-")
