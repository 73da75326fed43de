"""What the program weighs when a person installs it, and what a beat with a model costs there;
`python -m tests.bench.installation`. It installs into a new environment, so it needs the package
index.

The beat has five due tasks, and a model on loopback that does and reports them, in both protocols.
Its processor time is that of the whole process, from its start to its end, as a multiple of `python
-c pass`; its memory is the most that it held at any time.
"""

import os
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from statistics import median

from tests.bench.figure import Figure, report
from tests.bench.tokens import FILE, work, workspace
from tests.model_server import ModelServer

ROOT = Path(__file__).parents[2]
LOCK = ROOT / "requirements-dev.lock"
MOST_MEGABYTES = 100
MOST_PACKAGES = 45

ROUNDS = 9
MOST_OF_AN_INTERPRETER = 45
MOST_MEMORY = 50  # megabytes
PROVIDERS = ("anthropic", "openai")


# -- its weight ------------------------------------------------------------------------------------


def install_into(environment: Path) -> Path:
    """Return its interpreter. `pip` itself stays outside: it is not part of the program."""
    run(sys.executable, "-m", "venv", "--without-pip", environment)
    python = environment / ("Scripts" if os.name == "nt" else "bin") / "python"
    pip: list[str | Path] = [sys.executable, "-m", "pip", "--python", python]
    run(*pip, "--disable-pip-version-check", "install", "--quiet", "--constraint", LOCK, ROOT)
    run(python, "-m", "compileall", "-q", environment)

    return python


def run(*words: str | Path) -> str:
    done = subprocess.run(words, capture_output=True, text=True, cwd="/")
    assert done.returncode == 0, (words, done.stdout, done.stderr)

    return done.stdout


def size_of(folder: Path) -> int:
    """Bytes of all files in it."""
    return sum(file.lstat().st_size for file in folder.rglob("*") if file.is_file())


def weight(python: Path) -> list[Figure]:
    packages = Path(
        run(python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))").strip()
    )
    names = sorted(one.name.split("-")[0] for one in packages.glob("*.dist-info"))
    sizes = {entry.name: size_of(entry) / 1e6 for entry in packages.iterdir() if entry.is_dir()}

    print(*names)
    for name, size in sorted(sizes.items(), key=lambda entry: -entry[1])[:10]:
        print(f"{name:24}{size:8.1f} MB")

    return [
        Figure("installed size", size_of(packages) / 1e6, MOST_MEGABYTES, "MB"),
        Figure("installed packages", len(names), MOST_PACKAGES),
    ]


# -- a beat with a model ---------------------------------------------------------------------------


@dataclass(frozen=True)
class Cost:
    seconds: float  # of the processor
    megabytes: float


def cost_of(words: list[str | Path], folder: Path) -> Cost:
    """Of a process and of its children that it has waited for."""
    process = subprocess.Popen(words, cwd=folder, stdout=subprocess.DEVNULL)
    _, status, used = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    assert process.returncode == 0, (words, process.returncode)

    return Cost(used.ru_utime + used.ru_stime, used.ru_maxrss / 1024)


def beat_cost(python: Path, server: ModelServer, provider: str) -> Cost:
    """Of the first beat of a new workspace, as the always-on process starts it."""
    with workspace(FILE, provider, server.base_url(provider)) as root:
        server.play(*[partial(work, beat=0)] * 10)
        cost = cost_of([python, "-P", "-m", "core.child", "beat", str(root)], root)
        assert len(server.received) == 3, [one.path for one in server.received]

    return cost


def beats_with_a_model(python: Path) -> list[Figure]:
    bare: list[Cost] = []
    beats: dict[str, list[Cost]] = {provider: [] for provider in PROVIDERS}

    with ModelServer() as server:
        for _ in range(ROUNDS):
            bare.append(cost_of([python, "-c", "pass"], Path.cwd()))
            for provider in PROVIDERS:
                beats[provider].append(beat_cost(python, server, provider))

    interpreter = median(cost.seconds for cost in bare)
    print(f"{'`python -c pass`':24}{interpreter * 1000:8.1f} ms")
    measured = []
    for provider, costs in beats.items():
        seconds = median(cost.seconds for cost in costs)
        megabytes = max(cost.megabytes for cost in costs)
        print(f"{provider:24}{seconds * 1000:8.1f} ms{megabytes:8.1f} MB")
        measured += [
            Figure(
                f"CPU of a beat with a model and five tasks, as a multiple of `python -c pass` "
                f"({provider})",
                seconds / interpreter,
                MOST_OF_AN_INTERPRETER,
            ),
            Figure(f"memory of that beat ({provider})", megabytes, MOST_MEMORY, "MB"),
        ]

    return measured


def figures() -> list[Figure]:
    with tempfile.TemporaryDirectory() as folder:
        python = install_into(Path(folder) / "environment")
        return [*weight(python), *beats_with_a_model(python)]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
