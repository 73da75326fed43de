"""Which words of a command may name a file that it runs: those that a shell would run, never
fewer."""

import pytest

from core.rules.approving.command_words import candidates_in, looks_like_script, unresolved
from tests.growth import LINEAR, growth


def run_by(command: str, folder: str = "") -> set[str]:
    """What counts as a script whatever it looks like."""
    return {one.path.replace("/./", "/") for one in candidates_in(command, folder) if one.is_run}


def named_by(command: str, folder: str = "") -> set[str]:
    """What counts where it looks like a script."""
    return {one.path.replace("/./", "/") for one in candidates_in(command, folder)}


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("sh go data.csv", "go"),
        ("/bin/bash -eu go", "go"),
        ("bash -o pipefail go", "go"),
        ("python3.11 -W ignore go", "go"),
        ("env A=1 timeout 5 sh go", "go"),
        ("nohup sh 'my go' &", "my go"),
        ("sh my\\ go", "my go"),
        ("sh -c 'cd x; sh go'", "go"),
        ("sh -c \"sh -c 'sh go'\"", "go"),
        ("true && sh go || false", "go"),
        ("true; . ./go", "./go"),
        ("source go", "go"),
        ("sh < go", "go"),
        ("cat go | sh", "go"),
        ("cat go | python3 -", "go"),
        ('echo "$(sh go)"', "go"),
        ("echo `sh go`", "go"),
        ("(sh go)", "go"),
        ("x=go; sh $x", "go"),
        ("for f in go stop; do sh $f; done", "go"),
        ("$SHELL go", "go"),
        ("python -m jobs.nightly", "jobs/nightly.py"),
        ("python -m jobs", "jobs/__main__.py"),
        ("awk -f go data", "go"),
        ("make backup", "Makefile"),
        ("npm run build", "package.json"),
        ("make -C sub", "sub/Makefile"),
        ("cd sub && sh go", "sub/go"),
        ("node --require ./hook.txt app", "./hook.txt"),
        ("sh go\nsh on", "on"),
    ],
)
def test_what_is_written_where_a_script_is_run_is_a_script_whatever_it_looks_like(
    command: str, script: str
) -> None:
    assert script in run_by(command)


@pytest.mark.parametrize(
    ("command", "file"),
    [
        ("./run.sh a b", "./run.sh"),
        ('"$PWD/run.sh"', "run.sh"),
        ("${DIR}/run.sh", "run.sh"),
        ("$(pwd)/run.sh", "run.sh"),
        ("$HOME/work/run.sh", "~/work/run.sh"),
        ("tool --hook=run.sh", "run.sh"),
        ("tool -xrun.sh", "run.sh"),
        ("nice ./run.sh > out.txt 2>&1", "./run.sh"),
        ("scripts\\run.bat", "scripts/run.bat"),
        ("/work/space/run.sh", "/work/space/run.sh"),
    ],
)
def test_every_other_word_is_looked_at(command: str, file: str) -> None:
    assert file in named_by(command)


def test_a_relative_word_is_seen_from_the_folder_in_which_the_command_starts() -> None:
    assert "jobs/go" in run_by("sh go", "jobs")
    assert "jobs/go" in run_by("sh go", "jobs/")
    assert "jobs/deep/go" in run_by("cd deep; sh go", "jobs")
    assert "/elsewhere/go" in run_by("cd /elsewhere; sh go", "jobs")


@pytest.mark.parametrize(
    ("command", "data"),
    [
        ("ls -1 > files.txt", "files.txt"),
        ("ls -1 >> files.txt", "files.txt"),
        ("python tool.py data.csv", "data.csv"),
        ("wc -l < data.csv", "data.csv"),
        ("awk '{ print }' data.csv", "data.csv"),
        ("[ -e data.csv ] && echo yes", "data.csv"),
        ("sed -n 1p data.csv", "data.csv"),
    ],
)
def test_data_is_not_a_script(command: str, data: str) -> None:
    """A command whose own output or input would count had to be approved again after each run."""
    assert data not in run_by(command)


@pytest.mark.parametrize(
    ("name", "head", "executable", "expected"),
    [
        ("run", b"#!/bin/sh", False, True),
        ("run", b"echo", True, True),
        ("run.PY", b"import os", False, True),
        ("data.csv", b"a;b", False, False),
        ("notes", b"", False, False),
    ],
)
def test_what_looks_like_a_script(name: str, head: bytes, executable: bool, expected: bool) -> None:
    assert looks_like_script(name, head, executable) is expected


@pytest.mark.parametrize(
    ("command", "words"),
    [
        ("$x", ("$x",)),
        ("sh $f", ("$f",)),
        ("sh jobs/*.sh", ("jobs/*.sh",)),
        ("python {{date}}.py", ("{{date}}.py",)),
        ("cd {{date}} && ./run.sh", ("{{date}}",)),
        ("make -C $where", ("$where",)),
        ('cd "$HOME/jobs" && ./run.sh', ()),
        ("[ -e x ] && ./run.sh", ()),
        ('"$PWD/run.sh" "$HOME"', ()),
        ("echo $x", ()),
        ("test -f x && exec $_", ("$_",)),
        ("eval $x", ("$x",)),
        ("exec 2>&1; nohup ./run.sh", ()),
    ],
)
def test_what_only_the_shell_knows_is_said(command: str, words: tuple[str, ...]) -> None:
    assert unresolved(command) == words


