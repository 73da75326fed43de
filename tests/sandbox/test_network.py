"""The way out of the sandbox: to an allowed host by its name, and nowhere else by any trick.

All hosts here are this machine: a test's own resolver says that allowed.test and other.test lead
to 127.0.0.1, where the real one would refuse them for it. The twin of each attack shows that it
arrives where that one guard is off.
"""

import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path

import pytest

from core.adapters.sandbox.egress import proxy as egress_proxy
from core.adapters.sandbox.egress.addresses import PrivateHostError, public_addresses
from core.model.process import How
from core.model.sandbox import SandboxEnding
from tests.sandbox.ground import Ground
from tests.sandbox.servers import Server, web_server

CURL = "curl -sS -m 10"


def here(host: str, _port: int) -> list[str]:
    """Every name leads to this machine, which is allowed."""
    assert host.endswith(".test") or host in ("example.com.evil.org", "evil-example.com")
    return ["127.0.0.1"]


@pytest.fixture
def ground(tmp_path: Path) -> Ground:
    return Ground(tmp_path, here)


@pytest.fixture
def server() -> Iterator[Server]:
    with web_server() as server:
        yield server


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("certificate")
    subprocess.run(
        [
            "openssl",
            "req",
            "-x509",
            "-newkey",
            "rsa:2048",
            "-nodes",
            "-days",
            "2",
            "-subj",
            "/CN=allowed.test",
        ]
        + ["-keyout", folder / "key.pem", "-out", folder / "certificate.pem"],
        check=True,
        capture_output=True,
    )
    both = folder / "both.pem"
    both.write_text((folder / "key.pem").read_text() + (folder / "certificate.pem").read_text())
    return both


@pytest.fixture
def secure_server(certificate: Path) -> Iterator[Server]:
    with web_server(certificate=certificate) as server:
        yield server


def reaching(ground: Ground, line: str, *domains: str) -> SandboxEnding:
    done = ground.inside(line, ground.reach(domains=domains))
    assert done.ending.how is How.EXITED, done
    return done


def raw(request: str) -> str:
    """A command that says exactly this to the proxy, and prints its answer."""
    return (
        f"bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128; printf \"{request}\" >&3; timeout 30 cat <&3'"
    )


def test_an_allowed_host_is_reached_by_http(ground: Ground, server: Server) -> None:
    done = reaching(
        ground, f"{CURL} -f -d body=1 http://allowed.test:{server.port}/a?b", "allowed.test"
    )
    assert (done.ending.exit_code, done.refused_hosts) == (0, ())
    assert done.ending.output == f"hello from allowed.test:{server.port}\n"
    assert server.asked == [f"POST allowed.test:{server.port} /a?b body=1"]


def test_a_large_body_arrives_whole_in_both_directions(ground: Ground, server: Server) -> None:
    line = (
        f"head -c 3000000 /dev/zero | tr '\\0' a > big; {CURL} -f --data-binary @big "
        f"http://allowed.test:{server.port}/"
    )
    assert reaching(ground, line, "allowed.test").ending.exit_code == 0
    assert len(server.asked[0]) > 3_000_000


def test_an_allowed_host_is_reached_by_https(ground: Ground, secure_server: Server) -> None:
    done = reaching(
        ground,
        f"{CURL} -kf https://ALLOWED.test:{secure_server.port}/x",
        "other.test",
        "allowed.test",
    )
    assert (done.ending.exit_code, done.refused_hosts) == (0, ())
    assert secure_server.asked == [f"GET ALLOWED.test:{secure_server.port} /x"]


def test_many_connections_at_once_are_served(ground: Ground, server: Server) -> None:
    line = f"for i in $(seq 20); do {CURL} -f http://allowed.test:{server.port}/$i & done; wait"
    assert reaching(ground, line, "allowed.test").ending.output.count("hello") == 20


