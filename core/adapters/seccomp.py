"""The system-call filter of the sandbox, as the bytes that the kernel loads: only sockets of the internet can be made.

A unix socket leads to the session bus and so to the keyring, a vsock socket to the host of a virtual machine; neither
is held by the walls of a network namespace. io_uring makes sockets without a system call that could be filtered, and
the kernel's own key rings are not held by any namespace, so both are closed.
"""

import errno
import struct
from typing import NamedTuple

AF_INET, AF_INET6, AF_NETLINK = 2, 10, 16  # netlink: a program's question which addresses it has
AF_UNIX = 1
SOCK_DGRAM = 2  # a pair of these can be turned to any address afterwards; a stream pair cannot
SOCK_TYPE = 0xF  # the rest of the argument is flags

NUMBER, ARCHITECTURE, FIRST, SECOND = 0, 4, 16, 24  # places in the kernel's struct seccomp_data, little endian
LOAD, AND = 0x20, 0x54
JUMP_EQUAL, JUMP_AT_LEAST = 0x15, 0x35
RETURN = 0x06
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS


class Machine(NamedTuple):
    architecture: int  # AUDIT_ARCH_…
    socket: int
    socketpair: int
    keys: tuple[int, int, int]  # add_key, request_key, keyctl
    first_foreign: int  # numbers from here on belong to another interface of the same kernel (x32)


IO_URING_SETUP = 425  # everywhere
MACHINES = {
    "x86_64": Machine(0xC000003E, 41, 53, (248, 249, 250), 0x40000000),
    "aarch64": Machine(0xC00000B7, 198, 199, (217, 218, 219), 0x40000000),
}


def seccomp_filter(machine: str) -> bytes | None:
    """The program for this kind of machine; None where none is known for it."""
    known = MACHINES.get(machine)
    return b"".join(_instructions(known)) if known else None


def _instructions(machine: Machine) -> list[bytes]:
    """Each block tests and either returns or falls through to the next; jumps only skip forward."""
    return [
        # Another architecture's numbers (32-bit programs) mean other calls: all of them are missing.
        _step(LOAD, ARCHITECTURE),
        _step(JUMP_EQUAL, machine.architecture, 1, 0),
        _step(RETURN, MISSING),
        _step(LOAD, NUMBER),
        _step(JUMP_AT_LEAST, machine.first_foreign, 0, 1),
        _step(RETURN, MISSING),
        *[
            instruction
            for number in (IO_URING_SETUP, *machine.keys)
            for instruction in (_step(JUMP_EQUAL, number, 0, 1), _step(RETURN, MISSING))
        ],
        # socket(family, …)
        _step(JUMP_EQUAL, machine.socket, 0, 6),
        _step(LOAD, FIRST),
        _step(JUMP_EQUAL, AF_INET, 3, 0),
        _step(JUMP_EQUAL, AF_INET6, 2, 0),
        _step(JUMP_EQUAL, AF_NETLINK, 1, 0),
        _step(RETURN, REFUSE),
        _step(RETURN, ALLOW),
        # socketpair(AF_UNIX, SOCK_DGRAM, …)
        _step(JUMP_EQUAL, machine.socketpair, 0, 6),
        _step(LOAD, FIRST),
        _step(JUMP_EQUAL, AF_UNIX, 0, 3),
        _step(LOAD, SECOND),
        _step(AND, SOCK_TYPE),
        _step(JUMP_EQUAL, SOCK_DGRAM, 0, 1),
        _step(RETURN, REFUSE),
        _step(RETURN, ALLOW),
    ]


def _step(code: int, value: int, if_true: int = 0, if_false: int = 0) -> bytes:
    return struct.pack("<HBBI", code, if_true, if_false, value)
