"""What a beat sends to a model: requests, bytes and tokens, counted by the server that receives
them.

`python -m tests.bench.tokens`. Whole beats of the program. Goals:
nothing due, no request; the first request of five due tasks with their tools at most 1,600
tokens and 6.5 kB, the whole first beat at most 3,200 tokens; beat 2 to 20 at most 1.3 times the
first. A token is counted as four bytes: no tokenizer is at hand that both providers would agree
with.
"""

import json
import os
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

from core.engine import beat as engine
from core.model.occurrence import BeatReason, Verdict
from core.model.plan import BeatRequest
from core.model.report import BeatReport
from core.services import Services
from tests.bench.figure import Figure, report
from tests.model_server import BYTES_PER_TOKEN, Call, ModelServer, Received, Reply, Say

BEATS = 20
MOST_TOKENS, MOST_BYTES, MOST_GROWTH = 1600, 6500, 1.3
MOST_TOKENS_OF_A_BEAT = 3200
TASKS = {
    "inbox": (
        "Look through inbox.txt and list what needs an answer today in answers.md",
        "file:answers.md fresh<1h",
    ),
    "backup": (
        "See whether last night's backup in backups/ is there and not empty",
        "backup_listed",
    ),
    "notes": ("Put today's date at the top of notes.md", "file:notes.md changed"),
    "todo": ("Move finished lines of todo.md to done.md", "file:done.md size>0"),
    "weather": ("Write a one-line summary of weather.txt to summary.md", "file:summary.md size>10"),
}
WRITTEN = ("answers.md", "notes.md", "done.md", "summary.md")
FILE = "# My day\n\nI work on the Larch project; mornings are for mail.\n\n## Tasks\n" + "".join(
    f"- [ ] {name} | {words} | required | verify: {hint}\n" for name, (words, hint) in TASKS.items()
)
NOTHING_DUE = FILE.replace("| required", "| required | schedule: every:30d")


def work(received: Received, beat: int) -> Reply:
    """Does what can be done, reports each task, and ends: two requests, and one for the judge. If
    it were asked once more, it would have nothing to say."""
    if "You judge" in received.text:
        answers = {
            "answers": [
                {
                    "task_id": "backup",
                    "verdict": "verified",
                    "contradiction": False,
                    "quote": "backup.tar",
                    "reason": "it is listed",
                }
            ]
        }
        return (
            Say("", (Call("answer", answers),))
            if "system" in received.body
            else Say(json.dumps(answers))
        )
    answered = received.text.count('"role": "tool"') + received.text.count('"type": "tool_result"')
    if not answered:
        writes = [
            Call("write_file", {"path": name, "content": f"beat {beat}, as asked\n"})
            for name in WRITTEN
        ]
        return Say("", (Call("list_files", {"pattern": "backups/*"}), *writes))
    if answered <= len(WRITTEN) + 1:
        return Say(
            "",
            tuple(
                Call(
                    "report_task",
                    {
                        "task_id": name,
                        "outcome": "done",
                        "result": f"did {name}",
                        "facts": {"files": 1},
                    },
                )
                for name in TASKS
            ),
        )
    return Say("HEARTBEAT_OK")


@contextmanager
def workspace(text: str, provider: str, base_url: str) -> Iterator[Path]:
    """A person's folders, for this process."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for one, place in (("CONFIG", "config"), ("STATE", "state")):
            (folder / place).mkdir()
            os.environ[f"HEARTBEAT_{one}_DIR"] = str(folder / place)
        os.environ["PYTHON_KEYRING_BACKEND"] = "keyring.backends.fail.Keyring"
        os.environ |= {
            "ANTHROPIC_API_KEY": "sk-bench-0000000",
            "OPENAI_API_KEY": "sk-bench-0000000",
        }
        settings = (
            f'[agent]\nprovider = "{provider}"\nmodel = "scripted"\nbase_url = "{base_url}"\n'
        )
        (folder / "config" / "config.toml").write_text(settings)
        root = folder / "workspace"
        root.mkdir()
        (root / "HEARTBEAT.md").write_text(text)
        (root / "backups").mkdir()
        (root / "backups" / "backup.tar").write_text("bytes")
        yield root


def beat(root: Path) -> BeatReport:
    world = Services(root)
    report = engine.beat(world, BeatRequest(BeatReason.PERSON, items=tuple(TASKS)))
    world.ledger.close()
    assert isinstance(report, BeatReport)
    return report


def measure(provider: str) -> list[Figure]:
    with ModelServer() as server, workspace(FILE, provider, server.base_url(provider)) as root:
        beats: list[list[Received]] = []
        for number in range(BEATS):
            server.play(*[partial(work, beat=number)] * 10)
            verdicts = [item.verdict for item in beat(root).items]
            assert verdicts == [Verdict.VERIFIED] * len(TASKS), verdicts
            beats.append(list(server.received))
    first = beats[0][0]
    sizes = [sum(one.size for one in received) for received in beats]
    growth = max(sizes[1:]) / sizes[0]
    print(f"{provider}: five due tasks")
    print(f"  first request   {first.size:6} bytes  {first.size // BYTES_PER_TOKEN:5} tokens")
    print(
        f"  whole beat 1    {sizes[0]:6} bytes  {sizes[0] // BYTES_PER_TOKEN:5} tokens in "
        f"{len(beats[0])} requests"
    )
    print(
        f"  beats 2 to {BEATS}   at most {growth:.2f} times beat 1; last {sizes[-1]} bytes in "
        f"{len(beats[-1])} requests"
    )
    return [
        Figure(
            f"tokens of the first request for five due tasks, with the tools ({provider})",
            first.size // BYTES_PER_TOKEN,
            MOST_TOKENS,
        ),
        Figure(f"bytes of that request ({provider})", first.size, MOST_BYTES),
        Figure(
            f"tokens of the whole first beat for five due tasks ({provider})",
            sizes[0] // BYTES_PER_TOKEN,
            MOST_TOKENS_OF_A_BEAT,
        ),
        Figure(
            f"bytes of beats 2 to {BEATS}, as a multiple of the first ({provider})",
            growth,
            MOST_GROWTH,
        ),
    ]


def measure_idle() -> Figure:
    with (
        ModelServer() as server,
        workspace(NOTHING_DUE, "openai", server.base_url("openai")) as root,
    ):
        server.play(*[partial(work, beat=0)] * 10)
        beat(root)
        server.play()
        world = Services(root)
        for _ in range(5):
            engine.beat(world, BeatRequest(BeatReason.TIMER))
        world.ledger.close()
        print(f"nothing due, five beats: {len(server.received)} requests")
        return Figure("requests with nothing due", len(server.received), 0)


def figures() -> list[Figure]:
    return [*measure("anthropic"), *measure("openai"), measure_idle()]


if __name__ == "__main__":
    sys.exit(report(figures, __doc__))
