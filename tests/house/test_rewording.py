"""Nothing is decided by comparing sentences: rewording all of them changes nothing that runs."""

import ast
import json
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

from tests.house.reworded_beats import Reword

ROOT = Path(__file__).parents[2]


def told_by(*words: str) -> dict[str, Any]:
    done = subprocess.run(
        [sys.executable, "-m", "tests.house.reworded_beats", *words],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    said: dict[str, Any] = json.loads(done.stdout)
    return said


def test_rewording_every_sentence_changes_nothing_that_runs() -> None:
    plain, other = told_by(), told_by("reword")
    assert other["happened"] == plain["happened"]

    waits = {row[-1] for row in plain["happened"]["rows"]}
    assert {"undecided", "still_running", "dependency"} <= waits, "the series has lost its point"
    reasons = " ".join(plain["words"])
    for sentence in ("the beat stopped", "once per minute", "its minute is over", "active hours"):
        assert sentence in reasons, "the series has lost its point"

    assert not {*plain["words"]} & {*other["words"]}


def test_an_update_that_rewords_everything_starts_and_announces_nothing_again(
    tmp_path: Path,
) -> None:
    """The first beats have today's words, the later ones others, and the ledger is one."""
    before = tmp_path / "before"
    before.mkdir()
    first = told_by("begin", str(before))
    announced = first["happened"]["announced"]
    assert {key.partition(":")[0] for key in announced} == {
        "approval",
        "exhausted",
        "failure",
        "model",
        "score_drop",
    }, "the beats have lost their point"
    assert "permission" in first["happened"]["told"]

    plain, other = tmp_path / "plain", tmp_path / "other"
    shutil.copytree(before, plain)
    shutil.copytree(before, other)
    later = told_by("go_on", str(plain))
    reworded = told_by("go_on", str(other), "reword")

    assert reworded["happened"] == later["happened"]
    assert reworded["happened"]["told"] == []
    assert reworded["happened"]["announced"] == announced
    assert not {*later["words"]} & {*reworded["words"]}


def test_a_decision_by_a_sentence_would_come_out_otherwise() -> None:
    source = (
        'def holds(reason: str) -> bool:\n    return reason.startswith("it is still running")\n'
    )
    tree = ast.fix_missing_locations(Reword().visit(ast.parse(source)))
    known: dict[str, Any] = {}
    exec(compile(tree, "reworded", "exec"), known)
    assert not known["holds"]("it is still running")
