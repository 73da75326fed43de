"""The options for bubblewrap that make the sandbox: an empty root, into which only what is listed
is mounted."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.model.sandbox import Reach
from core.rules.environment import passed_on

WALLS = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--clearenv"),
)
OLD_NAMES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # today links into /usr
# From /etc only what programs need to find their libraries, the time, certificates and user names:
# if Heartbeat runs as root, even the password hashes could be read there.
SETTINGS = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone"),
    *("os-release", "passwd", "group", "nsswitch.conf", "hosts", "services", "protocols"),
    *("mime.types", "fonts"),
    *("ssl/certs", "ssl/openssl.cnf", "ca-certificates", "ca-certificates.conf"),
    *("pki/tls/certs", "pki/ca-trust", "crypto-policies"),
)
# Empty ones inside the sandbox, not the system's.
SCRATCH = ("/tmp", "/run", "/home", "/dev/shm")  # noqa: S108 - see above
SCRATCH_BYTES = 256 * 1024 * 1024
HOME = "/home"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
# The only variables of the program that are passed on, with LC_…: language and time zone.
PASSED = ("LANG", "LANGUAGE", "TZ")


def sandbox_arguments(
    reach: Reach,
    workspace: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    own_network: bool,
) -> list[str]:
    """All options. `workspace` are the options that mount the workspace; with `own_network` the
    caller has already made a network for the command."""
    return [
        *WALLS,
        *(["--share-net"] if own_network else []),
        *_system(),
        *_mounts("--ro-bind", reach.readable),
        *_mounts("--bind", reach.writable),
        *workspace,
        *_hiding(reach),
        *["--remount-ro", "/", "--chdir", str(folder)],
        *[word for name, value in environment.items() for word in ("--setenv", name, value)],
    ]


def inner_environment(
    ours: Mapping[str, str], brought: Mapping[str, str], proxy: str
) -> dict[str, str]:
    """Every variable that the command sees."""
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY") if proxy else ()
    own = {"PATH": PATH, "HOME": HOME, "TMPDIR": SCRATCH[0]}

    return {**own, **passed_on(ours, PASSED), **dict.fromkeys(names, proxy), **brought}


def _system() -> list[str]:
    words = ["--ro-bind", "/usr", "/usr", "--proc", "/proc", "--dev", "/dev"]
    for name in OLD_NAMES:
        place = Path("/", name)
        if place.is_symlink():
            words += ["--symlink", str(place.readlink()), str(place)]
        else:
            words += ["--ro-bind-try", str(place), str(place)]

    for name in SETTINGS:
        words += ["--ro-bind-try", f"/etc/{name}", f"/etc/{name}"]

    words += ["--remount-ro", "/dev"]
    for empty in SCRATCH:
        words += ["--size", str(SCRATCH_BYTES), "--tmpfs", empty]

    return words


def _mounts(option: str, folders: Iterable[Path]) -> list[str]:
    return [word for folder in folders for word in (option, str(folder), str(folder))]


def _hiding(reach: Reach) -> list[str]:
    """Mount empty folders over what must not be seen, if it is inside of a folder that can be
    seen."""
    words = []
    for visible in (reach.workspace, *reach.readable):
        for hidden in reach.hidden:
            if hidden.is_dir() and hidden.resolve().is_relative_to(visible.resolve()):
                place = str(visible / hidden.resolve().relative_to(visible.resolve()))
                words += ["--tmpfs", place, "--remount-ro", place]

    return words
