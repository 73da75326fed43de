"""Which words of a command may name a file that it runs. Any text gives an answer, in time
proportional to its length.

It finds more than a shell would, never less: words in quoted commands and substitutions too, and
words that turn out not to be files. The value of a variable or a pattern cannot be known before
the command runs; `unresolved` lists those words.
"""

import posixpath
from collections.abc import Iterator, Sequence
from functools import lru_cache
from typing import NamedTuple

from core.model.approval import Candidate
from core.rules.approving.data_commands import file_option_is_data, may_rename, names_only

# Programs that run the file that is their first operand or, without one, their standard input.
INTERPRETERS = frozenset(
    {
        "sh",
        "bash",
        "dash",
        "zsh",
        "ksh",
        "fish",
        "python",
        "pythonw",
        "pypy",
        "node",
        "nodejs",
        "deno",
        "bun",
        "ruby",
    }
    | {
        "perl",
        "php",
        "lua",
        "luajit",
        "rscript",
        "julia",
        "tclsh",
        "osascript",
        "pwsh",
        "powershell",
        "cmd",
        "source",
    }
)
# Options of interpreters whose next word belongs to them; it may itself be code.
VALUE_OPTIONS = frozenset(
    {
        "-o",
        "+o",
        "-O",
        "-W",
        "-X",
        "-r",
        "-I",
        "-d",
        "--require",
        "--import",
        "--loader",
        "--rcfile",
        "--init-file",
    }
)
# Options whose next word is a file to run, of any program that is not in data_commands.py.
FILE_OPTIONS = ("-f", "--file", "--makefile")
FOLDER_OPTIONS = ("-C", "--directory", "--prefix")
# Files that these programs run although no word names them.
UNNAMED = {
    "make": ("GNUmakefile", "makefile", "Makefile"),
    "gmake": ("GNUmakefile", "makefile", "Makefile"),
    "just": ("justfile", "Justfile", ".justfile"),
    "npm": ("package.json",),
    "yarn": ("package.json",),
    "pnpm": ("package.json",),
}
SUFFIXES = frozenset(
    {
        ".sh",
        ".bash",
        ".zsh",
        ".fish",
        ".py",
        ".pyw",
        ".js",
        ".mjs",
        ".cjs",
        ".ts",
        ".rb",
        ".pl",
        ".php",
        ".lua",
    }
    | {
        ".r",
        ".jl",
        ".tcl",
        ".awk",
        ".sed",
        ".mk",
        ".ps1",
        ".psm1",
        ".bat",
        ".cmd",
        ".vbs",
        ".exe",
        ".com",
        ".jar",
    }
)
# Commands that write what they read to their last operand; `tee` writes to all of them.
WRITERS = frozenset({"cp", "mv", "ln", "install", "tee"})
# Words before the name of a command that is run.
RUNNERS = frozenset({"exec", "command", "eval", "nohup"})
MOST_FOLDERS = 8
DEEPEST = 4  # quotes inside quotes
_ENDS = ";|&()`\n\r"  # a command ends here
_OPAQUE = ("$", "*", "?", "[", "{{")  # the shell or a variable decides what the word becomes


def looks_like_script(name: str, head: bytes, executable: bool) -> bool:
    """Whether a file that a command names anywhere counts as a script and not as data."""
    dot = name.rfind(".")
    return executable or head.startswith(b"#!") or (dot >= 0 and name[dot:].lower() in SUFFIXES)


@lru_cache(maxsize=1024)  # a beat asks several times about each
def candidates_in(command: str, folder: str = "") -> tuple[Candidate, ...]:
    """Every file that the command may run, as seen from the folder in which it starts."""
    found: dict[str, bool] = {}
    as_windows_reads_it = command.replace("\\", "/")
    for text in dict.fromkeys((command, as_windows_reads_it)):
        simple = _commands(text)
        runs_unknown = any(map(_unresolved_in, simple)) or _runs_what_it_writes(simple)
        runs_any = runs_unknown or any(_runs_its_input(one.words) for one in simple)
        for start in _folders(simple, folder):
            for one in simple:
                for path, is_run in _paths_of(one, runs_unknown):
                    is_relative = start and not path.startswith(("/", "~"))
                    place = f"{start}/{path}" if is_relative else path
                    found[place] = found.get(place, False) or is_run or runs_any

    return tuple(Candidate(path, is_run) for path, is_run in found.items())


