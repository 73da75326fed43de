"""The commands that show or steer something: their words, and the JSON that is pinned."""

import json
import os
import re
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import pytest

from tests.e2e.machine import Machine, action, wait_for, workspace_text
from tests.made_pages import SCHEMAS

BERLIN = ZoneInfo("Europe/Berlin")
STATUS = {
    "workspace",
    "state",
    "paused_until",
    "last_beat",
    "next_beat",
    "score",
    "approvals_waiting",
    "model",
}
OCCURRENCE = {
    "beat",
    "id",
    "kind",
    "slot",
    "started",
    "finished",
    "outcome",
    "reason",
    "verdict",
    "contradiction",
    "points",
    "result",
    "error",
}


@pytest.fixture
def busy(machine: Machine) -> Machine:
    """A workspace in which something went well, something failed and something is still to come."""
    machine.write(
        action("good", "echo fine"),
        action("bad", "echo oh no; exit 9"),
        action("later", "true", "schedule: at:2126-03-05T10:00:00Z"),
    )
    assert machine.heartbeat("run").code == 1
    return machine


# -- plan ------------------------------------------------------------------------------------------


def test_plan_says_of_every_item_whether_it_would_run_and_why(busy: Machine) -> None:
    before = busy.file.read_bytes()
    done = busy.heartbeat("plan")
    assert (done.code, done.err) == (0, "")
    rows = [line.split(maxsplit=3) for line in done.out.splitlines()[:3]]
    assert [row[:3] for row in rows] == [
        ["skip", "action", "good"],
        ["skip", "action", "bad"],
        ["wait", "action", "later"],
    ]
    assert "it is done" in rows[0][3]
    assert "0 would run now. Next wake-up: " in done.out
    assert busy.file.read_bytes() == before


def test_the_plan_has_exactly_the_pinned_keys(busy: Machine) -> None:
    plan = busy.json("plan")
    assert set(plan) == {"now", "items", "next_wake"}
    assert abs(datetime.fromisoformat(plan["now"]) - datetime.now(BERLIN)) < timedelta(minutes=1)
    assert all(
        set(item) == {"id", "kind", "decision", "reason", "slot", "next"} for item in plan["items"]
    )
    assert plan["items"][2]["next"] == "2126-03-05T11:00:00+01:00"


def test_plan_at_another_time_is_made_as_if_it_were_then(busy: Machine) -> None:
    at_the_time = busy.json("plan", "--at", "2126-03-05T10:00:00Z")
    assert [item["decision"] for item in at_the_time["items"]] == ["skip", "skip", "run"]
    assert at_the_time["now"] == "2126-03-05T11:00:00+01:00"
    assert busy.json("plan")["items"][2]["decision"] == "wait"


def test_an_invalid_time_is_wrong_usage(busy: Machine) -> None:
    done = busy.heartbeat("plan", "--at", "soon")
    assert (done.code, done.out) == (2, "")
    assert done.err.startswith("heartbeat: ")
    assert "soon" in done.err
    assert set(busy.json("plan", "--at", "soon", code=2)["error"]) == {"message", "hint"}


# -- simulate --------------------------------------------------------------------------------------


def test_simulate_says_every_start_and_starts_nothing(machine: Machine) -> None:
    machine.write(
        action("half", "echo x >> ran", "schedule: every:30m"),
        action("noon", "true", "schedule: daily:12:00"),
    )
    answer = machine.json("simulate", "--hours", "24")
    assert {"hours", "starts", "model_calls"} <= set(answer)
    assert answer["hours"] == 24
    starts = [start["id"] for start in answer["starts"]]
    assert starts.count("noon") == 1
    assert starts.count("half") in (48, 49)
    noon = next(start for start in answer["starts"] if start["id"] == "noon")
    assert datetime.fromisoformat(noon["at"]).astimezone(BERLIN).hour == 12
    words = machine.heartbeat("simulate", "--hours", "24").out
    assert re.search(r"^  12:00:00  action  noon$", words, re.MULTILINE)
    assert f"{len(starts)} starts in 24 hours, 0 model calls." in words
    assert machine.lines("ran") == []
    assert not machine.states.exists()


@pytest.mark.parametrize("hours", ["nan", "inf", "-1", "soon"])
def test_an_invalid_number_of_hours_is_wrong_usage(machine: Machine, hours: str) -> None:
    done = machine.heartbeat("simulate", "--hours", hours)
    assert (done.code, done.out) == (2, "")
    assert "--hours" in done.err


