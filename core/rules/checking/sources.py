"""Whether what was measured may come from what the model itself wrote. Pure.

Law: where that is not known for certain, it may. It is known for a check that names the files
that it looks at, and for an installed program that names none (`notmuch count`): that one counts
as looking elsewhere. It is not known for a script, for a program that looks around by itself (`ls`,
`git`), and for a file that nobody compared. A model that wrote nothing is never suspected.
"""

import shlex
from collections.abc import Collection, Iterator, Sequence
from posixpath import basename

from core.model.evidence import Act, Surroundings
from core.model.file_work import MOST_COMPARED
from core.model.light_dataclass import light_dataclass
from core.rules.approving.command_words import INTERPRETERS
from core.rules.checking.touching import (
    cleaned,
    is_measured_from,
    is_pattern,
    looks_like_file,
    with_folders,
    written_by,
)

OPERATORS = frozenset("();<>|&")
BEFORE_A_PROGRAM = frozenset(
    {"!", "command", "env", "exec", "if", "nice", "sudo", "then", "time", "timeout", "while"}
)
LISTS = frozenset({"dir", "du", "fd", "find", "ls", "tree"})
READS = frozenset(
    {"ag", "awk", "cat", "cut", "egrep", "fgrep", "gawk", "grep", "head", "jq", "md5sum", "rg"}
    | {"sed", "sha256sum", "sort", "tac", "tail", "tr", "uniq", "wc"}
)
# Their first operand is what they look for or do, not a file.
HAS_A_PATTERN = frozenset({"ag", "awk", "egrep", "fgrep", "gawk", "grep", "jq", "rg", "sed", "tr"})
# These run something, or look at a whole folder, that no word of them names.
LOOKS_AROUND = INTERPRETERS | frozenset(
    {".", "cargo", "eval", "git", "go", "gradle", "hg", "just", "make", "mvn", "npm", "npx"}
    | {"parallel", "pnpm", "pytest", "source", "svn", "tox", "xargs", "yarn"}
)
ELSEWHERE = ("/", "~", "$HOME/")


def may_be_own_words(acts: Sequence[Act], around: Surroundings) -> bool:
    """Whether the measured values may come from what these calls wrote."""
    writes = [act.touched.writes for act in acts if act.touched.writes != ()]
    if not writes:
        return False
    if is_measured_from(around.named, written_by(acts, around.changed)):
        return True

    seen = _Seen.of(around, anything_written=None in writes)
    named = around.named
    return not (
        all(seen.has(source) for source in named.sources)
        and all(_is_known(line, seen) for line in named.commands)
    )


@light_dataclass(frozen=True, slots=True)
class _Seen:
    """The files of which it is known whether they have changed."""

    files: frozenset[str] | None  # None: all that there are
    folders: frozenset[str]
    has_all_of_folders: bool

    @staticmethod
    def of(around: Surroundings, *, anything_written: bool) -> "_Seen":
        """`anything_written`: a command or a tool server may have written any file."""
        compared = around.compared
        if compared is None:
            return _Seen(None, frozenset(), has_all_of_folders=True)

        is_cut = len(compared) >= MOST_COMPARED
        folders = with_folders(compared) - compared
        return _Seen(compared, folders, not (is_cut and anything_written))

    def has(self, path: str) -> bool:
        return self.files is None or cleaned(path) in self.files

    @property
    def names(self) -> Collection[str]:
        return self.folders | (self.files or frozenset())

    def has_all_of(self, word: str) -> bool:
        """The same for a word that may be a pattern, a folder, or a file elsewhere."""
        if word.startswith(ELSEWHERE):
            return True
        if cleaned(word) in (".", "..") or "$" in word:
            return False

        if is_pattern(word) or cleaned(word) in self.folders:
            return self.has_all_of_folders

        return self.has(word)


# -- what a command looks at -----------------------------------------------------------------------


def _is_known(line: str, seen: _Seen) -> bool:
    """Whether the words of the line say all that it looks at in the workspace."""
    try:
        return all(_is_step_known(words, piped, seen) for words, piped in _steps(line))
    except ValueError:  # a quote without its end
        return False


def _steps(line: str) -> Iterator[tuple[list[str], bool]]:
    """The simple commands of a line, each with whether it gets the output of the one before."""
    words: list[str] = []
    piped = False
    is_output = False  # the next word is a file that is written
    for token in _tokens(line):
        if not OPERATORS.issuperset(token):
            words += [] if is_output else [token]
            is_output = False
        elif ">" in token:
            is_output = True
        elif "<" not in token:
            yield words, piped
            words, piped = [], token in ("|", "|&")

    yield words, piped


def _tokens(line: str) -> Iterator[str]:
    """Also those of commands within quotes."""
    reader = shlex.shlex(line, posix=True, punctuation_chars=True)
    reader.whitespace_split = True
    reader.commenters = ""
    for token in reader:
        if "$(" in token or "`" in token:
            inner = token.replace("$(", " ; ").replace(")", " ; ").replace("`", " ; ")
            yield from (";", *inner.split(), ";")
        else:
            yield token


def _is_step_known(words: list[str], piped: bool, seen: _Seen) -> bool:
    words = _from_program(words)
    if not words:
        return True

    program = basename(words[0]).rstrip("0123456789.") or words[0]
    is_own_script = "/" in words[0] and not words[0].startswith(ELSEWHERE)
    if program in LOOKS_AROUND or is_own_script:
        return False
    if program not in LISTS | READS:
        return True  # an installed program

    files = _files(program, words[1:], seen)
    if not files:
        return piped and program in READS

    return all(seen.has_all_of(one) for one in files)


def _from_program(words: list[str]) -> list[str]:
    """Without what stands before the program: `timeout 5`, `NAME=value`."""
    index = 0
    while index < len(words):
        word = words[index]
        is_setting = "=" in word and word.partition("=")[0].isidentifier()
        is_option = index > 0 and (word.startswith("-") or word[0].isdigit())
        if not (word in BEFORE_A_PROGRAM or is_setting or is_option):
            break

        index += 1

    return words[index:]


def _files(program: str, words: list[str], seen: _Seen) -> list[str]:
    """The words that name what the program looks at."""
    if program == "find":  # what follows the folder is what it looks for
        return [one for one in words[:1] if not one.startswith("-")]

    operands = [one for one in words if not one.startswith("-")]
    if program in HAS_A_PATTERN:
        operands = operands[1:]

    return [one for one in operands if _is_file(one, seen)]


def _is_file(word: str, seen: _Seen) -> bool:
    if word.startswith(ELSEWHERE) or is_pattern(word) or cleaned(word) in (".", ".."):
        return True

    return "$" in word or looks_like_file(word, seen.names)