def test_without_domains_there_is_no_network_at_all(ground: Ground, server: Server) -> None:
    for target in (
        f"127.0.0.1:{server.port}",
        f"localhost:{server.port}",
        f"allowed.test:{server.port}",
    ):
        assert ground.inside(f"{CURL} http://{target}/").ending.exit_code != 0
    assert server.asked == []
    assert ground.bare(f"{CURL} http://127.0.0.1:{server.port}/").exit_code == 0  # twin
    assert len(server.asked) == 1


def test_the_proxy_cannot_be_bypassed(ground: Ground, server: Server) -> None:
    lines = [
        f"{CURL} --noproxy '*' http://127.0.0.1:{server.port}/",
        f"{CURL} --noproxy '*' http://allowed.test:{server.port}/",
        f"bash -c 'echo > /dev/tcp/127.0.0.1/{server.port}'",
        f"bash -c 'echo > /dev/udp/127.0.0.53/{server.port} && getent hosts allowed.test'",
    ]
    for line in lines:
        assert reaching(ground, line, "allowed.test").ending.exit_code != 0
    assert server.asked == []
    assert ground.bare(f"bash -c 'echo > /dev/tcp/127.0.0.1/{server.port}'").exit_code == 0  # twin


@pytest.mark.parametrize(
    ("asked", "allowed"),
    [
        ("other.test", "allowed.test"),
        ("sub.allowed.test", "allowed.test"),
        ("example.com.evil.org", "example.com"),
        ("evil-example.com", "example.com"),
    ],
)
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_host_that_is_not_allowed_is_refused_and_named(
    ground: Ground, server: Server, secure_server: Server, asked: str, allowed: str, scheme: str
) -> None:
    wanted = server if scheme == "http" else secure_server
    line = f"{CURL} -k {scheme}://{asked}:{wanted.port}/"
    assert reaching(ground, line, allowed).refused_hosts == (asked,)
    assert wanted.asked == []
    assert reaching(ground, line, allowed, asked).refused_hosts == ()  # twin
    assert len(wanted.asked) == 1


SPELLINGS = [
    "127.0.0.1",
    "127.1",
    "2130706433",
    "0x7f000001",
    "0x7f.1",
    "0177.0.0.1",
    "017700000001",
]
ODD = ["127.0.0.1.", "[::ffff:127.0.0.1]", "[::ffff:7f00:1]", "[::1]"]


@pytest.mark.parametrize("spelling", [*SPELLINGS, *ODD])
def test_an_address_that_is_not_named_is_refused_in_every_spelling(
    ground: Ground, server: Server, spelling: str
) -> None:
    target = f"{spelling}:{server.port}"
    named = () if spelling in ("127.0.0.1", "[::1]") else ("127.0.0.1", "::1")
    for request in (
        f"GET http://{target}/ HTTP/1.1\\r\\nHost: {target}",
        f"CONNECT {target} HTTP/1.1\\r\\nHost: {target}",
    ):
        done = reaching(ground, raw(request + "\\r\\n\\r\\n"), "allowed.test", *named)
        assert "403 Forbidden" in done.ending.output
        assert len(done.refused_hosts) == 1
    assert server.asked == []


@pytest.mark.parametrize("host", ["localhost", "127.0.0.1"])
def test_a_local_host_is_reached_if_the_person_named_it(
    ground: Ground, server: Server, host: str
) -> None:
    line = f"{CURL} -f http://{host}:{server.port}/"
    for named in (host, f"{host}:{server.port}"):
        done = reaching(ground, line, named)
        assert (done.ending.exit_code, done.refused_hosts) == (0, ())

    assert len(server.asked) == 2
    for named in (f"{host}:1", "allowed.test"):
        assert reaching(ground, line, named).refused_hosts == (host,)
    assert len(server.asked) == 2


def test_a_named_address_is_reached_by_https_and_by_nothing_hidden_in_it(
    ground: Ground, secure_server: Server
) -> None:
    port = secure_server.port
    done = reaching(ground, f"{CURL} -kf https://127.0.0.1:{port}/", "127.0.0.1")
    assert (done.ending.exit_code, done.refused_hosts) == (0, ())

    other = f"{CURL} -k --connect-to evil.test:443:127.0.0.1:{port} https://evil.test/"
    assert reaching(ground, other, "127.0.0.1").refused_hosts == ("evil.test",)
    assert len(secure_server.asked) == 1


