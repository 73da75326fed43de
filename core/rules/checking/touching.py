"""Whether what an agent touched belongs to a task: which files a task and its check name, and
which of them a call read, listed or wrote. Pure.

Law: a file that nobody named earns nothing. A word is the name of a file if it looks like one
(`report.md`, `notes/today`) or if the workspace has a file or folder of that name; otherwise a
model could write a file that is called like any word of the task.
"""

from collections.abc import Collection, Iterable, Iterator
from functools import cached_property
from posixpath import basename, normpath

from core.model.evidence import Act, Named
from core.rules.approving.command_words import INTERPRETERS
from core.rules.checking.globs import matches

COMMAND_ENDS = ";|&()`\n\r"
BETWEEN_WORDS = "\"'<>$={},"
PATTERN = "*?"
PART_OF_A_NAME = "_-./"  # besides letters and digits
# Programs that look at no file, whatever their words are.
IDLE = frozenset({":", "#", "echo", "exit", "export", "false", "printf", "sleep", "true"})
LONGEST_WORD = 200
MOST_WORDS = 100
HERE = "./"


# -- what a command names --------------------------------------------------------------------------


def words_of(command: str) -> tuple[str, ...]:
    """All words of a command that could name a file, also those that do not; without those of
    programs that look at no file."""
    found = [word for words in _simple_commands(_without_idle(command)) for word in words]
    return tuple(dict.fromkeys(word for word in found if not word.startswith("-")))[:MOST_WORDS]


def looks_at_nothing(command: str) -> bool:
    """Whether it only has programs that look at no file."""
    return all(_is_idle(one) and "<" not in one for one in _parts(command) if one.strip())


def _without_idle(command: str) -> str:
    """The command without the programs that look at no file: of these only the files that the
    shell opens for them are left."""
    return "\n".join(_opened_for_it(one) if _is_idle(one) else one for one in _parts(command))


def _is_idle(part: str) -> bool:
    return basename(next(iter(part.split()), "")) in IDLE


def _opened_for_it(part: str) -> str:
    return "\n".join(part.replace(">", "<").split("<")[1:])


def is_pattern(word: str) -> bool:
    return any(mark in word for mark in PATTERN)


def names_a_file(command: str, known: Collection[str]) -> bool:
    """Whether a command names a file of the workspace that it looks at. The script that it runs
    is how it looks, not what at."""
    return any(
        looks_like_file(word, known)
        for words in _simple_commands(command)
        for word in _operands(words)
    )


def _simple_commands(line: str) -> Iterator[list[str]]:
    for part in _parts(line):
        spaced = "".join(" " if one in BETWEEN_WORDS else one for one in part)
        words = [word for word in spaced.split() if len(word) <= LONGEST_WORD]
        if words:
            yield words


def _parts(line: str) -> list[str]:
    return "".join("\n" if one in COMMAND_ENDS else one for one in line).split("\n")


def _operands(words: list[str]) -> list[str]:
    program = basename(words[0]).rstrip("0123456789.")
    operands = [word for word in words[1:] if not word.startswith("-")]

    return operands[1:] if program in INTERPRETERS else operands


def looks_like_file(word: str, known: Collection[str]) -> bool:
    if "://" in word or word.startswith(("/", "~")):
        return False

    path = cleaned(word)
    return path in known or "/" in path or _has_ending(path)


def _is_meant_as_file(word: str, known: Collection[str]) -> bool:
    """The same for a word of a sentence, where `and/or` and `24/7` are no files."""
    if not looks_like_file(word, known):
        return False

    path = cleaned(word)
    return path in known or _has_ending(path) or path.partition("/")[0] in known


def _has_ending(path: str) -> bool:
    """Whether it is like `report.md`, and not like `0.5` or `e.g`."""
    stem, dot, ending = basename(path).rpartition(".")
    parts = path.replace("/", ".").split(".")
    is_abbreviation = all(len(part) < 2 for part in parts)
    return (
        bool(dot and stem and ending)
        and ending.isalnum()
        and not ending.isdigit()
        and not is_abbreviation
    )


# -- what belongs to a task ------------------------------------------------------------------------


def does_any_belong(acts: Iterable[Act], named: Named, known: Collection[str]) -> bool:
    """Whether one of the calls did something that belongs to the task. Every name and pattern is
    looked at once, however often it was used."""
    names = _NamesOfTask(named, known)
    happened = [act for act in acts if act.happened]
    if named.by_any_reading and any(names.is_read_by(act) for act in happened):
        return True

    paths = {cleaned(path) for act in happened for path in act.touched.paths}
    patterns = {cleaned(one) for act in happened for one in act.touched.patterns}
    return any(map(names.have, paths)) or any(map(names.match, patterns))


