"""The walls of the sandbox, as words for bubblewrap: a root made from nothing, into which only what is listed comes."""

from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from core.model.sandbox import Reach

WALLS = (
    *("--unshare-all", "--unshare-user", "--disable-userns", "--die-with-parent", "--new-session"),
    *("--cap-drop", "ALL", "--clearenv"),
)
OLD_NAMES = ("bin", "sbin", "lib", "lib32", "lib64", "libx32")  # today links into /usr
# Of /etc only what programs need to find their libraries, time, certificates and names of users: as root even the
# password hashes would be readable there.
SETTINGS = (
    *("ld.so.cache", "ld.so.conf", "ld.so.conf.d", "alternatives", "localtime", "timezone", "os-release"),
    *("passwd", "group", "nsswitch.conf", "hosts", "services", "protocols", "mime.types", "fonts"),
    *("ssl/certs", "ssl/openssl.cnf", "ca-certificates", "ca-certificates.conf"),
    *("pki/tls/certs", "pki/ca-trust", "crypto-policies"),
)
SCRATCH = ("/tmp", "/run", "/home", "/dev/shm")  # noqa: S108, empty ones inside the sandbox, not the system's
SCRATCH_BYTES = 256 * 1024 * 1024
HOME = "/home"
PATH = "/usr/local/bin:/usr/bin:/bin:/usr/local/sbin:/usr/sbin:/sbin"
PASSED = ("LANG", "LANGUAGE", "TZ")  # of the program's own variables, with LC_…: how to write, nothing else


def sandbox_arguments(
    reach: Reach,
    workspace: Sequence[str],
    folder: Path,
    environment: Mapping[str, str],
    *,
    own_network: bool,
) -> list[str]:
    """All options. `workspace` are the words that put the workspace in its place; with `own_network` the caller has
    made a network of its own for it already."""
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


def inner_environment(ours: Mapping[str, str], brought: Mapping[str, str], proxy: str) -> dict[str, str]:
    """Every variable that the command sees."""
    passed = {name: value for name, value in ours.items() if name in PASSED or name.startswith("LC_")}
    names = ("http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY") if proxy else ()
    own = {"PATH": PATH, "HOME": HOME, "TMPDIR": SCRATCH[0]}
    return {**own, **passed, **dict.fromkeys(names, proxy), **brought}


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
    """Empty folders over what must not be seen, where something that was opened shows it."""
    words = []
    for opened in (reach.workspace, *reach.readable):
        for hidden in reach.hidden:
            if hidden.is_dir() and hidden.resolve().is_relative_to(opened.resolve()):
                place = str(opened / hidden.resolve().relative_to(opened.resolve()))
                words += ["--tmpfs", place, "--remount-ro", place]
    return words
