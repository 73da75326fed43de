"""Names of hosts: one spelling each, never an address, never a similar name."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from core.model.diagnostic import Problem
from core.rules.approving.hosts import (
    AllowedHost,
    allowed_host,
    asked_host,
    host_name,
    is_public_address,
    may_reach,
)

USUAL_SPELLINGS = ("127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "[0:0:0:0:0:0:0:1]")

LOOPBACK_SPELLINGS = [
    *(
        "127.0.0.1",
        "127.1",
        "127.0.1",
        "2130706433",
        "017700000001",
        "0x7f000001",
        "0x7f.1",
        "0177.0.0.1",
        "0",
    ),
    *(
        "127.0.0.1.",
        "127.000.000.001",
        "[::1]",
        "::1",
        "[::ffff:127.0.0.1]",
        "[0:0:0:0:0:0:0:1]",
        "１２７.0.0.1",
    ),
    *("127.0.0.1%00", "0x7F000001", "127。0。0。1"),
]


@pytest.mark.parametrize("spelling", LOOPBACK_SPELLINGS)
def test_an_address_is_not_a_name_in_any_spelling(spelling: str) -> None:
    assert host_name(spelling) is None
    if spelling not in USUAL_SPELLINGS:
        assert asked_host(spelling, 80, [spelling, "127.0.0.1", "::1"]) is None


@pytest.mark.parametrize(
    ("written", "name"),
    [
        ("example.com", "example.com"),
        ("EXAMPLE.Com.", "example.com"),
        ("  example.com ", "example.com"),
        ("bücher.example", "xn--bcher-kva.example"),
        ("_dmarc.example.com", "_dmarc.example.com"),
        ("localhost", "localhost"),
        ("3com.com", "3com.com"),
        ("example.com:443", None),
        ("user@example.com", None),
        ("example.com/path", None),
        ("*.example.com", None),
        ("exa mple.com", None),
        ("example..com", None),
        (".example.com", None),
        ("-x.example.com", None),
        ("example.com\0.evil.org", None),
        ("example%2ecom", None),
        ("a" * 64 + ".com", None),
        ("", None),
        (".", None),
    ],
)
def test_a_name_has_one_spelling(written: str, name: str | None) -> None:
    assert host_name(written) == name


@pytest.mark.parametrize(
    "asked",
    [
        *(
            "example.com.evil.org",
            "evil-example.com",
            "evilexample.com",
            "sub.example.com",
            "example.co",
            "com",
        ),
        *(
            "user@example.com",
            "evil.org@example.com",
            "example.com@evil.org",
            "example.com\0.evil.org",
        ),
        *(
            "example.com ",
            " example.com",
            "example.com\t",
            "ｅxample.com",
            "exаmple.com",
            "example.com:80",
            "example.com..",
        ),
    ],
)
def test_a_host_that_is_not_the_allowed_one_letter_for_letter_is_refused(asked: str) -> None:
    assert asked_host(asked, 80, ["example.com"]) is None


@pytest.mark.parametrize("asked", ["example.com", "EXAMPLE.COM", "example.com."])
def test_the_allowed_host_is_known_in_any_letter_case(asked: str) -> None:
    found = asked_host(asked, 80, ["other.org", "Example.com"])
    assert found == AllowedHost("example.com", None, None)


@settings(deadline=None)
@given(st.text(max_size=80))
def test_any_text_is_a_name_in_its_one_spelling_or_none(text: str) -> None:
    name = host_name(text)
    assert name is None or host_name(name) == name


@pytest.mark.parametrize(
    ("address", "public"),
    [
        ("93.184.215.14", True),
        ("2606:2800:21f:cb07:6820:80da:af6b:8b2c", True),
        ("127.0.0.1", False),
        ("127.8.9.10", False),
        ("0.0.0.0", False),
        ("10.1.2.3", False),
        ("172.16.0.1", False),
        ("192.168.1.1", False),
        ("169.254.169.254", False),
        ("100.64.0.1", False),
        ("224.0.0.1", False),
        ("255.255.255.255", False),
        ("::1", False),
        ("::", False),
        ("fe80::1", False),
        ("fe80::1%eth0", False),
        ("fd00::1", False),
        ("ff02::1", False),
        ("::ffff:127.0.0.1", False),
        ("::ffff:10.0.0.1", False),
        ("::127.0.0.1", False),
        ("64:ff9b::7f00:1", False),
        ("2002:7f00:1::", False),
    ],
)
def test_only_the_open_internet_is_public(address: str, public: bool) -> None:
    assert is_public_address(address) == public


@pytest.mark.parametrize(
    ("written", "asked", "port"),
    [
        ("localhost", "localhost", 80),
        ("localhost:8080", "LOCALHOST", 8080),
        ("192.168.1.5:8123", "192.168.1.5", 8123),
        ("10.0.0.7", "10.0.0.7", 1),
        ("::1", "[::1]", 80),
        ("[::1]:80", "[::1]", 80),
        ("[::1]", "[0:0::1]", 9),
        ("nas.local:445", "nas.local", 445),
        ("example.com:8443", "example.com", 8443),
    ],
)
def test_what_the_person_names_is_allowed(written: str, asked: str, port: int) -> None:
    host = allowed_host(written)
    assert isinstance(host, AllowedHost)
    assert asked_host(asked, port, ["other.org", written]) == host
    if host.port:
        assert asked_host(asked, port + 1, [written]) is None


@pytest.mark.parametrize(
    "written",
    [
        *("", "  ", "https://example.com", "example.com/path", "*.example.com", "*", "a b"),
        *("example.com:", "example.com:0", "example.com:65536", "example.com:http", "[::1"),
        *("[::1]80", "[example.com]:80", "127.1", "0x7f.1", "user@example.com", "fe80::1%eth0"),
        *("0.0.0.0", "::", "224.0.0.1", "localhost:80:80", "[::1]:", "example.com:８０"),
    ],
)
def test_what_cannot_work_is_a_problem_with_a_fix(written: str) -> None:
    problem = allowed_host(written)
    assert isinstance(problem, Problem)
    assert "localhost:8080" in problem.hint


@pytest.mark.parametrize(
    ("name", "address", "allowed", "may"),
    [
        ("example.com", "93.184.215.14", (), True),
        ("example.com", "192.168.1.5", (), False),
        ("example.com", "192.168.1.5", ("192.168.1.5",), True),
        ("example.com", "192.168.1.5", ("192.168.1.5:81",), False),
        ("localhost", "127.0.0.1", (), True),
        ("localhost", "::1", (), True),
        ("localhost", "192.168.1.5", (), False),
        ("nas", "192.168.1.5", (), True),
        ("nas.local", "10.1.2.3", (), True),
        ("nas.local", "127.0.0.1", (), False),
        ("nas.local", "169.254.169.254", (), False),
        ("nas.local", "::ffff:127.0.0.1", (), False),
    ],
)
def test_a_name_leads_into_the_local_network_only_if_it_is_named(
    name: str, address: str, allowed: tuple[str, ...], may: bool
) -> None:
    assert may_reach(AllowedHost(name, None, None), address, 80, [name, *allowed]) is may