# -- options, as each command reads them -----------------------------------------------------------


@pytest.mark.parametrize(
    "command",
    [
        "test -f x.sh",
        "[ -f x.sh ]",
        "[[ -f x.sh ]]",
        "! test -f x.sh",
        "if [ -f x.sh ]; then echo yes; fi",
        "rm -f x.sh",
        "/bin/rm -f x.sh",
        "rm -rf x.sh && echo gone",
        "sh -c 'test -f x.sh'",
    ],
)
def test_a_command_that_looks_at_names_alone_names_no_script(command: str) -> None:
    assert "x.sh" not in named_by(command)


@pytest.mark.parametrize(
    "command",
    [
        "cp -f x y",
        "mv -f x y",
        "tar -cf x y",
        "tar -f x -t",
        "tar --file x -t",
        "grep -f x y",
        "grep --file x y",
        "tail -f x",
        "cut -f 1 x",
        "ln -sf x y",
        "curl -f https://x.org",
        "rm -f $x",
    ],
)
def test_the_option_f_of_these_commands_names_no_script(command: str) -> None:
    assert run_by(command) == set()
    assert unresolved(command) == ()


@pytest.mark.parametrize(
    ("command", "script"),
    [
        ("awk -f x data", "x"),
        ("sed -f x data", "x"),
        ("make -f x", "x"),
        ("gnuplot -f x", "x"),
        ("unknown -f x", "x"),
        ("unknown -fx", "x"),
        ("psql --file x", "x"),
        ("./rm -f x", "x"),
        ("jobs/test -f x", "x"),
        ("env A=1 unknown -f x", "x"),
        ("test -f x && sh x", "x"),
        ("[ -f x ] && . x", "x"),
        ("cat x | grep -f y | sh", "x"),
        ("test() { sh $2; }; test -f x", "x"),
        ("alias rm=sh; rm -f x", "x"),
        ("PATH=.:$PATH; rm -f x", "x"),
        ('sh -c "rm() { sh x; }; rm -f x"', "x"),
        ("test  (  ) { sh $2; }; test -f x", "x"),
        ("test (  ) { sh go; }; test -f x", "x"),
        ("test(\t) { sh go; }; test -f x", "x"),
        ("test(\\\n) { sh go; }; test -f x", "x"),
    ],
)
def test_the_option_of_any_other_command_names_a_script(command: str, script: str) -> None:
    assert script in run_by(command)


@pytest.mark.parametrize("command", ["cp -f new.sh run.sh && ./run.sh", "tar -cf x.tar new.sh"])
def test_what_is_copied_is_still_looked_at(command: str) -> None:
    """A script that is put in the place of another one would else run without an approval."""
    assert "new.sh" in named_by(command)


@pytest.mark.parametrize(
    "command",
    [
        "test -f job && sh jo?",
        "[ -f job ] && ./jo*",
        "test -f job && sh $_",
        "test -f job && . $_",
        "test -f job && exec $_",
        "rm -f job.old; test -f job && $RUN",
        "cp -f job /tmp/x && sh /tmp/x",
        "cp job ./x && sh x",
        "cp job /tmp && sh /tmp/job",
        "cp -t /tmp job && sh /tmp/job",
        "cp job . && ./job.new",
        "mv -f job x; . ./x",
        "ln -sf job x; ./x",
        "install -m 700 job x && ./x now",
        "/bin/cp -f job x && nohup ./x",
        "tee x < job; sh x",
        "cat job | tee -a y x >log; sh x",
        "grep -f job data > x; sh x",
        "cut -f1 job>x; sh<x",
        "sh -c 'cp -f job x; sh x'",
    ],
)
def test_where_it_cannot_be_known_what_is_run_every_file_counts(command: str) -> None:
    assert "job" in run_by(command)


@pytest.mark.parametrize(
    "command",
    [
        "test -f job && sh go",
        "test -f job && sh go > log",
        "cp -f job backup && sh go",
        "sh go > job",
        "tee log < job; sh go",
        "rm -f job; make > log",
        "test -f job && echo $HOME",
    ],
)
def test_what_is_written_and_not_run_is_no_script(command: str) -> None:
    """The twin: `job` is data where it is known what is run."""
    assert "job" not in run_by(command)


@pytest.mark.parametrize("part", ["cp a b; sh b; ", "cat a > b; sh b; ", "exec ", "a/", "> x "])
def test_a_long_line_takes_time_in_proportion(part: str) -> None:
    def read(length: int) -> None:
        candidates_in.cache_clear()
        candidates_in(part * length)

    assert growth(read, 4000) < LINEAR