# -- status ----------------------------------------------------------------------------------------


def test_status_shows_how_the_workspace_is_doing(busy: Machine) -> None:
    done = busy.heartbeat("status")
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"{busy.workspace}\n  not running")
    assert re.search(r"last beat: .* \((\d+ s ago|now)\)", done.out)
    assert re.search(r"next beat: .*2126", done.out)


def test_the_status_has_the_pinned_keys_and_no_others_but_these(busy: Machine) -> None:
    status = busy.json("status")
    assert set(status) == STATUS | {"paused", "enabled", "run_by", "running", "moved_from"}
    score = {"today", "target", "streak", "level", "kept", "kept_count", "due_count"}
    assert set(status["score"]) == score
    model = {"provider", "model", "requests_today", "usd_today", "key_from", "problem"}
    assert set(status["model"]) == model
    assert (status["workspace"], status["state"]) == (str(busy.workspace), "stopped")
    assert status["next_beat"] == "2126-03-05T11:00:00+01:00"
    assert datetime.fromisoformat(status["last_beat"]).utcoffset() is not None


def test_while_a_beat_runs_the_status_says_so(machine: Machine) -> None:
    machine.write(action("long", "touch began; while ! test -e go; do sleep 0.05; done"))
    with machine.start("run") as beat:
        wait_for((machine.workspace / "began").exists, "the action")
        assert machine.json("status")["state"] == "running"
        (machine.workspace / "go").touch()
        assert beat.process.wait(20) == 0
    assert machine.json("status")["state"] == "stopped"


def test_asking_makes_no_state(machine: Machine) -> None:
    machine.write(action("one", "true"))
    for words in (
        ["status"],
        ["history"],
        ["plan"],
        ["config"],
        ["simulate"],
        ["run", "--dry-run"],
    ):
        assert machine.heartbeat(*words).code == 0
    assert not machine.states.exists()


# -- history ---------------------------------------------------------------------------------------


def test_history_shows_what_happened_newest_first(busy: Machine) -> None:
    done = busy.heartbeat("history")
    assert (done.code, done.err) == (0, "")
    lines = done.out.splitlines()
    assert [("bad" in line, "good" in line) for line in lines] == [(True, False), (False, True)]
    assert re.search(r"failed +bad +exit code 9: oh no \(\d+\.\d s\)$", lines[0])


def test_the_history_has_the_pinned_keys_and_no_others_but_these(busy: Machine) -> None:
    answer = busy.json("history")
    assert set(answer) == {"occurrences"}
    keys = OCCURRENCE | {"check_fails", "self_reported", "ruling", "undone"}
    assert all(set(one) == keys for one in answer["occurrences"])
    bad = answer["occurrences"][0]
    assert (bad["id"], bad["outcome"], bad["error"], bad["beat"]) == (
        "bad",
        "failed",
        "exit code 9: oh no",
        1,
    )
    assert datetime.fromisoformat(bad["started"]) <= datetime.fromisoformat(bad["finished"])


@pytest.mark.parametrize(
    ("words", "found"),
    [
        (["good"], ["good"]),
        (["nobody"], []),
        (["--outcome", "failed"], ["bad"]),
        (["--outcome", "interrupted"], []),
        (["--limit", "1"], ["bad"]),
        (["--day", "TODAY"], ["bad", "good"]),
        (["--day", "2020-02-29"], []),
        (["good", "--outcome", "completed", "--day", "TODAY"], ["good"]),
    ],
)
def test_history_can_be_filtered(busy: Machine, words: list[str], found: list[str]) -> None:
    today = f"{datetime.now(BERLIN):%Y-%m-%d}"
    filters = [today if word == "TODAY" else word for word in words]
    assert [one["id"] for one in busy.json("history", *filters)["occurrences"]] == found
    lines = busy.heartbeat("history", *filters).out.splitlines()
    assert len(lines) == (len(found) or 1)
    assert found or lines == ["Nothing matches."]


@pytest.mark.parametrize(
    "words", [["--outcome", "splendid"], ["--day", "yesterday"], ["--limit", "0"], ["--nonsense"]]
)
def test_wrong_usage_ends_with_exit_code_two(busy: Machine, words: list[str]) -> None:
    done = busy.heartbeat("history", *words)
    assert (done.code, done.out) == (2, "")
    assert "See: heartbeat history --help" in done.err
    assert set(busy.json("history", *words, code=2)["error"]) == {"message", "hint"}