class _NamesOfTask:
    """What a task and its check name, among the files and folders of the workspace."""

    def __init__(self, named: Named, known: Collection[str]) -> None:
        self._known = known
        self._commands = named.commands
        self._paths = [cleaned(one) for one in named.paths]
        self._texts = [text.casefold() for text in (named.words, *named.commands)]

    def have(self, path: str) -> bool:
        """Whether it is one of them: also a file that is not there, if it was asked for."""
        if not path:
            return False
        if any(_is_same_or_inside(path, one) for one in self._paths):
            return True

        return any(
            self._mention(one)
            for one in self._names_for(path)
            if _is_meant_as_file(one, self._known)
        )

    def match(self, pattern: str) -> bool:
        """Whether the pattern lists one of them. A pattern that lists everything names nothing."""
        return not _lists_everything(pattern) and any(matches(one, pattern) for one in self._files)

    def is_read_by(self, act: Act) -> bool:
        """Whether the call read anything, for a check that names no file. What is not there has
        to be something that is named, and a probe may name a file although the check does not."""
        touched = act.touched
        if not touched.reads:
            return False
        if not act.found:
            asked_for = (*touched.paths, *map(_before_marks, touched.patterns))
            return any(self._mention(cleaned(one)) for one in asked_for)

        lists_all = touched.patterns and all(map(_lists_everything, touched.patterns))
        return bool(touched.paths) or not (lists_all and self._probes_name_a_file)

    @cached_property
    def _probes_name_a_file(self) -> bool:
        return any(names_a_file(line, self._known) for line in self._commands)

    @cached_property
    def _files(self) -> list[str]:
        return [*self._paths, *(one for one in self._known if self.have(one))]

    def _names_for(self, path: str) -> Iterator[str]:
        """How the person may name it: in full, by its last part, or by a folder that it is in."""
        yield path
        yield basename(path)
        yield from (one for one in _folders_of(path[: self._longest + 1]) if one in self._known)

    @cached_property
    def _longest(self) -> int:
        return max(map(len, self._known), default=0)

    def _mention(self, name: str) -> bool:
        folded = name.casefold()
        return any(_is_in(text, folded) for text in self._texts)


def _lists_everything(pattern: str) -> bool:
    return not pattern.strip(PATTERN + "./")


def _before_marks(pattern: str) -> str:
    """The folder that a pattern is for; without marks it is a name."""
    if not is_pattern(pattern):
        return pattern

    index = min(pattern.find(mark) for mark in PATTERN if mark in pattern)
    return pattern[:index].rpartition("/")[0]


def _is_same_or_inside(path: str, other: str) -> bool:
    return path == other or path.startswith(f"{other}/")


def _folders_of(path: str) -> list[str]:
    return [path[:index] for index, character in enumerate(path) if character == "/"]


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
        writes = act.touched.writes
        found.update(changed if writes is None else (cleaned(path) for path in writes))

    return frozenset(found)


def is_any_touched(paths: Iterable[str], act: Act) -> bool:
    """Whether the call touched one of the files, or something that holds it."""
    places = {cleaned(one) for one in act.touched.paths}
    patterns = {cleaned(one) for one in act.touched.patterns}
    return any(
        not places.isdisjoint((path, ".", *_folders_of(path)))
        or any(matches(path, pattern) for pattern in patterns)
        for path in paths
    )


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
    words = filter(is_pattern, text.split())
    return any(matches(path, cleaned(word)) for word in words)


# -- names in texts --------------------------------------------------------------------------------


def cleaned(path: str) -> str:
    """The path without what does not change which file it is."""
    return normpath(path.strip()) if path.strip() else ""


def mentions(text: str, name: str) -> bool:
    """Whether the text has the name of a file, not only as a part of a longer name."""
    return _is_in(text.casefold(), name.casefold())


def _is_in(text: str, name: str) -> bool:
    place = text.find(name) if name else -1

    while place >= 0:
        if _begins_a_name(text, place) and _ends_a_name(text, place + len(name)):
            return True

        place = text.find(name, place + 1)

    return False


def _begins_a_name(text: str, place: int) -> bool:
    if text.endswith(HERE, 0, place):
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
