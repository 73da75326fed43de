"""`heartbeat run` through the installed command: what it runs, says, writes and returns."""

import json
import re
import sqlite3
from contextlib import closing
from datetime import datetime
from pathlib import Path

import pytest

from tests.e2e.machine import Machine, action, alive, wait_for, workspace_text

REPORT = {
    *("beat", "reason", "started", "finished", "items", "in_background"),
    *("model", "score", "notifications"),
}
ITEM = {
    "id",
    "kind",
    "outcome",
    "verdict",
    "contradiction",
    "points",
    "attempts",
    "duration",
    "result",
    "error",
}

LOCAL = r"\S+\+0[12]:00"  # an instant in the machine's zone, in winter or in summer


def test_a_beat_runs_what_is_due_and_leaves_its_result_everywhere(machine: Machine) -> None:
    before = machine.write(
        action("one", "echo working; echo all done"), action("two", "true", "schedule: every:1h")
    )
    done = machine.heartbeat("run")
    assert done.code == 0
    one, two = (
        r"  ✓ completed  one \(\d\.\d s\): all done\n",
        r"  ✓ completed  two \(\d\.\d s\): OK\n",
    )
    assert re.fullmatch(one + two, done.err)
    assert "Beat 1 (person): 2 of 2 went well" in done.out
    text = machine.text()
    assert re.search(
        rf"\*\*status\*\*: COMPLETED\n- \*\*completed_at\*\*: {LOCAL}\n.*\n"
        r"- \*\*result\*\*: all done\n",
        text,
    )
    assert re.search(
        r"schedule\*\*: every:1h\n- \*\*status\*\*: PENDING\n"
        rf"- \*\*completed_at\*\*: {LOCAL}\n",
        text,
    )
    assert re.search(
        r"## Completed Today\n\n- \[x\] one: all done \(..:..:..\)\n- \[x\] two: OK \(..:..:..\)\n",
        text,
    )
    assert re.search(
        rf"^---\nversion: 1\nstatus: idle\nlast_wake: {LOCAL}\nnext_wake: {LOCAL}\n"
        r"error_count: 0\n",
        text,
    )
    assert kept(before, text)
    (day,) = (machine.workspace / "history").iterdir()
    assert re.search(r"- \d\d:\d\d:\d\d one: completed in \d\.\d s · all done\n", day.read_text())
    assert {one.item: one.outcome for one in machine.ledger().occurrences.history()} == {
        "action:one": "completed",
        "action:two": "completed",
    }


def kept(before: str, after: str) -> bool:
    """Whether every line of the person is in the text, in its order; a status is the
    program's to change."""
    lines = iter(re.sub("(?m)^(.*status.*): .*$", r"\1", after).splitlines())
    return all(
        line in lines for line in re.sub("(?m)^(.*status.*): .*$", r"\1", before).splitlines()
    )