def test_a_day_that_is_not_a_date_is_answered_with_one(busy: Machine) -> None:
    done = busy.heartbeat("history", "--day", "yesterday")
    assert "'yesterday' is not a date; write one like 2026-11-18." in done.err
    assert "%" not in done.err


# -- pause and resume ------------------------------------------------------------------------------


@pytest.mark.parametrize(("length", "seconds"), [("30m", 1800), ("1h30m", 5400)])
def test_a_pause_lasts_as_long_as_it_says(machine: Machine, length: str, seconds: int) -> None:
    machine.write(action("one", "true", "schedule: every:1h"))
    before = datetime.now(BERLIN)
    until = datetime.fromisoformat(machine.json("pause", length)["until"])
    assert timedelta(0) <= until - before - timedelta(seconds=seconds) < timedelta(seconds=20)
    assert machine.json("status")["paused_until"] == until.isoformat()


def test_a_pause_until_resumed_and_its_end(machine: Machine) -> None:
    machine.write(action("one", "true"))
    assert (
        machine.heartbeat("pause").out
        == "Paused until you resume it. To resume: heartbeat resume\n"
    )
    assert (machine.json("status")["paused_until"], machine.json("status")["next_beat"]) == (
        None,
        None,
    )
    assert machine.heartbeat("run").code == 0  # the person may always
    assert machine.heartbeat("resume").out == "Resumed.\n"
    assert machine.heartbeat("resume").out == "It was not paused.\n"


def test_a_pause_until_tomorrow_ends_at_midnight_here(machine: Machine) -> None:
    machine.write(action("one", "true"))
    today = datetime.now(BERLIN).date()
    until = datetime.fromisoformat(machine.json("pause", "tomorrow")["until"])
    assert until.astimezone(BERLIN).replace(tzinfo=None) == datetime.combine(
        today + timedelta(days=1), datetime.min.time()
    )


@pytest.mark.parametrize("length", ["soon", "0s", "2020-01-01T00:00:00Z", "5 parsecs"])
def test_an_invalid_pause_is_refused_and_nothing_is_paused(machine: Machine, length: str) -> None:
    machine.write(action("one", "true"))
    done = machine.heartbeat("pause", length)
    assert (done.code, done.out) == (2, "")
    assert machine.json("status")["paused_until"] is None


# -- open, config, where ---------------------------------------------------------------------------


