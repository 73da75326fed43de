"""The system-call filter, run by a small machine that does what the kernel's does."""

import errno
import struct

import pytest

from core.adapters.sandbox.seccomp import MACHINES, seccomp_filter

ALLOWED, REFUSED, MISSING = 0x7FFF0000, 0x50000 | errno.EPERM, 0x50000 | errno.ENOSYS
AF_UNIX, AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_ALG, AF_VSOCK = 1, 2, 10, 16, 17, 38, 40
STREAM, DATAGRAM, CLOSE_ON_EXEC = 1, 2, 0o2000000
READ, CONNECT = {"x86_64": 0, "aarch64": 63}, {"x86_64": 42, "aarch64": 203}


def verdict(
    machine: str, number: int, first: int = 0, second: int = 0, architecture: int | None = None
) -> int:
    """What the filter answers to a system call."""
    program = seccomp_filter(machine)
    assert program
    instructions = list(struct.iter_unpack("<HBBI", program))
    architecture = MACHINES[machine].architecture if architecture is None else architecture
    data = struct.pack("<IIQ6Q", number, architecture, 0, first, second, 0, 0, 0, 0)
    place = 0
    register = 0
    while True:
        code, if_true, if_false, value = instructions[place]
        place += 1
        match code:
            case 0x20:
                (register,) = struct.unpack_from("<I", data, value)
            case 0x54:
                register &= value
            case 0x15:
                place += if_true if register == value else if_false
            case 0x35:
                place += if_true if register >= value else if_false
            case 0x06:
                return int(value)
            case _:
                pytest.fail(f"no such instruction: {code:#x}")


@pytest.fixture(params=MACHINES)
def machine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize(
    ("family", "answer"),
    [
        (AF_INET, ALLOWED),
        (AF_INET6, ALLOWED),
        (AF_NETLINK, ALLOWED),
        (AF_UNIX, REFUSED),
        (AF_PACKET, REFUSED),
        (AF_ALG, REFUSED),
        (AF_VSOCK, REFUSED),
        (0, REFUSED),
        (1 << 32 | AF_UNIX, REFUSED),  # the kernel reads the lower half only
        (1 << 32 | AF_INET, ALLOWED),
    ],
)
def test_only_sockets_of_the_internet_are_made(machine: str, family: int, answer: int) -> None:
    assert verdict(machine, MACHINES[machine].socket, family, STREAM) == answer


@pytest.mark.parametrize(
    ("family", "kind", "answer"),
    [
        (AF_UNIX, STREAM, ALLOWED),
        (AF_UNIX, STREAM | CLOSE_ON_EXEC, ALLOWED),
        (AF_UNIX, DATAGRAM, REFUSED),
        (AF_UNIX, DATAGRAM | CLOSE_ON_EXEC, REFUSED),
        (AF_VSOCK, STREAM, REFUSED),
    ],
)
def test_a_socket_pair_that_could_be_connected_elsewhere_is_not_made(
    machine: str, family: int, kind: int, answer: int
) -> None:
    assert verdict(machine, MACHINES[machine].socketpair, family, kind) == answer


def test_io_uring_and_the_kernels_key_rings_are_missing(machine: str) -> None:
    for number in (425, *MACHINES[machine].keys):
        assert verdict(machine, number) == MISSING


def test_all_other_calls_go_through(machine: str) -> None:
    for number in (READ[machine], CONNECT[machine], 0, 1, 424, 426, 450):
        assert verdict(machine, number, AF_UNIX) == ALLOWED


def test_calls_of_another_architecture_are_missing(machine: str) -> None:
    intel_32 = 0x40000003
    arm_32 = 0x40000028
    for architecture in (intel_32, arm_32):
        assert verdict(machine, 1, AF_INET, architecture=architecture) == MISSING


def test_the_second_interface_of_the_same_machine_is_missing() -> None:
    assert verdict("x86_64", 0x40000000 | 41, AF_UNIX) == MISSING


def test_an_unknown_kind_of_machine_has_no_filter() -> None:
    assert seccomp_filter("riscv64") is None
