"""Commands of which it is known that they run none of the files that they name.

An option is read as the command reads it: `-f` of `awk` or `make` names a script, that of `rm` is a
switch and that of `tar` names data. For a command that is not listed here, what follows `-f` is
taken for a script: to ask once too often is better than once too rarely. Where it cannot be known
what a line runs, or where it runs what it writes itself, command_words.py counts every file.
"""

from collections.abc import Sequence

# They look at names only; what is in the files reaches nothing.
NAMES_ONLY = frozenset({"test", "[", "[[", "rm", "rmdir"})
# Their `-f` or `--file` is a switch, a number, or names data. What they copy or print may still
# reach something that runs, so that their other words are looked at as everywhere.
DATA_OPTIONS = NAMES_ONLY | frozenset(
    {
        *("cp", "mv", "ln", "touch", "chmod", "chown", "readlink", "realpath", "du", "df"),
        *("tar", "gzip", "gunzip", "bzip2", "bunzip2", "xz", "unxz", "zip", "unzip"),
        *("grep", "egrep", "fgrep", "cut", "tail", "sort", "uniq", "date"),
        *("ps", "pgrep", "pkill", "curl"),
    }
)
# Words of the shell before a command.
_BEFORE = ("!", "if", "elif", "else", "then", "while", "until", "do", "{", "time")
_FOLDERS = ("/bin/", "/usr/bin/")
# Where one of these is written, a name may stand for another command than the usual one.
_RENAMES = ("function", "alias", "PATH", "hash", "enable", "builtin")


def may_rename(text: str) -> bool:
    """Whether the line could give a command's name another meaning."""
    defines_function = "()" in "".join(text.replace("\\\n", "").split())
    return defines_function or any(word in text for word in _RENAMES)


def names_only(words: Sequence[str]) -> bool:
    """Whether the command looks at names and never at what is in a file."""
    return _command(words) in NAMES_ONLY


def file_option_is_data(words: Sequence[str]) -> bool:
    """Whether what follows the command's `-f` or `--file` is not a script."""
    return _command(words) in DATA_OPTIONS


def _command(words: Sequence[str]) -> str:
    first = next((word for word in words if word not in _BEFORE), "")
    for folder in _FOLDERS:
        first = first.removeprefix(folder)

    return first  # with any other folder before it, it is not the command of this name