def test_open_starts_the_registered_editor_with_the_file(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.register_editor()
    assert machine.heartbeat("open").code == 0
    opened = machine.folder / "home" / "opened"
    assert (
        wait_for(lambda: opened.exists() and opened.read_text(), "the editor")
        == f"{machine.file}\n"
    )


@pytest.mark.parametrize(
    ("words", "name"),
    [
        (["--schema"], "settings"),
        (["--schema", "config.toml"], "settings"),
        (["--schema", "config.json"], "workspace-settings"),
    ],
)
def test_config_prints_the_schema_of_a_settings_file(
    machine: Machine, words: list[str], name: str
) -> None:
    """Also where the settings themselves are wrong: that is when somebody wants it."""
    (machine.config / "config.toml").write_text("intervall = 1\n")
    published = SCHEMAS / f"{name}.json"
    assert machine.json("config", *words) == json.loads(published.read_text(encoding="utf-8"))
    assert machine.json("config", code=2)["error"]["hint"] == "Did you mean `interval`?"


def test_config_lists_every_value_and_where_it_comes_from(machine: Machine) -> None:
    machine.write(action("one", "true"))
    (machine.config / "config.toml").write_text(
        'interval = "45m"\nwrite_back = "off"\n[agent]\nmodel = "m"\n'
    )
    (machine.workspace / "config.json").write_text('{"heartbeat": {"intervalMs": 600000}}')
    answer = machine.json("config")
    assert answer["interval"] == {"value": "10m", "source": str(machine.workspace / "config.json")}
    assert answer["write_back"] == {"value": "off", "source": str(machine.config / "config.toml")}
    assert answer["agent.model"] == {"value": "m", "source": str(machine.config / "config.toml")}
    assert answer["beat_budget"] == {"value": "10m", "source": "default"}
    words = machine.heartbeat("config").out
    assert words.startswith(f"# {machine.config / 'config.toml'}\n")
    source = re.escape(str(machine.workspace / "config.json"))
    assert re.search(rf'^interval +"10m"   \({source}\)$', words, re.MULTILINE)


def test_the_workspace_is_the_nearest_folder_upward(machine: Machine) -> None:
    machine.write(action("one", "true"))
    inner = machine.workspace / "a" / "b"
    inner.mkdir(parents=True)
    machine.environment["PWD"] = str(inner)
    (machine.folder / "elsewhere").mkdir()
    done = machine.heartbeat("-C", str(machine.folder / "elsewhere"), "plan")
    assert done.out.startswith("Nothing to do: the workspace has no items.\n")
    machine.environment["HEARTBEAT_WORKSPACE"] = str(machine.folder / "elsewhere")
    assert machine.json("status")["workspace"] == str(machine.folder / "elsewhere")
    del machine.environment["HEARTBEAT_WORKSPACE"]
    assert machine.json("status")["workspace"] == str(machine.workspace)


def test_a_missing_workspace_is_reported(machine: Machine) -> None:
    for words in (
        ["run"],
        ["status"],
        ["plan"],
        ["daemon"],
        ["tray"],
        ["open"],
        ["pause"],
        ["history"],
    ):
        done = machine.heartbeat("-C", str(machine.folder / "nowhere"), *words)
        assert (done.code, done.out) == (2, "")
        assert f"There is no folder {machine.folder / 'nowhere'}." in done.err
        assert f"heartbeat init '{machine.folder / 'nowhere'}'" in done.err

    (machine.folder / "page.txt").touch()
    done = machine.heartbeat("-C", str(machine.folder / "page.txt"), "status")
    assert (done.code, done.out) == (2, "")
    assert f"{machine.folder / 'page.txt'} is not a folder." in done.err


def test_a_known_workspace_whose_folder_is_away_is_not_to_be_made_again(machine: Machine) -> None:
    """Its disk is not mounted, or somebody renamed the folder."""
    place = machine.folder / "disk" / "mine"
    place.mkdir(parents=True)
    (place / "HEARTBEAT.md").write_text(workspace_text(action("a", "true")))
    machine.heartbeat("-C", str(place), "run")
    place.parent.rename(machine.folder / "unmounted")

    (machine.config / "config.toml").write_text(f'workspace = "{place}"\n')
    for named in (["-C", str(place)], []):
        for words in (["status"], ["run"], ["history"]):
            done = machine.heartbeat(*named, *words)
            assert (done.code, done.out) == (2, ""), words
            assert f"The workspace's folder {place} is not there." in done.err
            assert "mount its disk" in done.err
            assert "init" not in done.err

        (found,) = (
            one
            for one in machine.json(*named, "doctor", code=1)["findings"]
            if one["name"] == "workspace"
        )
        assert found["message"] == f"The workspace's folder {place} is not there."
        assert "init" not in found["mend"]

    assert not place.parent.exists()
    (machine.folder / "unmounted").rename(place.parent)
    assert machine.json("status")["workspace"] == str(place)


def test_what_the_doctor_tried_does_not_make_a_workspace_known(machine: Machine) -> None:
    place = machine.folder / "never"
    (machine.config / "config.toml").write_text(f'workspace = "{place}"\n')
    assert machine.heartbeat("doctor").code == 1
    assert machine.state.is_dir()
    assert "Make one in this folder: heartbeat init" in machine.heartbeat("status").err


def test_a_closed_pipe_is_not_an_error(machine: Machine) -> None:
    machine.write(*(action(f"a{number}", "true") for number in range(200)))
    reading, writing = os.pipe()
    os.close(reading)
    try:
        done = machine.heartbeat("plan", before=["sh", "-c", f'exec "$0" "$@" >&{writing}'])
    finally:
        os.close(writing)
    assert "Traceback" not in done.err


def test_a_pause_shows_in_everything_said_about_the_future(machine: Machine) -> None:
    machine.write(action("poll", "true", "schedule: every:2m"))
    machine.heartbeat("run")
    machine.heartbeat("pause", "1h")
    for words in (["status"], ["plan"], ["simulate"], ["run"]):
        assert "aused until" in machine.heartbeat(*words).out, words
    end = datetime.fromisoformat(machine.json("status")["paused_until"])
    assert datetime.fromisoformat(machine.json("plan")["next_wake"]) == end
    assert (
        datetime.fromisoformat(machine.json("simulate", "--hours", "2")["starts"][0]["at"]) == end
    )
    assert machine.json("simulate", "--hours", "0.5")["starts"] == []
    machine.heartbeat("pause")
    assert machine.json("plan")["next_wake"] is None
    assert machine.json("simulate")["starts"] == []
    assert machine.heartbeat("run").out.splitlines()[-2] == "Paused until you resume it."


def test_what_is_switched_off_says_so(machine: Machine) -> None:
    machine.write(action("poll", "echo hi >> ran", "schedule: every:1s"))
    (machine.workspace / "config.json").write_text('{"heartbeat": {"enabled": false}}')
    assert machine.json("simulate")["starts"] == []
    assert "enabled = false" in machine.heartbeat("simulate").out
    with machine.start("daemon") as daemon:
        daemon.wait_until_said("enabled = false")
        assert "enabled = false" in machine.heartbeat("status").out
        assert machine.json("status")["enabled"] is False
    assert machine.lines("ran") == []


def test_a_workspace_of_another_machine_says_so_and_offers_to_take_over(machine: Machine) -> None:
    machine.write(action("poll", "true", "schedule: daily:23:00"))
    with machine.start("daemon") as daemon:
        daemon.wait_until_said("Watching")
        wait_for(lambda: machine.json("status")["next_beat"], "the first plan")
        owner = machine.workspace / ".heartbeat" / "owner.json"
        owner.write_text(
            json.dumps({**json.loads(owner.read_text()), "machine": "other", "name": "laptop"})
        )
        status = machine.heartbeat("status").out
        assert "run by laptop" in status
        assert "--take-over" in status
        assert (machine.json("status")["run_by"], machine.json("status")["next_beat"]) == (
            "laptop",
            None,
        )
        assert "laptop runs this workspace" in machine.heartbeat("run", "poll").err
        assert machine.heartbeat("daemon", "--take-over").code == 0
        assert machine.json("status")["run_by"] is None


# -- items by name ---------------------------------------------------------------------------------

TASKS = (
    "## Tasks\n\n- [x] ticked | Done long ago | run: true\n- [ ] My Id | Mine | run: false | "
    "max_attempts: 1\n\n"
)


@pytest.fixture
def tried(machine: Machine) -> Machine:
    """A workspace of which everything had its first try."""
    header = "---\nversion: 1\n---\n" + TASKS
    late = action("late", "true", "schedule: daily:23:59")
    machine.file.write_text(
        workspace_text(action("good", "true"), action("bad", "exit 3"), late, header=header)
    )
    assert machine.heartbeat("run").code == 1
    return machine


@pytest.mark.parametrize(
    ("item", "words"),
    [("good", "did not fail; it is done"), ("ticked", "it is ticked"), ("late", "not before")],
)
def test_retry_refuses_what_did_not_fail_and_says_what_its_state_is(
    tried: Machine, item: str, words: str
) -> None:
    done = tried.heartbeat("retry", item)
    assert done.code == 2
    assert words in done.err


def test_retry_says_when_the_item_runs_again(tried: Machine) -> None:
    assert (
        tried.heartbeat("retry", "bad").out
        == "bad runs again in the next beat (to run it now: heartbeat run).\n"
    )
    assert "my_id runs again: not before the tick of" in tried.heartbeat("retry", "My Id").out
    assert {item["id"] for item in tried.json("run", code=1)["items"]} >= {"bad", "my_id"}


def test_a_task_that_is_named_and_does_not_run_says_why(tried: Machine) -> None:
    done = tried.heartbeat("run", "ticked", "My Id")
    assert done.code == 1
    assert "ticked: it is ticked" in done.out
    assert "my_id: it failed once; change its line, or: heartbeat retry my_id" in done.out
    assert "Nothing ran." in done.out
    assert [item["outcome"] for item in tried.json("run", "ticked", code=1)["items"]] == ["skipped"]


def test_a_run_by_name_leaves_the_next_slot_where_it_is(tried: Machine) -> None:
    (late,) = (
        one for one in tried.json("run", "late", "--dry-run")["items"] if one["id"] == "late"
    )
    assert late["decision"] == "run"
    assert datetime.fromisoformat(late["next"]).strftime("%H:%M") == "23:59"


def test_the_workspace_may_be_named_after_the_command_too(tried: Machine) -> None:
    home = tried.folder / "home"
    for words in (
        ["status"],
        ["history"],
        ["plan"],
        ["show"],
        ["open"],
        ["run", "ticked"],
        ["key", "list"],
    ):
        assert "No such option" not in tried.heartbeat(*words, "-C", str(home)).err
    tried.environment["HEARTBEAT_WORKSPACE"] = str(home)
    assert tried.json("status", "-C", str(tried.workspace))["workspace"] == str(tried.workspace)
    assert tried.json("-C", str(home), "status", "--workspace", str(tried.workspace))[
        "workspace"
    ] == str(tried.workspace)


def test_what_was_not_verified_can_be_listed(machine: Machine) -> None:
    tasks = "- [ ] good | G | run: true\n- [ ] lie | L | run: true | verify: file:nowhere\n"
    machine.file.write_text(f"## Tasks\n\n{tasks}")
    machine.heartbeat("run")
    listed = machine.json("history", "--verdict", "not_verified")["occurrences"]
    assert [(one["id"], one["outcome"]) for one in listed] == [("lie", "completed")]
    assert machine.json("history", "good", "--verdict", "not_verified")["occurrences"] == []


# -- what the person has to know of a run ----------------------------------------------------------


def test_a_file_that_is_refused_is_named_for_as_long_as_it_is_so(tried: Machine) -> None:
    tried.file.write_bytes(tried.file.read_bytes() + b"\0")
    tried.heartbeat("run")
    for words in (["run"], ["plan"], ["status"]):
        assert "HEARTBEAT.md is not read" in tried.heartbeat(*words).out, words
    assert "NUL" in tried.heartbeat("show").out
    tried.file.unlink()
    for words in (["run"], ["plan"]):
        assert "gone" in tried.heartbeat("-C", str(tried.workspace), *words).out, words


def test_a_notice_names_what_it_is_about(machine: Machine) -> None:
    machine.allow_notifications()
    machine.file.write_text("## Tasks\n\n- [ ] bad | B | run: false | max_attempts: 1\n")
    said = machine.heartbeat("run").out
    assert "bad failed: exit code 1\nIt failed once and is not tried again." in said
    assert "used up" not in said  # one event is one notification


def test_how_to_set_a_model_up_is_said_once(machine: Machine) -> None:
    machine.allow_notifications()
    with (machine.config / "config.toml").open("a") as config:
        config.write('[agent]\nprovider = "none"\n')
    machine.file.write_text("## Tasks\n\n- [ ] one | Think\n- [ ] two | Think again\n")
    for _ in range(2):
        said = machine.heartbeat("run").out
        assert said.count("Change `provider` under [agent] in config.toml") == 1
        assert "heartbeat key set" not in said  # a key alone would change nothing
        assert said.count("needs a model  ") == 2
        assert said.count(": config.toml says that there is none.\n") == 2


# -- zones -----------------------------------------------------------------------------------------


def test_every_command_speaks_in_the_zone_of_the_workspace(machine: Machine) -> None:
    """Some 14 hours lie between Berlin and one of these two: their days differ at any moment."""
    berlin = datetime.now(BERLIN)
    zone = max(
        (ZoneInfo(name) for name in ("Pacific/Pago_Pago", "Pacific/Kiritimati")),
        key=lambda one: abs(datetime.now(one).date() - berlin.date()),
    )
    task = "## Tasks\n\n- [ ] tidy | Tidy up | run: true\n\n"
    header = f"---\ntimezone: {zone.key}\n---\n"
    machine.file.write_text(workspace_text(action("a", "echo hi"), header=header + task))
    assert machine.heartbeat("run").code == 0
    today = datetime.now(zone)
    assert today.date() != berlin.date()
    assert machine.json("score")["today"] == machine.json("status")["score"]["today"] == 10
    assert len(machine.json("history", "--day", f"{today:%Y-%m-%d}")["occurrences"]) == 2
    offset = f"{today:%z}"[:3]
    for moment in (
        machine.json("history")["occurrences"][0]["started"],
        machine.json("status")["last_beat"],
        machine.json("status")["next_beat"],
        machine.json("plan")["now"],
        machine.json("pause", "tomorrow")["until"],
        machine.json("status")["paused_until"],
    ):
        assert moment[-6:-3] == offset, moment
    assert datetime.fromisoformat(machine.json("status")["paused_until"]).hour == 0
    machine.heartbeat("resume")
    said = machine.heartbeat("run").out.splitlines()[-2]
    assert re.search(
        rf"{today + timedelta(minutes=30):%H:}|{today + timedelta(minutes=31):%H:}", said
    ), said