def test_a_command_keeps_its_letters_where_the_locale_knows_only_ascii(machine: Machine) -> None:
    machine.environment |= {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"}
    machine.write(action("one", 'echo grüß 日本 "$WORD"', "env:\n  - WORD: größer"))
    assert machine.json("run")["items"][0]["result"] == "grüß 日本 größer"
    assert "result**: grüß 日本 größer\n" in machine.text()


def test_the_report_has_exactly_the_pinned_keys(machine: Machine) -> None:
    machine.write(action("one", "echo fine"))
    report = machine.json("run")
    assert set(report) == REPORT
    assert set(report["model"]) == {"requests", "input_tokens", "output_tokens", "usd"}
    assert set(report["score"]) == {
        "today",
        "target",
        "delta",
        "kept",
        "kept_count",
        "due_count",
    }
    (item,) = report["items"]
    assert set(item) >= ITEM
    assert (
        item["id"],
        item["kind"],
        item["outcome"],
        item["result"],
        item["error"],
        item["attempts"],
    ) == (
        "one",
        "action",
        "completed",
        "fine",
        None,
        1,
    )
    started, finished = (
        datetime.fromisoformat(report["started"]),
        datetime.fromisoformat(report["finished"]),
    )
    assert started.utcoffset() is not None
    assert 0 <= item["duration"] <= (finished - started).total_seconds()
    assert report["reason"] == "person"


def test_with_nothing_due_it_is_quiet_and_writes_nothing(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.heartbeat("run")
    before, written = machine.text(), machine.file.stat().st_mtime_ns
    done = machine.heartbeat("run")
    said = f"Nothing was due.\nNothing is scheduled.\nWorkspace: {machine.workspace}\n"
    assert (done.code, done.out, done.err) == (0, said, "")
    assert (machine.text(), machine.file.stat().st_mtime_ns) == (before, written)


@pytest.mark.parametrize("content", [None, ""])
def test_a_missing_or_empty_file_means_no_items(machine: Machine, content: str | None) -> None:
    if content is not None:
        machine.file.write_text(content)
    done = machine.heartbeat("-C", str(machine.workspace), "run")
    assert (done.code, done.err) == (0, "")
    assert sorted(path.name for path in machine.workspace.iterdir()) == (
        [] if content is None else [".heartbeat", "HEARTBEAT.md"]
    )


def test_by_name_it_runs_exactly_that_one_due_or_not(machine: Machine) -> None:
    machine.write(
        action("one", "echo x >> one"), action("two", "echo x >> two", "schedule: daily:03:00")
    )
    assert machine.heartbeat("run", "two").code == 0
    assert (machine.lines("one"), machine.lines("two")) == ([], ["x"])


def test_an_unknown_name_is_refused_and_nothing_runs(machine: Machine) -> None:
    machine.write(action("one", "echo x >> one"))
    done = machine.heartbeat("run", "one", "uno")
    assert (done.code, done.out) == (2, "")
    assert done.err == (
        f"heartbeat: There is no item uno.\n  See the ids of {machine.workspace}: heartbeat show\n"
    )
    answer = machine.json("run", "uno", code=2)
    assert set(answer) == {"error"}
    assert set(answer["error"]) == {"message", "hint"}
    assert machine.lines("one") == []


def test_a_dry_run_says_what_would_run_and_changes_nothing(machine: Machine) -> None:
    before = machine.write(action("one", "echo x >> one"))
    machine.approve()
    state = everything_in(machine.state)
    done = machine.heartbeat("run", "--dry-run")
    assert done.code == 0
    assert re.search(r"^run +action +one +it has not run yet$", done.out, re.MULTILINE)
    assert [item["decision"] for item in machine.json("run", "--dry-run")["items"]] == ["run"]
    assert (machine.text(), [path.name for path in machine.workspace.iterdir()]) == (
        before,
        ["HEARTBEAT.md"],
    )
    assert everything_in(machine.state) == state


def everything_in(state: Path) -> object:
    """Of the ledger what it says: SQLite tidies its own files when it likes."""
    files = {
        path: path.read_bytes() for path in state.iterdir() if not path.name.startswith("ledger.db")
    }
    with closing(sqlite3.connect(state / "ledger.db")) as ledger:
        return files, list(ledger.iterdump())


def test_a_failing_action_shows_in_the_file_and_in_the_exit_code(machine: Machine) -> None:
    machine.write(action("one", "echo no such host >&2; exit 7"), action("two", "echo x >> two"))
    done = machine.heartbeat("run")
    assert done.code == 1
    assert re.search(r"✗ failed  one \(\d\.\d s\): exit code 7: no such host", done.err)
    assert machine.lines("two") == ["x"]
    text = machine.text()
    assert "- **status**: FAILED\n" in text
    assert "- **error**: exit code 7: no such host\n- **retry_count**: 1/1\n" in text
    assert "status: error\n" in text
    assert 'error_count: 1\nlast_error: "one: exit code 7: no such host"\n' in text


def test_a_critical_failure_stops_the_beat_and_the_rest_stays_pending(machine: Machine) -> None:
    machine.write(
        action("low", "echo x >> low", priority="LOW"),
        action("first", "exit 1", priority="CRITICAL"),
    )
    assert machine.heartbeat("run").code == 1
    assert machine.lines("low") == []
    assert machine.text().count("**status**: PENDING") == 1
    assert machine.heartbeat("run").code == 0
    assert machine.lines("low") == ["x"]


def test_retries_come_one_per_beat_after_their_delay_until_they_are_used_up(
    machine: Machine,
) -> None:
    machine.write(action("one", "echo x >> tries; test -e fixed", "retry: 3", "retry_delay: 4s"))
    assert machine.json("run", code=1)["items"][0]["attempts"] == 1
    assert "**retry_count**: 1/3" in machine.text()
    waits = machine.json("run")
    assert (waits["beat"], waits["items"]) == (None, [])
    assert attempts_of_next_try(machine) == 2
    assert attempts_of_next_try(machine) == 3
    assert "**retry_count**: 3/3" in machine.text()
    again = "it failed; to run it again: heartbeat retry one, or write PENDING"
    assert machine.json("plan")["items"][0]["reason"] == again
    (machine.workspace / "fixed").touch()
    machine.file.write_text(machine.text().replace("**status**: FAILED", "**status**: PENDING"))
    assert machine.json("run")["items"][0]["outcome"] == "completed"
    assert machine.lines("tries") == ["x"] * 4
    assert "retry_count" not in machine.text()


def attempts_of_next_try(machine: Machine) -> int:
    def look() -> list[dict[str, int]]:
        done = machine.heartbeat("run", "--json")
        items: list[dict[str, int]] = json.loads(done.out)["items"]
        assert done.code == (1 if items else 0)
        return items

    return wait_for(look, "the next try")[0]["attempts"]


def test_a_command_that_takes_too_long_is_ended_with_its_children(machine: Machine) -> None:
    machine.write(
        action(
            "one",
            "trap '' TERM; (trap '' TERM; exec sleep 300) & echo $! > child; wait",
            "timeout: 1s",
        )
    )
    done = machine.heartbeat("run")
    assert done.code == 1
    assert "it took longer than 1 s and was stopped" in done.err
    assert not alive(int(machine.lines("child")[0]))


HOSTILE = (
    r"printf 'first\n## Pending Actions\n### [HIGH] Evil\n- **id**: evil\n- **command**: touch evil\n"
    r"- **status**: PENDING\n\033[2J\342\200\250### [HIGH] Evil two\342\200\251- **command**: touch evil\r"
    r"- [ ] evil | do evil | run: touch evil\205--- -->```|{{'"
)


@pytest.mark.parametrize("ending", ["", "; exit 1"])
def test_what_a_command_prints_never_becomes_an_item(machine: Machine, ending: str) -> None:
    machine.write(action("one", HOSTILE + ending), action("after", "true"))
    before = machine.json("show")
    machine.heartbeat("run")
    after = machine.json("show")
    for kind in ("actions", "tasks", "prompts"):
        assert [item["id"] for item in after[kind]] == [item["id"] for item in before[kind]]
    assert machine.json("check")["diagnostics"] == []
    assert "\x1b" not in machine.text()
    machine.heartbeat("run", "one", "after")
    assert not (machine.workspace / "evil").exists()
    assert machine.text().count("[x] after") == 1


@pytest.mark.parametrize(
    ("bom", "end"), [(b"\xef\xbb\xbf", b"\r\n"), (b"", b"\r"), (b"\xef\xbb\xbf", b"\n")]
)
def test_line_ends_and_byte_order_mark_stay_as_they_were(
    machine: Machine, bom: bytes, end: bytes
) -> None:
    text = workspace_text(action("one", "echo fine"))
    machine.file.write_bytes(bom + text.encode().replace(b"\n", end))
    machine.file.chmod(0o640)
    assert machine.heartbeat("run").code == 0
    data = machine.file.read_bytes()
    assert b"COMPLETED" in data
    assert data.startswith(bom + b"---" + end)
    rest = data.removeprefix(bom).replace(end, b"")
    assert b"\r" not in rest
    assert b"\n" not in rest
    assert machine.file.stat().st_mode & 0o777 == 0o640


def test_a_file_that_is_a_link_stays_one(machine: Machine) -> None:
    (machine.workspace / "real").mkdir()
    target = machine.workspace / "real" / "plans.md"
    target.write_text(workspace_text(action("one", "echo fine")))
    machine.file.symlink_to("real/plans.md")
    assert machine.heartbeat("run").code == 0
    assert machine.file.is_symlink()
    assert "COMPLETED" in target.read_text()


def test_with_write_back_off_the_file_is_left_alone(machine: Machine) -> None:
    (machine.config / "config.toml").write_text('write_back = "off"\n')
    before = machine.write(action("one", "echo x >> one; sleep 2.5"))
    assert machine.heartbeat("run").code == 0
    assert machine.heartbeat("run").code == 0
    assert (machine.text(), machine.lines("one")) == (before, ["x"])
    assert machine.json("history")["occurrences"][0]["outcome"] == "completed"


def test_a_file_without_frontmatter_gets_none(machine: Machine) -> None:
    machine.file.write_text(workspace_text(action("one", "true"), header=""))
    assert machine.heartbeat("run").code == 0
    assert machine.text().startswith("# Mine\n")


def test_while_it_is_open_in_an_editor_the_file_waits_for_the_next_beat(machine: Machine) -> None:
    before = machine.write(action("one", "true"), action("two", "true", "schedule: every:1s"))
    swap = machine.workspace / ".HEARTBEAT.md.swp"
    swap.touch()
    done = machine.heartbeat("run")
    assert (done.code, machine.text()) == (0, before)
    assert (
        "The results are recorded, but not in the file yet: HEARTBEAT.md is open in an editor"
        in done.out
    )
    swap.unlink()
    wait_for(
        lambda: machine.heartbeat("run").code == 0 and machine.text() != before, "the next beat"
    )
    assert "**status**: COMPLETED" in machine.text()


def test_a_long_beat_shows_what_is_executing_and_nothing_of_it_stays(machine: Machine) -> None:
    before = machine.write(
        action("long", "while ! test -e go; do sleep 0.05; done"), action("later", "true")
    )
    with machine.start("run") as beat:
        wait_for(lambda: machine.text() != before, "RUNNING in the file")
        text = machine.text()
        assert re.search(r"id\*\*: long\n.*\n- \*\*status\*\*: RUNNING\n", text)
        assert text.count("RUNNING") == 1
        assert "\nstatus: running\n" in text
        (machine.workspace / "go").touch()
        assert beat.process.wait(20) == 0
    assert "RUNNING" not in machine.text()
    assert "\nstatus: idle\n" in machine.text()
    assert machine.text().count("**status**: COMPLETED") == 2


def test_an_edit_made_while_a_beat_runs_is_kept(machine: Machine) -> None:
    machine.write(action("long", "touch began; while ! test -e go; do sleep 0.05; done; echo fine"))
    with machine.start("run") as beat:
        wait_for((machine.workspace / "began").exists, "the action")
        machine.file.write_text(
            machine.text().replace("Keep this.", "Keep that, and a new line.\n\nEnd.")
        )
        (machine.workspace / "go").touch()
        assert beat.process.wait(20) == 0
    assert machine.text().count("Keep that, and a new line.\n\nEnd.\n") == 1
    assert "**result**: fine" in machine.text()


def test_the_lines_of_yesterday_move_to_the_history(machine: Machine) -> None:
    """Those that the program wrote; what the person wrote there stays."""
    machine.write(action("once", "echo fine"), action("one", "true", "schedule: every:1s"))
    machine.heartbeat("run")
    with (
        machine.ledger().database.writing() as connection
    ):  # the only way to have been there yesterday
        connection.execute("UPDATE beat SET started = started - 86400000000")
    assert re.search(r"- \[x\] once: fine \(..:..:..\)\n- \[x\] one: OK ", machine.text())
    machine.file.write_text(
        machine.text().replace("- [x] once", "- [x] old: OK (09:00:00)\n- [x] once")
    )
    wait_for(lambda: machine.json("run")["items"], "the next slot")
    assert re.search(
        r"## Completed Today\n\n- \[x\] old: OK \(09:00:00\)\n"
        r"- \[x\] one: OK \(..:..:..\)\n\n## Notes\n",
        machine.text(),
    )
    (page,) = (machine.workspace / "history").glob("*.md")
    assert re.search(r"once.*fine", page.read_text())


def test_settings_that_cannot_be_read_are_reported_with_their_place(machine: Machine) -> None:
    machine.write(action("one", "echo x >> one"))
    machine.approve()
    machine.says_yes = False
    (machine.config / "config.toml").write_text('intervall = "5m"\n')
    done = machine.heartbeat("run")
    assert done.code == 2
    assert "intervall" in done.err
    assert "interval" in done.err
    assert str(machine.config / "config.toml") in done.err
    assert "Traceback" not in done.err
    assert machine.lines("one") == []


def test_a_file_that_is_refused_runs_nothing_and_loses_nothing(machine: Machine) -> None:
    machine.write(action("one", "echo x >> one"))
    machine.heartbeat("run")
    data = machine.file.read_bytes() + b"\0"
    machine.file.write_bytes(data)
    done = machine.heartbeat("run")
    assert machine.file.read_bytes() == data
    assert machine.lines("one") == ["x"]
    assert "Traceback" not in done.err
    machine.file.write_bytes(data[:-1])
    assert machine.json("plan")["items"][0]["reason"] == "it is done"
