"""The key ring over a real session bus: two walls protect it, and each alone is enough.

The bus's socket does not exist inside; and where it does (here: a workspace that the socket lies
in), no unix socket can be made to connect to it. With neither wall a command without home,
network and variables reads the key.
"""

import struct
import subprocess
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from core.adapters.sandbox import bubblewrap as sandbox
from tests.desktop.desktop import Desktop, wait_for
from tests.sandbox.ground import Ground

KEY = "sk-from-the-keyring"
ALLOW_ALL = struct.pack("<HBBI", 0x06, 0, 0, 0x7FFF0000)


@pytest.fixture(scope="module")
def desktop() -> Iterator[Desktop]:
    with tempfile.TemporaryDirectory(
        prefix="heartbeat-"
    ) as folder:  # a short path: the bus's socket lies in it
        desktop = Desktop(Path(folder))
        try:
            desktop.start_bus()
            daemon = ("gnome-keyring-daemon", "--foreground", "--unlock", "--components=secrets")
            keyring = desktop.run(*daemon, stdin=subprocess.PIPE)
            assert keyring.stdin
            keyring.stdin.write(b"test")
            keyring.stdin.close()
            wait_for(lambda: desktop.has_owner("org.freedesktop.secrets"), "the key ring")
            store = [
                "secret-tool",
                "store",
                "--label=Heartbeat",
                "service",
                "heartbeat",
                "username",
                "anthropic",
            ]
            subprocess.run(store, input=KEY.encode(), env=desktop.environment, check=True)
            yield desktop
        finally:
            desktop.stop()


def attack(desktop: Desktop) -> str:
    """It knows where the bus is: addresses are no secret."""
    address = desktop.environment["DBUS_SESSION_BUS_ADDRESS"]
    return f"DBUS_SESSION_BUS_ADDRESS={address} timeout 10 secret-tool lookup service heartbeat"


def test_a_bare_command_reads_the_key(ground: Ground, desktop: Desktop) -> None:
    assert ground.bare(attack(desktop)).output == KEY


def test_a_sandboxed_command_cannot_read_the_key(ground: Ground, desktop: Desktop) -> None:
    done = ground.inside(attack(desktop)).ending
    assert done.exit_code != 0
    assert KEY not in done.output


def test_the_bus_is_not_there_even_without_the_filter(
    ground: Ground, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "seccomp_filter", lambda _: ALLOW_ALL)
    assert KEY not in ground.inside(attack(desktop)).ending.output


def test_the_filter_holds_even_where_the_bus_is_there(ground: Ground, desktop: Desktop) -> None:
    ground.workspace = desktop.folder
    done = ground.inside(f"test -S runtime_dir/bus && echo seen; {attack(desktop)}").ending
    assert done.output.startswith("seen\n")
    assert done.exit_code != 0
    assert KEY not in done.output


def test_with_neither_of_them_it_would_read_the_key(
    ground: Ground, desktop: Desktop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sandbox, "seccomp_filter", lambda _: ALLOW_ALL)
    ground.workspace = desktop.folder
    assert KEY in ground.inside(attack(desktop)).ending.output


SOCKETS = """
import ctypes, os, socket
def tried(call):
    try:
        call()
    except OSError as error:
        return error.strerror
    return "made"
library = ctypes.CDLL(None, use_errno=True)
def uring():
    if library.syscall(425, 8, ctypes.create_string_buffer(256)) < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
print("unix", tried(lambda: socket.socket(socket.AF_UNIX)))
print("pair", tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_STREAM)))
print("turning pair", tried(lambda: socket.socketpair(socket.AF_UNIX, socket.SOCK_DGRAM)))
print("internet", tried(lambda: socket.socket(socket.AF_INET)))
print("packets", tried(lambda: socket.socket(socket.AF_PACKET, socket.SOCK_RAW)))
print("uring", tried(uring))
"""


def test_the_kernel_obeys_the_filter(ground: Ground, monkeypatch: pytest.MonkeyPatch) -> None:
    (ground.workspace / "sockets.py").write_text(SOCKETS)
    refused, missing = "Operation not permitted", "Function not implemented"
    assert ground.inside("/usr/bin/python3 sockets.py").ending.output.splitlines() == [
        f"unix {refused}",
        "pair made",
        f"turning pair {refused}",
        "internet made",
        f"packets {refused}",
        f"uring {missing}",
    ]
    monkeypatch.setattr(sandbox, "seccomp_filter", lambda _: ALLOW_ALL)
    output = ground.inside("/usr/bin/python3 sockets.py").ending.output
    assert "unix made" in output
    assert "turning pair made" in output
    assert f"uring {missing}" not in output
