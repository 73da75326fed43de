"""Run as a program: makes an empty network of its own, sends a listener in it to another process,
and becomes the given command. The process that gets the listener is then the only way out.

    python own_network.py CHANNEL COMMAND…

CHANNEL is the descriptor of a unix socket that the listener is sent to.
"""

import ctypes
import fcntl
import os
import socket
import struct
import sys

PORT = 3128
CLONE_NEWUSER = 0x10000000
CLONE_NEWNET = 0x40000000
SIOCSIFFLAGS = 0x8914
IFF_UP = 1


def main() -> None:
    channel = socket.socket(fileno=int(sys.argv[1]))
    make_network()
    with socket.create_server(("127.0.0.1", PORT)) as listener:
        socket.send_fds(channel, [b"!"], [listener.fileno()])

    channel.close()
    os.execv(sys.argv[2], sys.argv[2:])  # noqa: S606 - a list that our own program made


def make_network() -> None:
    user = os.geteuid()
    group = os.getegid()
    library = ctypes.CDLL(None, use_errno=True)
    if library.unshare(CLONE_NEWUSER | CLONE_NEWNET) != 0:
        number = ctypes.get_errno()
        raise SystemExit(f"a network of its own cannot be made: {os.strerror(number)}")

    for name, words in (
        ("setgroups", "deny"),
        ("uid_map", f"{user} {user} 1"),
        ("gid_map", f"{group} {group} 1"),
    ):
        # Without pathlib, whose import costs more than the rest of this program.
        with open(f"/proc/self/{name}", "w") as file:
            file.write(words)

    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as any_socket:
        fcntl.ioctl(any_socket, SIOCSIFFLAGS, struct.pack("16sh14x", b"lo", IFF_UP))


if __name__ == "__main__":
    main()
