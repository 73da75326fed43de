"""What a command behind the walls can do, and each thing that it cannot, with its twin: the same
command without."""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from core.adapters.processes import posix
from core.adapters.waiting.cancellation import CancelSwitch
from core.model.process import OUTPUT_LIMIT, Ending, How
from tests.sandbox.ground import PRIVATE_KEY, Ground

ROOT = Path(__file__).resolve().parents[2]


def test_the_workspace_can_be_used_like_any_folder(ground: Ground) -> None:
    (ground.workspace / "notes.txt").write_text("old\n")
    (ground.workspace / "old.txt").write_text("old\n")
    line = (
        "set -e; echo new > new.txt; echo more >> notes.txt; sed -i s/old/OLD/ notes.txt; rm "
        "old.txt; mkdir -p a/b; "
        "echo x > a/b/c; echo y > sub/y; mv sub/y sub/z; cp new.txt sub/; cat notes.txt; pwd"
    )
    done = ground.inside(line)
    assert (done.ending.exit_code, done.kept_out) == (0, ())
    assert done.ending.output == f"OLD\nmore\n{ground.workspace}\n"
    found = {
        str(path.relative_to(ground.workspace))
        for path in ground.workspace.rglob("*")
        if path.is_file()
    }
    assert found == {"new.txt", "notes.txt", "a/b/c", "sub/z", "sub/new.txt"}


def test_exit_codes_and_signals_are_reported_as_by_a_shell(ground: Ground) -> None:
    assert ground.inside("exit 42").ending.exit_code == 42
    assert ground.inside("kill -9 $$").ending.exit_code == 128 + signal.SIGKILL
    assert ground.inside("nosuchcommand").ending.exit_code == 127


def test_it_starts_in_its_folder_with_its_variables_and_no_others(ground: Ground) -> None:
    command = replace(ground.command("pwd; env", MODE="a=b c\nd"), folder=ground.workspace / "sub")
    output = ground.sandbox.run(command, ground.reach()).ending.output
    assert output.startswith(f"{ground.workspace}/sub\n")
    assert "MODE=a=b c\nd\n" in output
    names = {line.partition("=")[0] for line in output.splitlines() if "=" in line}
    assert names <= {
        "PATH",
        "HOME",
        "TMPDIR",
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        "MODE",
        "LANG",
        "LANGUAGE",
        "TZ",
        "LC_ALL",
    }


def test_a_variable_cannot_become_an_option_of_the_sandbox(ground: Ground) -> None:
    command = ground.command(
        f"cat {ground.home}/.ssh/id_ed25519", EVIL=f"x\0--bind\0{ground.home}\0{ground.home}"
    )
    done = ground.sandbox.run(command, ground.reach())
    assert done.ending.how is How.COULD_NOT_START
    assert "NUL" in done.ending.output


def test_its_folder_cannot_become_an_option_of_the_sandbox(ground: Ground) -> None:
    folder = Path(f"{ground.workspace}\0--bind\0{ground.home}\0{ground.home}")
    done = ground.sandbox.run(
        replace(ground.command("echo started"), folder=folder), ground.reach()
    )
    assert done.ending.how is How.COULD_NOT_START
    assert "NUL" in done.ending.output


def test_it_holds_no_descriptor_but_its_own_three(ground: Ground) -> None:
    assert ground.inside(
        "cd /proc/self/fd; for n in *; do [ -e $n ] && echo $n; done"
    ).ending.output.split() == [
        *("0", "1", "2"),
    ]
    for domains in ((), ("example.com",)):
        reach = ground.reach(domains=domains)
        output = ground.inside("ls -l /proc/$$/fd", reach).ending.output
        assert "socket:" not in output
        assert "memfd" not in output


def test_folders_that_were_granted_are_there_as_granted(ground: Ground, tmp_path: Path) -> None:
    data, out = tmp_path / "data", tmp_path / "out"
    for folder in (data, out):
        folder.mkdir()
    (data / "in.txt").write_text("in\n")
    reach = ground.reach(readable=(data,), writable=(out,))
    done = ground.inside(
        f"cat {data}/in.txt > {out}/copy.txt; echo x > {data}/no.txt; ls {tmp_path}", reach
    )
    assert (out / "copy.txt").read_text() == "in\n"
    assert not (data / "no.txt").exists()
    assert done.ending.output.split()[-3:] == ["data", "home", "out"]


def test_a_workspace_that_was_not_granted_is_only_read(ground: Ground) -> None:
    (ground.workspace / "notes.txt").write_text("mine\n")
    reach = replace(ground.reach(), workspace_writable=False)
    done = ground.inside(
        "cat notes.txt; echo x > new.txt; echo x >> notes.txt; echo x > sub/x", reach
    )
    assert done.ending.output.startswith("mine\n")
    assert (ground.workspace / "notes.txt").read_text() == "mine\n"
    assert {path.name for path in ground.workspace.iterdir()} == {"notes.txt", "sub"}


Attack = tuple[str, Callable[[Ground, Ending], bool]]


