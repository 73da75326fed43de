"""The system-call filter of the sandbox, as bytes for the kernel. Law: only internet sockets can be
made.

A unix socket leads to the session bus and so to the keyring, a vsock socket to the host of a
virtual machine; a network namespace stops neither. io_uring makes sockets without a system call
that could be filtered, and the kernel's own key rings are not in any namespace, so both are
forbidden.
"""

import errno
import struct
from typing import NamedTuple

AF_UNIX = 1
AF_INET = 2
AF_INET6 = 10
AF_NETLINK = 16  # how a program asks which addresses it has
SOCK_DGRAM = 2  # a pair of these can be connected to any address later; a stream pair cannot
SOCK_TYPE = 0xF  # the rest of the argument is flags

# Offsets in the kernel's struct seccomp_data, little endian.
NUMBER = 0
ARCHITECTURE = 4
FIRST = 16
SECOND = 24

LOAD = 0x20
AND = 0x54
JUMP_EQUAL = 0x15
JUMP_AT_LEAST = 0x35
RETURN = 0x06
ALLOW = 0x7FFF0000
REFUSE = 0x00050000 | errno.EPERM
MISSING = 0x00050000 | errno.ENOSYS


class Architecture(NamedTuple):
    architecture: int  # AUDIT_ARCH_…
    socket: int
    socketpair: int
    keys: tuple[int, int, int]  # add_key, request_key, keyctl
    first_foreign: int  # numbers from here on belong to another interface of the same kernel (x32)


IO_URING_SETUP = 425  # on all machines
MACHINES = {
    "x86_64": Architecture(0xC000003E, 41, 53, (248, 249, 250), 0x40000000),
    "aarch64": Architecture(0xC00000B7, 198, 199, (217, 218, 219), 0x40000000),
}


def seccomp_filter(machine: str) -> bytes | None:
    """The filter for this kind of machine; None if there is none."""
    known = MACHINES.get(machine)
    return b"".join(_instructions(known)) if known else None


def _instructions(machine: Architecture) -> list[bytes]:
    """Each block tests and either returns or falls through to the next; jumps only skip forward."""
    return [
        # The numbers of another architecture (32-bit programs) mean other calls: none of these
        # exists.
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