@pytest.mark.parametrize("spelling", [*SPELLINGS, "[::ffff:127.0.0.1]"])
def test_without_walls_every_spelling_arrives(
    ground: Ground, server: Server, spelling: str
) -> None:
    assert ground.bare(f"{CURL} -g 'http://{spelling}:{server.port}/'").exit_code == 0
    assert len(server.asked) == 1


@pytest.mark.parametrize("target", ["other.test", "127.0.0.1"])
def test_a_redirect_is_a_new_request(ground: Ground, target: str) -> None:
    with web_server() as aim, web_server(redirect_to=f"http://{target}:{aim.port}/aim") as server:
        line = f"{CURL} -L http://allowed.test:{server.port}/redirect"
        assert reaching(ground, line, "allowed.test").refused_hosts == (target,)
        assert (len(server.asked), aim.asked) == (1, [])
        if target == "other.test":
            reaching(ground, line, "allowed.test", "other.test")
        else:
            ground.bare(f"{CURL} -L http://127.0.0.1:{server.port}/redirect")
        assert len(aim.asked) == 1  # twin


PRIVATE = [
    "127.0.0.1",
    "10.0.0.1",
    "192.168.1.1",
    "169.254.169.254",
    "::1",
    "fe80::1",
    "::ffff:127.0.0.1",
    "0.0.0.0",
]


def looked_up(*addresses: str) -> list[tuple[object, ...]]:
    return [(socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, 80)) for address in addresses]


@pytest.mark.parametrize("address", PRIVATE)
def test_a_name_that_leads_into_this_machine_or_its_network_is_refused(address: str) -> None:
    for addresses in ([address], ["93.184.215.14", address]):
        with pytest.raises(PrivateHostError):
            public_addresses(
                "allowed.test", 80, lambda *_, addresses=addresses, **__: looked_up(*addresses)
            )
    assert public_addresses("allowed.test", 80, lambda *_, **__: looked_up("93.184.215.14")) == [
        "93.184.215.14"
    ]


def test_rebinding_does_not_reach_this_machine(tmp_path: Path, server: Server) -> None:
    """An allowed name that its owner lets lead to 127.0.0.1."""
    line = f"{CURL} http://allowed.test:{server.port}/"

    def as_the_owner_says(host: str, port: int) -> list[str]:
        return public_addresses(host, port, lambda *_, **__: looked_up("127.0.0.1"))

    guarded = Ground(tmp_path / "guarded", as_the_owner_says)
    assert reaching(guarded, line, "allowed.test").refused_hosts == ("allowed.test",)
    assert server.asked == []
    assert (
        reaching(Ground(tmp_path / "open", here), line, "allowed.test").refused_hosts == ()
    )  # twin
    assert len(server.asked) == 1

    # The person may mean it: then the address is named too.
    assert reaching(guarded, line, "allowed.test", "127.0.0.1").refused_hosts == ()
    assert len(server.asked) == 2


def test_it_connects_to_the_address_that_it_checked(tmp_path: Path) -> None:
    """A name server that gives another answer the second time is asked only once."""
    answers = iter([["127.0.0.1"], ["127.0.0.2"], ["127.0.0.2"]])
    with web_server() as first:
        ground = Ground(tmp_path, lambda _host, _port: next(answers))
        done = reaching(ground, f"{CURL} -f http://allowed.test:{first.port}/", "allowed.test")
        assert done.ending.exit_code == 0
    assert next(answers) == ["127.0.0.2"]
    assert len(list(answers)) == 1


def test_a_name_without_an_address_is_answered_and_not_refused(
    tmp_path: Path, server: Server
) -> None:
    def nowhere(_host: str, _port: int) -> list[str]:
        raise socket.gaierror(-2, "Name or service not known")

    done = reaching(
        Ground(tmp_path, nowhere), f"{CURL} -f http://allowed.test:{server.port}/", "allowed.test"
    )
    assert (done.ending.exit_code, done.refused_hosts) == (22, ())


