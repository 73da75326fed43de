"""Whether what was measured may come from what the model itself wrote."""

import pytest

from core.model.evidence import Act, Named, Surroundings, Touched
from core.model.file_work import MOST_COMPARED
from core.rules.checking.sources import may_be_own_words

FILES = frozenset({"inbox.txt", "notes.md", "count.sh", "letters/1.txt", "LOG"})
WROTE_NOTES = Act("write_file", touched=Touched(False, ("notes.md",), ("notes.md",)))
READ = Act("read_file", touched=Touched(True, ("inbox.txt",), ()))
COMMAND = Act("run_command", touched=Touched(True, (), None))


def labelled(
    line: str,
    *acts: Act,
    changed: tuple[str, ...] = (),
    compared: frozenset[str] = FILES,
    json: str = "",
) -> bool:
    paths = (json,) if json else ()
    named = Named(paths, paths, (line,) if line else ())
    return may_be_own_words(acts, Surroundings(named, changed=changed, compared=compared))


@pytest.mark.parametrize(
    "line",
    [
        "grep -c x inbox.txt",
        "grep -cE 'new|unread' inbox.txt",
        "wc -l < inbox.txt",
        "cat inbox.txt | wc -l",
        "cat LOG",
        "sed 's/a/b/g' inbox.txt 2>/dev/null | sort | uniq | wc -l",
        "ls letters | wc -l",
        "find letters -name '*.txt' | wc -l",
        "notmuch count tag:unread and from:ann@example.com",
        "timeout 5 notmuch count | grep -c x",
        "curl -s http://localhost:8080/count",
        "date +%s",
        "test 3 -gt 2",
        "ls ~/Mail /var/mail | wc -l",
        "jq .count.all inbox.txt",
    ],
)
def test_a_check_that_says_where_it_looks_is_not_suspected(line: str) -> None:
    assert not labelled(line, WROTE_NOTES)
    assert not labelled(line, COMMAND, changed=("notes.md",))


@pytest.mark.parametrize(
    "line",
    [
        "sh count.sh",
        "./count.sh",
        "bin/count",
        "python3 -c 'print(9)'",
        "ls | wc -l",
        "ls -A . | wc -l",
        "find -newer inbox.txt",
        "cd letters && ls | wc -l",
        "du -s",
        "git status --short | wc -l",
        "make -s count",
        "grep -rc x",
        "cat $FILE",
        "cat node_modules/count.txt",
        "test $(ls | wc -l) -gt 3",
        'test "$(ls | wc -l)" -gt 3',
        "LANG=C timeout 5 ls 2>/dev/null | wc -l",
        "cat 'inbox.txt",
    ],
)
def test_a_check_that_may_look_anywhere_is_suspected_once_the_model_wrote(line: str) -> None:
    assert labelled(line, WROTE_NOTES)
    assert labelled(line, COMMAND)
    assert not labelled(line, READ)
    assert not labelled(line)


def test_what_nobody_compared_is_suspected() -> None:
    assert labelled("", COMMAND, json="node_modules/v.json")
    assert not labelled("", COMMAND, json="inbox.txt")
    assert labelled("", COMMAND, json="inbox.txt", changed=("inbox.txt",))
    assert not labelled("", READ, json="node_modules/v.json")


def test_where_there_are_too_many_files_a_folder_is_not_known() -> None:
    many = FILES | {f"letters/{number}" for number in range(MOST_COMPARED)}
    assert labelled("ls letters | wc -l", COMMAND, compared=many)
    assert labelled("cat *.txt", COMMAND, compared=many)
    assert not labelled("grep -c x inbox.txt", COMMAND, compared=many)
    assert not labelled("ls letters | wc -l", WROTE_NOTES, compared=many)