def unresolved(command: str) -> tuple[str, ...]:
    """The words that name what is run, or the folder that it is in, by a variable or a pattern."""
    return tuple({word: None for one in _commands(command) for word in _unresolved_in(one)})


def _unresolved_in(one: "_Simple") -> list[str]:
    # A script with a relative name is another one in another folder.
    return [word for word in (*_run_words(one), *_changed_to(one)) if _is_opaque(word)]


def _run_words(one: "_Simple") -> list[str]:
    """The words that name what is run: the command itself, and scripts."""
    name = next((index for index, word in enumerate(one.words) if word not in RUNNERS), 0)
    return [
        word for index, (word, is_run) in enumerate(_marked(one)) if is_run or index in (0, name)
    ]


def _runs_what_it_writes(simple: Sequence["_Simple"]) -> bool:
    """Whether something is run that a part of the line writes. What is in it then comes from the
    files that are read there."""
    written = {posixpath.normpath(path) for one in simple for path in _written_by(one)}
    if not written:
        return False

    run = {posixpath.normpath(path) for one in simple for path in _run_paths(one)}
    return not written.isdisjoint(run | set(map(_folder_of, run)))


def _run_paths(one: "_Simple") -> Iterator[str]:
    for word, is_run in _marked(one):
        if is_run:
            yield word

    yield from (word for word in _run_words(one) if "/" in word)
    if _runs_its_input(one.words):
        yield from one.inputs


def _written_by(one: "_Simple") -> list[str]:
    writer = next((word for word in one.words if _program(word) in WRITERS), None)
    if writer is None:
        return one.outputs

    operands = [word for word in one.words if word != writer and not word.startswith("-")]
    if _program(writer) == "tee":
        return [*one.outputs, *operands]

    # A folder may also be named first: `cp -t FOLDER FILE`.
    return [*one.outputs, *operands[-1:], *(operands[:1] if "-t" in one.words else ())]


def _folder_of(path: str) -> str:
    return posixpath.dirname(path) or "."


def _is_opaque(word: str) -> bool:
    bare = word.removeprefix("$PWD/").removeprefix("$HOME/")
    is_quoted_command = any(character in bare for character in " \t;|\n")
    if is_quoted_command or bare in ("$", "[", "[["):
        return False  # the words of a quoted command are checked by themselves

    return any(character in bare for character in _OPAQUE)


class _Simple(NamedTuple):
    """One command of a line."""

    words: list[str]
    inputs: list[str]  # files that are redirected into it
    outputs: list[str]  # and those that it is redirected to
    is_known: bool = True  # its name stands for the usual command


def _commands(text: str, depth: int = 0) -> list[_Simple]:
    found = _Splitter().split(text)
    is_known = not may_rename(text)
    found = [one._replace(is_known=is_known) for one in found]
    if depth < DEEPEST:
        for one in [*found]:
            for word in one.words:
                if any(character in word for character in " \t'\"" + _ENDS):
                    inner = _commands(word, depth + 1)
                    found += [one._replace(is_known=is_known and one.is_known) for one in inner]

    return found