def shows(words: str) -> Callable[[Ground, Ending], bool]:
    return lambda _, ending: words in ending.output


def makes(path: str) -> Callable[[Ground, Ending], bool]:
    return lambda ground, _: (ground.home.parent / path).exists()


def changes(path: str, before: str) -> Callable[[Ground, Ending], bool]:
    def changed(ground: Ground, _: Ending) -> bool:
        file = ground.home.parent / path
        return not file.exists() or file.read_text() != before

    return changed


LEDGER, APPROVALS = (
    "home/.local/state/heartbeat/ledger.db",
    "home/.local/state/heartbeat/approvals.json",
)
ATTACKS: dict[str, Attack] = {
    "read the ssh key": ("cat {home}/.ssh/id_ed25519", shows(PRIVATE_KEY)),
    "read the ssh key from the folder above": ("cat ../.ssh/id_ed25519", shows(PRIVATE_KEY)),
    "read the ssh key by a link": (
        "ln -s {home}/.ssh keys; cat keys/id_ed25519",
        shows(PRIVATE_KEY),
    ),
    "read the ssh key by another process": (
        "cat /proc/*/root{home}/.ssh/id_ed25519",
        shows(PRIVATE_KEY),
    ),
    "read the ssh key by another folder": (
        "cat /proc/*/cwd/../.ssh/id_ed25519",
        shows(PRIVATE_KEY),
    ),
    "list the home": ("ls -A {home}", shows(".ssh")),
    "read the ledger": ("cat {state}/ledger.db", shows("the ledger")),
    "read the settings": ("cat {config}/config.toml", shows("approval")),
    "write next to the workspace": ("echo x > ../evil.txt", makes("home/evil.txt")),
    "write next to the workspace by a link": (
        "ln -s {home} up; echo x > up/evil.txt",
        makes("home/evil.txt"),
    ),
    "write into the home": ("echo x > {home}/evil.txt", makes("home/evil.txt")),
    "change the ledger": ("echo x >> {state}/ledger.db", changes(LEDGER, "the ledger\n")),
    "replace the ledger": (
        "echo x > n; mv -f n {state}/ledger.db",
        changes(LEDGER, "the ledger\n"),
    ),
    "change the approvals": (
        "echo x > {state}/approvals.json",
        changes(APPROVALS, "the approvals\n"),
    ),
    "remove the approvals": ("rm -f {state}/approvals.json", changes(APPROVALS, "the approvals\n")),
    "make a state that is not there yet": (
        "mkdir -p {state}/new; echo x > {state}/new/a",
        makes("home/.local/state/heartbeat/new/a"),
    ),
    "see the system's processes": ("ls /proc | grep -cx {victim}", shows("1")),
    "end a process of the system": ("kill {victim} && echo done", shows("done")),
}


@contextmanager
def victim() -> Iterator[int]:
    process = subprocess.Popen(["sleep", "300"])
    try:
        yield process.pid
    finally:
        process.kill()
        process.wait()


@pytest.mark.parametrize("name", ATTACKS)
def test_an_attack_fails_inside(ground: Ground, name: str) -> None:
    line, worked = ATTACKS[name]
    with victim() as pid:
        line = line.format(home=ground.home, state=ground.state, config=ground.config, victim=pid)
        assert not worked(ground, ground.inside(line).ending)


@pytest.mark.parametrize("name", ATTACKS)
def test_the_same_attack_works_without_walls(ground: Ground, name: str) -> None:
    line, worked = ATTACKS[name]
    with victim() as pid:
        line = line.format(home=ground.home, state=ground.state, config=ground.config, victim=pid)
        assert worked(ground, ground.bare(line))


def test_the_state_stays_hidden_in_a_folder_that_was_granted(ground: Ground) -> None:
    reach = ground.reach(readable=(ground.home,))
    output = ground.inside(
        f"cat {ground.home}/.ssh/id_ed25519 {ground.state}/ledger.db; ls -A {ground.state}", reach
    )
    assert PRIVATE_KEY in output.ending.output
    assert "the ledger" not in output.ending.output
    assert "approvals.json" not in output.ending.output


def test_the_state_stays_hidden_in_the_workspace_itself(ground: Ground) -> None:
    ground.workspace = ground.home  # as a person may want
    done = ground.inside(
        "cat .local/state/heartbeat/ledger.db; rm -rf .local .config; mv .local x; echo n > new.txt"
    )
    assert "the ledger" not in done.ending.output
    assert (ground.state / "ledger.db").read_text() == "the ledger\n"
    assert (ground.config / "config.toml").exists()
    assert (ground.home / "new.txt").exists()


@pytest.mark.parametrize("kind", ["readable", "writable"])
def test_a_folder_that_leads_to_the_state_is_not_opened(
    ground: Ground, tmp_path: Path, kind: str
) -> None:
    (tmp_path / "door").symlink_to(ground.state)
    done = ground.inside("echo started", ground.reach(**{kind: (tmp_path / "door",)}))
    assert done.ending.how is How.COULD_NOT_START
    assert "cannot be opened" in done.ending.output


