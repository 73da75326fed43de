"""What the commands say about the score, the settings, colours and zones, as a person reads it."""

from tests.e2e.machine import Machine, action
from tests.e2e.terminal import terminal

TASKS = "## Tasks\n\n- [ ] good | Good | run: true\n- [ ] bad | Bad | run: false\n"
ZONED = "---\ntimezone: Pacific/Auckland\n---\n"


def test_score_explains_its_numbers_and_hides_levels(machine: Machine) -> None:
    machine.file.write_text(TASKS)
    machine.heartbeat("run")
    said = machine.heartbeat("score", "--explain").out
    assert "Your target today is 50: the least that a day asks for." in said
    assert "level" not in said
    assert "lockdown" not in machine.heartbeat("score").out + machine.heartbeat("status").out
    assert machine.json("score")["level"] is None

    (machine.config / "config.toml").write_text("[accountability]\nconsequences = true\n")
    level = machine.json("score")["level"]
    assert level is not None
    assert machine.json("status")["score"]["level"] == level
    assert "Your level is" in machine.heartbeat("score", "--explain").out


def test_status_and_history_say_that_the_settings_cannot_be_read(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.heartbeat("run")
    (machine.config / "config.toml").write_text("interval = [\n")
    status = machine.heartbeat("status")
    assert (status.code, "The settings cannot be read: " in status.out) == (0, True)
    assert "config.toml" in status.out
    history = machine.heartbeat("history")
    assert (history.code, "completed" in history.out) == (0, True)
    assert "The settings cannot be read: " in history.err


def test_config_prints_servers_and_channels_as_the_person_wrote_them(machine: Machine) -> None:
    machine.write(action("one", "true"))
    (machine.config / "config.toml").write_text(
        '[mcp.servers.notes]\ncommand = "notes-server"\nargs = ["--quiet"]\n'
        '[channels.phone]\ntype = "ntfy"\ntopic = "me"\n'
    )
    done = machine.heartbeat("config")
    assert (done.code, done.err) == (0, "")
    said = done.out
    rows = {line.split()[0]: line for line in said.splitlines()[1:]}
    assert '"notes-server"' in rows["mcp.servers.notes.command"]
    assert '["--quiet"]' in rows["mcp.servers.notes.args"]
    assert '"ntfy"' in rows["channels.phone.type"]
    assert all("config.toml" in line for name, line in rows.items() if name.count(".") > 1)
    assert "McpServer" not in said
    assert machine.json("config")["mcp.servers.notes.command"]["source"] != "default"


def test_a_second_run_without_a_model_says_the_whole_hint(machine: Machine) -> None:
    machine.file.write_text("## Tasks\n\n- [ ] mail | Read the mail\n")
    for _ in range(2):
        said = machine.heartbeat("run").out
        assert "Something needs a language model: " in said


def test_one_answer_has_one_zone_and_names_it_where_it_is_not_the_systems(machine: Machine) -> None:
    machine.file.write_text(ZONED + TASKS)
    machine.heartbeat("run")
    for command in ("history", "plan", "status"):
        assert machine.heartbeat(command).out.count("Times are in Pacific/Auckland.") == 1


def test_colours_and_redrawing_can_be_refused(machine: Machine) -> None:
    machine.write(action("one", "true"))
    machine.approve()
    with terminal(machine, "run") as screen:
        assert screen.end() == 0
    assert "\x1b[32m" in screen.shown  # else the rest proves nothing

    for name, value in (("NO_COLOR", "1"), ("TERM", "dumb")):
        before = dict(machine.environment)
        machine.environment[name] = value
        with terminal(machine, "history") as screen:
            assert screen.end() == 0
        machine.environment = before
        assert "\x1b[3" not in screen.shown
        assert "completed" in screen.shown


def test_status_needs_nobody_for_a_file_that_can_be_read_again(machine: Machine) -> None:
    machine.write(action("one", "true"))
    good = machine.file.read_bytes()
    machine.heartbeat("run")
    machine.file.write_bytes(good + b"\0")
    machine.heartbeat("run")
    assert "needs you: HEARTBEAT.md is not read" in machine.heartbeat("status").out
    machine.file.write_bytes(good)
    assert "needs you" not in machine.heartbeat("status").out