class _Splitter:
    def __init__(self) -> None:
        self.found = [_Simple([], [], [])]
        self.word: list[str] | None = None
        self.redirection = ""

    def split(self, text: str) -> list[_Simple]:
        quote = ""
        characters = iter(text)
        for character in characters:
            if character == "\\" and quote != "'":
                self._add(next(characters, ""))
            elif quote:
                quote = "" if character == quote else quote
                self._add(character if quote else "")
            elif character in "'\"":
                quote = character
                self._add("")
            else:
                self._unquoted(character)

        self._end_word()
        return [one for one in self.found if one.words or one.inputs or one.outputs]

    def _unquoted(self, character: str) -> None:
        if character in "<>":
            self._end_word()
            self.redirection = character
        elif character in _ENDS:
            self._end_word()
            if not (self.redirection and character == "&"):  # 2>&1
                self.redirection = ""
                self.found.append(_Simple([], [], []))
        elif character.isspace():
            self._end_word()
        else:
            self._add(character)

    def _add(self, characters: str) -> None:
        if self.word is None:
            self.word = []
        self.word.append(characters)

    def _end_word(self) -> None:
        if self.word is None:
            return

        word = "".join(self.word)
        redirection = self.redirection
        self.word = None
        self.redirection = ""
        if not word:
            return

        command = self.found[-1]
        place = {"<": command.inputs, ">": command.outputs}
        place.get(redirection, command.words).append(word)


def _program(word: str) -> str:
    """The name of a program, without its folder and version."""
    name = word.rpartition("/")[2].lower().removesuffix(".exe")
    return name.rstrip("0123456789.") or name


def _marked(one: _Simple) -> Iterator[tuple[str, bool]]:
    """Each word, and whether it is in a place where its content is run."""
    waits_for_script = False
    takes_value = ""
    has_script_option = not (one.is_known and file_option_is_data(one.words))
    for index, word in enumerate(one.words):
        is_option = word.startswith(("-", "+"))
        is_script = waits_for_script and not is_option
        is_joined = has_script_option and word.startswith("-f")
        yield word, is_script or bool(takes_value) or is_joined

        names_script = has_script_option and word in FILE_OPTIONS
        if takes_value:
            takes_value = ""
        elif names_script or (waits_for_script and word in VALUE_OPTIONS):
            takes_value = word
        elif waits_for_script and not is_option:
            waits_for_script = False
        elif _program(word) in INTERPRETERS or (index == 0 and word == "."):
            waits_for_script = True


def _runs_its_input(words: list[str]) -> bool:
    """Whether there is an interpreter without a script, so that it runs its standard input."""
    for index, word in enumerate(words):
        if _program(word) in INTERPRETERS:
            return all(other.startswith("-") for other in words[index + 1 :])

    return False


def _paths_of(one: _Simple, runs_unknown: bool) -> Iterator[tuple[str, bool]]:
    before = ""
    is_data = one.is_known and names_only(one.words) and not runs_unknown
    looked_at = () if is_data else _marked(one)
    for word, is_run in looked_at:
        for path in _paths(word):
            yield path, is_run

        if before == "-m":
            module = word.replace(".", "/")
            yield f"{module}.py", True
            yield f"{module}/__main__.py", True

        for path in UNNAMED.get(_program(word), ()):
            yield path, True

        before = word

    for word in one.inputs:
        for path in _paths(word):
            yield path, False


def _paths(word: str) -> Iterator[str]:
    """The ways in which a word may name a file: as it is, after `=` or an option's letter, after
    a variable."""
    for text in (word, word.partition("=")[2], word[2:] if word.startswith("-") else ""):
        first, slash, rest = text.partition("/")
        if first in ("$HOME", "${HOME}"):
            yield f"~/{rest}"
        elif slash and ("$" in first or not first):
            yield rest.lstrip("/")

        if text and "$" not in first:
            yield text


def _folders(simple: list[_Simple], folder: str) -> list[str]:
    """Where the command's parts may start: its folder, and those that it changes to."""
    found = {folder.rstrip("/"): None}
    for one in simple:
        for word in _changed_to(one):
            is_relative = folder and not word.startswith(("/", "~"))
            inside = f"{folder.rstrip('/')}/{word}" if is_relative else word
            found[inside.rstrip("/") or "/"] = None

    return list(found)[:MOST_FOLDERS]


def _changed_to(one: _Simple) -> list[str]:
    """The folders that a command changes to."""
    return [
        word
        for before, word in zip(one.words, one.words[1:], strict=False)
        if before in ("cd", "pushd") or before in FOLDER_OPTIONS
    ]