def test_no_variable_of_the_program_gets_in_and_without_walls_it_would(
    ground: Ground, tmp_path: Path
) -> None:
    """Not even by way of /proc, where bubblewrap's own could be read."""
    line = "cat /proc/[0-9]*/environ | tr '\\0' '\\n' | grep -c sk-very-secret"
    found = {}
    for how in ("inside", "bare"):
        done = subprocess.run(
            [
                sys.executable,
                "-m",
                "tests.sandbox.program",
                how,
                str(ground.workspace),
                str(tmp_path / "s"),
                line,
            ],
            env={**os.environ, "ANTHROPIC_API_KEY": "sk-very-secret"},
            cwd=ROOT,
            capture_output=True,
            text=True,
            check=True,
        )
        found[how] = int(done.stdout.split()[-1])
    assert found["inside"] == 0
    assert found["bare"] > 0


@pytest.mark.parametrize(
    "line",
    [
        "unshare --user true",
        "unshare --mount true",
        "mount -t tmpfs none /tmp",
        "mount -o remount,rw,bind /usr",
        "umount /usr",
        "chroot / true",
        "mknod /tmp/disk b 8 0",
        "echo x > /usr/evil",
        "echo x > /etc/evil",
        "echo x > /evil",
        "echo 1 > /proc/sys/kernel/sysrq",
        "cat /etc/shadow",
        "ls /root/.",
        "ls /sys/kernel",
    ],
)
def test_the_system_cannot_be_touched(ground: Ground, line: str) -> None:
    assert ground.inside(line).ending.exit_code not in (0, None)


@pytest.mark.parametrize("line", ["unshare --user true", "ls /sys/kernel"])
def test_without_walls_the_harmless_ones_of_these_work(ground: Ground, line: str) -> None:
    assert ground.bare(line).exit_code == 0


def test_it_ends_at_its_timeout_with_all_that_it_started(
    ground: Ground, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(posix, "GRACE", 0.5)  # it would be used up: the command does not listen
    assert ground.sandbox.state().works
    mark = f"3{os.getpid()}"
    line = (
        f"trap '' TERM; setsid sleep {mark} & (setsid sleep {mark} &) ; echo so far; while :; "
        f"do sleep {mark}; done"
    )
    started = time.monotonic()
    done = ground.sandbox.run(ground.command(line, seconds=10), ground.reach())
    assert done.ending.how is How.TIMED_OUT
    assert done.ending.output == "so far\n"
    assert time.monotonic() - started < 10 + 5
    assert not running(mark)


def test_what_it_left_in_the_background_ends_with_it(ground: Ground) -> None:
    mark = f"4{os.getpid()}"
    done = ground.inside(f"setsid sleep {mark} > /dev/null 2>&1 & nohup sleep {mark} & echo left")
    assert (done.ending.how, done.ending.exit_code) == (How.EXITED, 0)
    assert not running(mark)


def test_it_ends_when_it_is_cancelled(ground: Ground) -> None:
    cancelled = CancelSwitch()
    timer = threading.Timer(0.3, cancelled.set)
    timer.start()
    done = ground.sandbox.run(ground.command("sleep 300", seconds=60), ground.reach(), cancelled)
    timer.join()
    assert done.ending.how is How.CANCELLED
    assert done.ending.duration < timedelta(seconds=10)
    cancelled.close()


def test_what_it_prints_is_limited(ground: Ground) -> None:
    done = ground.inside("head -c 50000000 /dev/zero | tr '\\0' a; echo; echo the end")
    assert "bytes left out" in done.ending.output
    assert len(done.ending.output) <= OUTPUT_LIMIT
    assert done.ending.last_line == "the end"


def test_its_scratch_folders_are_limited(ground: Ground) -> None:
    done = ground.inside(
        "head -c 400000000 /dev/zero > /tmp/x; head -c 400000000 /dev/zero > /dev/shm/x; du -m "
        "/tmp/x"
    )
    assert "No space left" in done.ending.output
    assert int(done.ending.last_line.split()[0]) <= 256


def test_it_dies_with_the_program(ground: Ground, tmp_path: Path) -> None:
    mark = f"5{os.getpid()}"
    program = subprocess.Popen(
        [
            *(
                sys.executable,
                "-m",
                "tests.sandbox.program",
                "inside",
                str(ground.workspace),
                str(tmp_path / "s"),
            ),
            f"touch sub/started; sleep {mark}",
        ],
        cwd=ROOT,
    )
    wait_until((ground.workspace / "sub" / "started").exists)
    program.kill()
    program.wait()
    wait_until(lambda: not running(mark))
    assert ground.inside("true").ending.exit_code == 0


def running(mark: str) -> bool:
    """Whether a process with this word lives."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark.encode() in (folder / "cmdline").read_bytes().split(b"\0"):
                return True
        except (FileNotFoundError, ProcessLookupError):
            continue
    return False


def wait_until(condition: Callable[[], bool], seconds: float = 15) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline
        time.sleep(0.02)
