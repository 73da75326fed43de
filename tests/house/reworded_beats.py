"""A scripted series of beats, and what ran in it: `python -m tests.house.reworded_beats [reword]`.

With `reword`, every sentence of the program is replaced by another one: an import hook changes each
text that contains a space before a module is compiled.

With `begin FOLDER` and `go_on FOLDER` two processes do beats over one ledger, so that the second
one can have other words than the first.
"""

import ast
import importlib.abc
import importlib.machinery
import importlib.util
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from types import CodeType, ModuleType
from typing import Any

REWORDED = ("core.", "tray_app.")
# Texts with spaces that are not sentences.
KEPT = (
    "core.adapters.ledger",  # SQL
    "core.model.agent",  # words that the ledger keeps
    "core.model.check",  # the same
    "core.model.light_dataclass",  # code
    "core.rules.checking.written",  # patterns, and words that people write
    "core.rules.reading.sections",  # headings of the file
    "core.rules.reading.strict_yaml",  # patterns
)


def reworded(text: str) -> str:
    """Another text with the same placeholders."""
    has_letters = any(one.isalpha() for one in text)
    is_sentence = " " in text.strip() or text.startswith(" ")
    return f"·{text.swapcase()}" if has_letters and is_sentence else text


class Reword(ast.NodeTransformer):
    def visit_FormattedValue(self, node: ast.FormattedValue) -> ast.FormattedValue:
        node.value = self.visit(node.value)  # and not its format
        return node

    def visit_Constant(self, node: ast.Constant) -> ast.Constant:
        if isinstance(node.value, str):
            return ast.copy_location(ast.Constant(reworded(node.value)), node)
        return node


class Loader(importlib.machinery.SourceFileLoader):
    def get_code(self, fullname: str) -> CodeType:
        """From the source, never from the bytecode on the disk."""
        path = self.get_filename(fullname)
        tree = Reword().visit(ast.parse(self.get_data(path)))
        return compile(ast.fix_missing_locations(tree), path, "exec")


class Finder(importlib.abc.MetaPathFinder):
    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if not fullname.startswith(REWORDED) or fullname.startswith(KEPT):
            return None

        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        if spec and isinstance(spec.loader, importlib.machinery.SourceFileLoader):
            spec.loader = Loader(fullname, spec.loader.path)

        return spec


def series() -> dict[str, Any]:
    """Beats with nearly every kind of waiting, and what follows from it."""
    from dataclasses import replace
    from datetime import timedelta

    from core.model.ledger import Pause
    from core.model.waiting import wait_of
    from tests.fakes.model import CHOICE
    from tests.stage import Stage, action, at

    text = (
        "---\nactive: 06:00-22:00\n---\n## Tasks\n\n"
        "- [ ] page | Keep a page | run: page\n- [ ] mail | Read the mail\n"
        "- [ ] note | Write a note | schedule: daily:11:29\n\n## Pending Actions\n\n"
        + action("disk", "schedule: hourly", "retry: 2", priority="CRITICAL")
        + action("copy", "schedule: hourly")
        + action("much", "schedule: hourly", "condition: disk.result > 3")
        + action("after", "depends_on: index")
        + action("index", "schedule: hourly", priority="BG")
        + action("last", "schedule: daily:23:00", priority="LOW")
        + "### [HIGH] unclear\n- id: unclear\n- type: shell\n"
    )
    stage = Stage(text)
    stage.settings = replace(stage.settings, interval=timedelta(minutes=30))
    told: list[int] = []
    ran: list[list[str]] = []
    wakes: list[str] = []
    items: list[list[tuple[str, str]]] = []
    words: list[str] = []

    def beat(now: str, *names: str) -> None:
        report = stage.beat(now, *names)
        ran.append(stage.ran)
        told.append(len(report.notices))
        wakes.append(str(report.next_wake))
        items.append([(one.id, str(one.outcome)) for one in report.items])
        words.extend(one.reason for one in report.items)
        words.extend(f"{one.title} {one.message}" for one in report.notices)

    beat("16 08:00")
    beat("16 09:00")
    stage.processes.endings["disk"] = 1
    beat("16 10:00")  # the CRITICAL action fails
    beat("16 10:01")  # what it stopped waits for its next try
    stage.processes.endings["disk"] = 0
    beat("16 10:02")
    beat("16 10:30")
    stage.agent.chosen = CHOICE
    beat("16 11:00")  # there is a model now
    stage.edit("mail | Read the mail", "mail | Read all the mail")
    stage.files.prompts |= {"news": "---\ntitle: News\n---\nRead the news.\n"}
    beat("16 11:00:20", "copy")
    beat("16 11:29:30")
    beat("16 11:30")  # work for a model has to wait for its minute
    beat("16 11:30:40")  # that is over
    stage.background.running.clear()
    beat("16 12:00")
    stage.says_yes = False
    stage.edit("command: copy", "command: copy all")
    beat("16 13:00")  # nobody approved that
    stage.ledger.requests.pause(Pause(at("16 13:10"), at("16 14:00")))
    beat("16 13:30")
    stage.says_yes = True
    beat("16 14:00", "copy", "much")
    beat("16 23:30")  # outside the active hours
    beat("17 06:00")

    rows = [
        (
            one.item,
            str(one.slot),
            one.beat,
            one.attempts,
            str(one.state),
            str(one.outcome),
            str(one.started),
            str(wait_of(one.why)),
        )
        for one in stage.ledger.occurrences.history()
    ]
    words += [one.reason for one in stage.ledger.occurrences.history()]
    happened = {"ran": ran, "told": told, "wakes": wakes, "items": items, "rows": rows}
    return {"happened": happened, "words": sorted({one for one in words if " " in one})}


