"""A model whose server is not there: the person reads it, whole, wherever they look."""

import pytest

from tests.e2e.machine import Done, Machine
from tests.model_server import ModelServer, Say

ADVICE = "`heartbeat doctor` helps."


@pytest.fixture
def alone(machine: Machine) -> Machine:
    """A computer whose settings name a server that has been stopped."""
    with ModelServer() as server:
        address = server.base_url("openai-compatible")

    (machine.config / "config.toml").write_text(
        f'[agent]\nprovider = "openai-compatible"\nmodel = "scripted"\nbase_url = "{address}"\n'
    )
    machine.environment["COLUMNS"] = "80"
    machine.file.write_text(
        "## Tasks\n\n- [ ] inbox | Read the inbox | verify: file:inbox.txt\n"
        "- [ ] post | Read the post | verify: file:post.txt\n"
    )
    return machine


def words(done: Done) -> str:
    return " ".join((done.out + done.err).split())


def test_a_named_item_without_an_answer_is_1_and_what_to_do_is_said_once_and_whole(
    alone: Machine,
) -> None:
    done = alone.heartbeat("run", "inbox")
    assert done.code == 1
    assert words(done).count(ADVICE) == 1
    assert "Connection refused" in words(done)
    assert max(map(len, done.out.splitlines()[:-1])) <= 80  # the last one names the workspace

    done = alone.heartbeat("run")
    assert done.code == 0
    assert words(done).count("waiting inbox") == words(done).count("waiting post") == 1
    assert words(done).count(ADVICE) == 1
    assert "…" not in done.out


def test_the_history_the_receipt_and_the_status_say_it_whole(alone: Machine) -> None:
    alone.heartbeat("run", "inbox")
    for command in (("history",), ("history", "inbox", "--beat", "1"), ("status",)):
        said = words(alone.heartbeat(*command))
        assert "Connection refused" in said, command
        assert ADVICE in said, command

    assert "needs you: the model gave no answer" in words(alone.heartbeat("status"))
    assert ADVICE in alone.json("status")["model"]["problem"]


def test_the_status_does_not_say_it_of_a_model_that_answers_again(alone: Machine) -> None:
    alone.heartbeat("run", "inbox")
    with ModelServer() as server:
        server.play(Say("HEARTBEAT_OK"))
        address = server.base_url("openai-compatible")
        settings = (alone.config / "config.toml").read_text().splitlines()
        settings[-1] = f'base_url = "{address}"'
        (alone.config / "config.toml").write_text("\n".join(settings))
        alone.heartbeat("run", "inbox")

    assert "the model gave no answer" not in words(alone.heartbeat("status"))
    assert alone.json("status")["model"]["problem"] is None


def test_the_status_does_not_say_it_of_a_model_that_is_no_longer_wanted(alone: Machine) -> None:
    alone.heartbeat("run", "inbox")
    (alone.config / "config.toml").write_text('[agent]\nprovider = "none"\n')
    assert "needs you" not in words(alone.heartbeat("status"))