def test_a_tunnel_for_another_host_than_it_was_opened_for_is_refused(
    ground: Ground, secure_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = (
        f"{CURL} -k --connect-to evil.test:443:allowed.test:{secure_server.port} https://evil.test/"
    )
    assert reaching(ground, line, "allowed.test").refused_hosts == ("evil.test",)
    assert secure_server.asked == []
    monkeypatch.setattr(egress_proxy, "read_hello", lambda _client, data, _host: data)
    assert reaching(ground, line, "allowed.test").refused_hosts == ()  # twin
    assert secure_server.asked == ["GET evil.test /"]


@pytest.mark.parametrize("scheme", ["http", "https"])
def test_a_tunnel_that_does_not_show_where_it_goes_is_refused(
    ground: Ground,
    server: Server,
    secure_server: Server,
    monkeypatch: pytest.MonkeyPatch,
    scheme: str,
) -> None:
    """Another protocol than TLS, and TLS without a host's name."""
    line, arrived = f"{CURL} -p http://allowed.test:{server.port}/", "hello"
    if scheme == "https":
        target = f"-proxy 127.0.0.1:3128 -connect allowed.test:{secure_server.port}"
        line, arrived = f"echo | openssl s_client -noservername {target}", "CN = allowed.test"
    done = reaching(ground, line, "allowed.test")
    assert done.refused_hosts == ("allowed.test, without TLS",)
    assert arrived not in done.ending.output
    monkeypatch.setattr(egress_proxy, "read_hello", lambda _client, data, _host: data)
    assert arrived in reaching(ground, line, "allowed.test").ending.output  # twin


def test_a_host_header_that_differs_from_the_address_is_refused(
    ground: Ground, server: Server
) -> None:
    line = f"{CURL} -H 'Host: evil.test' http://allowed.test:{server.port}/"
    assert reaching(ground, line, "allowed.test").refused_hosts == ("evil.test",)
    assert server.asked == []
    ground.bare(f"{CURL} -H 'Host: evil.test' http://127.0.0.1:{server.port}/")  # twin
    assert server.asked == ["GET evil.test /"]


@pytest.mark.parametrize(
    "request_line",
    [
        "GET http://allowed.test@127.0.0.1:{port}/ HTTP/1.1\\r\\nHost: 127.0.0.1:{port}",
        "GET http://user@allowed.test:{port}/ HTTP/1.1\\r\\nHost: user@allowed.test:{port}",
        "GET http://allowed.test\\0.evil.test:{port}/ HTTP/1.1\\r\\nHost: allowed.test",
        (
            "GET http://allowed.test%%00.evil.test:{port}/ HTTP/1.1\\r\\nHost: "
            "allowed.test%%00.evil.test:{port}"
        ),
        "GET /path HTTP/1.1\\r\\nHost: allowed.test:{port}",
        (
            "GET http://allowed.test:{port}/ HTTP/1.1\\r\\nHost: allowed.test:{port}\\r\\nHost: "
            "evil.test"
        ),
        "GET http://allowed.test:{port}/ HTTP/1.1\\r\\nHost: allowed.test:{port}\\r\\n Folded: x",
        "CONNECT user@allowed.test:{port} HTTP/1.1\\r\\nHost: user@allowed.test:{port}",
        "CONNECT allowed.test:{port}\\0 HTTP/1.1\\r\\nHost: allowed.test:{port}",
        "HELLO",
    ],
)
def test_a_request_that_could_mean_two_things_goes_nowhere(
    ground: Ground, server: Server, request_line: str
) -> None:
    done = reaching(
        ground, raw(request_line.format(port=server.port) + "\\r\\n\\r\\n"), "allowed.test"
    )
    assert "403 Forbidden" in done.ending.output
    assert len(done.refused_hosts) == 1
    assert done.refused_hosts[0].isprintable()
    assert server.asked == []


def test_a_second_request_in_the_same_bytes_goes_nowhere(ground: Ground, server: Server) -> None:
    request = f"GET http://allowed.test:{server.port}/{{}} HTTP/1.1\\r\\nHost: {{}}\\r\\n\\r\\n"
    both = request.format("1", f"allowed.test:{server.port}") + request.format("2", "evil.test")
    done = reaching(ground, raw(both), "allowed.test")
    assert done.ending.output.count("200 OK") == 1
    assert server.asked == [f"GET allowed.test:{server.port} /1"]


def test_a_second_request_on_the_same_connection_goes_nowhere(ground: Ground) -> None:
    """A host that keeps the connection open though it was asked not to: it hears the first
    request only."""
    heard = b""

    def host(listener: socket.socket) -> None:
        nonlocal heard
        connection = listener.accept()[0]
        with connection:
            heard = connection.recv(65536)
            connection.sendall(b"first\n")
            while not (ground.workspace / "sub" / "sent").exists():
                time.sleep(0.01)
            connection.sendall(b"second\n")  # whatever was sent before it has arrived when this has
            while not (ground.workspace / "sub" / "done").exists():
                time.sleep(0.01)
            connection.setblocking(False)
            with suppress(BlockingIOError):
                heard += connection.recv(65536)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=host, args=(listener,), daemon=True)
        thread.start()
        host_and_port = f"allowed.test:{listener.getsockname()[1]}"
        request = f"GET http://{host_and_port}/ HTTP/1.1\\r\\nHost: {{}}\\r\\n\\r\\n"
        (ground.workspace / "ask.sh").write_text(
            "exec 3<>/dev/tcp/127.0.0.1/3128\n"
            f"printf '{request.format(host_and_port)}' >&3; read -r answer <&3\n"
            f"printf '{request.format('evil.test')}' >&3; touch sub/sent; read -r answer <&3; "
            "touch sub/done\n"
        )
        reaching(ground, "bash ask.sh", "allowed.test")
        thread.join(10)
    assert heard.startswith(b"GET / HTTP/1.1\r\n")
    assert b"evil.test" not in heard