TROUBLES = (
    "---\nactive: 06:00-22:00\n---\n## Tasks\n\n"
    "- [ ] page | Keep a page | run: page | verify: cmd:look\n"
    "- [ ] once | Try it once | run: once | max_attempts: 1\n"
    "- [ ] mail | Read the mail\n- [ ] never | Never | schedule: nonsense\n\n"
    "## Pending Actions\n\n"
    "### [HIGH] backup\n- id: backup\n- type: shell\n- command: backup\n- schedule: every:30m\n\n"
    "### [HIGH] copy\n- id: copy\n- type: shell\n- command: copy\n- schedule: every:30m\n\n"
    "### [HIGH] after\n- id: after\n- type: shell\n- command: after\n- depends_on: backup\n\n"
    "### [LOW] much\n- id: much\n- type: shell\n- command: much\n- condition: failures > 9\n\n"
    "### [LOW] early\n- id: early\n- type: file\n- operation: read\n- path: gone.md\n"
    "- schedule: every:30m\n\n"
    "### [HIGH] unclear\n- id: unclear\n- type: shell\n"
)


def over_one_ledger(folder: Path, *moments: str) -> dict[str, Any]:
    """Beats with troubles that stay, and all that a person could notice of them."""
    from dataclasses import replace
    from datetime import timedelta

    from core.adapters.ledger import SqliteLedger
    from core.engine.status import status_now
    from core.model.settings import NotifySettings
    from tests.approving import approve_all_in
    from tests.stage import ROOT, Stage, at

    stage = Stage(TROUBLES, ledger=SqliteLedger(folder / "ledger.db"))
    stage.settings = replace(
        stage.settings,
        interval=timedelta(minutes=30),
        notify=NotifySettings(per_hour=100),  # so that nothing is held back for a digest
    )
    gate = "gate:\n  command: look\n  permissions:\n    - '@shell'\n"
    stage.files.prompts |= {"news": f"---\ntitle: News\n{gate}---\nRead.\n"}
    approve_all_in(stage.world(), stage.workspace())
    stage.says_yes = False
    file = folder / "HEARTBEAT.md"
    text = file.read_text() if file.exists() else TROUBLES.replace("command: copy", "command: cp")
    stage.files.save(text)
    stage.processes.endings |= {"backup": 1, "look": 1, "once": 1}

    told: list[str] = []
    words: list[str] = []
    ran: list[list[str]] = []
    for moment in moments:
        report = stage.beat(moment)
        told += [notice.kind for notice in report.notices]
        words += [f"{one.title}: {one.message}" for one in report.notices]
        words += [one.reason for one in report.items]
        ran.append(stage.ran)

    file.write_text(stage.files.text)
    now = at(moments[-1])
    status = status_now(ROOT, stage.ledger, None, now, resident=True)
    announced = stage.ledger.announcements.current().announced
    happened = {
        "told": told,
        "ran": ran,
        "announced": {key.text: one.sameness for key, one in announced.items()},
        "needs": [need.trouble.text for need in status.needs],
        "state": str(status.state),
        "statuses": {one.id: str(one.status) for one in stage.workspace().document.actions},
        "rows": [
            (one.item, str(one.slot), one.beat, one.attempts, str(one.state), str(one.outcome))
            + (str(one.recorded), one.cause)
            for one in stage.ledger.occurrences.history()
        ],
    }
    return {"happened": happened, "words": sorted({one for one in words if " " in one})}


BEATS = {"begin": ("16 08:00", "16 08:30", "16 09:00"), "go_on": ("16 09:30", "16 10:00")}

if __name__ == "__main__":
    if "reword" in sys.argv:
        sys.meta_path.insert(0, Finder())

    if sys.argv[1:] and sys.argv[1] in BEATS:
        print(json.dumps(over_one_ledger(Path(sys.argv[2]), *BEATS[sys.argv[1]])))
    else:
        print(json.dumps(series()))