def test_a_body_of_unknown_length_is_not_passed_on(ground: Ground, server: Server) -> None:
    upload = f"{CURL} -w '%{{http_code}}' -T - http://allowed.test:{server.port}/"
    done = reaching(ground, f"echo x > sub/body; {upload} < sub/body", "allowed.test")
    assert done.ending.output.endswith("411")
    assert (done.refused_hosts, server.asked) == ((), [])


def test_whatever_the_proxy_receives_the_next_request_is_served(
    ground: Ground, server: Server
) -> None:
    line = (
        "head -c 100000 /dev/urandom > noise; for i in 1 2 3; do bash -c 'cat noise > "
        "/dev/tcp/127.0.0.1/3128'; done; "
        "for i in $(seq 80); do bash -c 'exec 3<>/dev/tcp/127.0.0.1/3128'; done; "
        f"{CURL} -f http://allowed.test:{server.port}/"
    )
    assert reaching(ground, line, "allowed.test").ending.last_line.startswith("hello")


def test_refusals_are_remembered_once_each_and_not_without_limit(ground: Ground) -> None:
    line = f"for i in 1 2; do {CURL} -m 60 'http://h[1-150].evil.test/' > /dev/null; done"
    refused = reaching(ground, line, "allowed.test").refused_hosts
    assert refused[:3] == ("h1.evil.test", "h2.evil.test", "h3.evil.test")
    assert len(refused) == len(set(refused)) == egress_proxy.MOST_REFUSALS


def test_a_tunnel_that_is_still_open_at_the_end_holds_nothing_up(ground: Ground) -> None:
    with socket.create_server(("127.0.0.1", 0)) as silent:
        port = silent.getsockname()[1]
        line = f"{CURL} -m 300 http://allowed.test:{port}/ & sleep 0.3"
        done = reaching(ground, line, "allowed.test")
    assert done.ending.duration.total_seconds() < 10
