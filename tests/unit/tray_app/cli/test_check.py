"""`heartbeat check` as installed: what it may be pointed at, its JSON as pinned, its exit codes,
`--explain`."""

import json
from pathlib import Path

import pytest

from core.model.codes import CODES
from tests.installed import answer, heartbeat

GOOD = b"## Tasks\n- [ ] a | b | run: true\n"
BAD = (
    b"## Tasks\n- [ ] a | b | run: true | schedule: dayly:09:00\n"
    b"- [ ] c | d | max_attempts: x | run: true\n"
)
PROMPT = b"---\ntitle: A\n---\nDo it.\n"


@pytest.fixture
def workspace(tmp_path: Path) -> Path:
    folder = tmp_path / "workspace"
    (folder / "heartbeat").mkdir(parents=True)
    (folder / "HEARTBEAT.md").write_bytes(GOOD)
    return folder


# -- what it looks at ------------------------------------------------------------------------------


def test_without_a_file_it_checks_the_workspace(workspace: Path) -> None:
    assert answer("check", home=workspace.parent, cwd=workspace)["file"] == str(
        workspace / "HEARTBEAT.md"
    )


def test_a_file_of_any_name_makes_its_folder_the_workspace(workspace: Path) -> None:
    (workspace / "other.txt").write_bytes(BAD)
    (workspace / "heartbeat" / "p.md").write_bytes(b"no title\n")
    said = answer("check", workspace / "other.txt", home=workspace.parent)
    assert said["file"] == str(workspace / "other.txt")
    assert [(one["file"], one["code"]) for one in said["diagnostics"]] == [
        ("other.txt", "HB401"),
        ("other.txt", "HB206"),
        ("heartbeat/p.md", "HB501"),
    ]


def test_a_folder_means_its_heartbeat_file_and_all_its_prompts(workspace: Path) -> None:
    (workspace / "heartbeat" / "a.md").write_bytes(PROMPT)
    (workspace / "heartbeat" / "b.md").write_bytes(b"no title\n")
    (workspace / "heartbeat" / ".hidden.md").write_bytes(b"no title\n")
    (workspace / "heartbeat" / "notes.txt").write_bytes(b"no title\n")
    said = answer("check", workspace, home=workspace.parent)
    assert said["file"] == str(workspace / "HEARTBEAT.md")
    assert [(one["file"], one["code"]) for one in said["diagnostics"]] == [
        ("heartbeat/b.md", "HB501")
    ]
    page = heartbeat("check", workspace, home=workspace.parent).stdout
    assert "a: A" in page
    assert "1 task, 2 prompts; 1 error" in page


def test_a_prompt_file_is_checked_alone(workspace: Path) -> None:
    prompt = workspace / "heartbeat" / "p.md"
    prompt.write_bytes(b"---\ntitle: P\ntitel: Q\n---\nDo it.\n")
    (workspace / "heartbeat" / "other.md").write_bytes(b"no title\n")
    (workspace / "HEARTBEAT.md").write_bytes(BAD)
    said = answer("check", prompt, home=workspace.parent)
    assert said["file"] == str(prompt)
    assert [(one["line"], one["code"]) for one in said["diagnostics"]] == [(3, "HB502")]
    assert said["active"]


def test_a_dash_means_standard_input(tmp_path: Path) -> None:
    done = heartbeat("check", "-", "--json", home=tmp_path, stdin=BAD)
    assert done.returncode == 1
    said = json.loads(done.stdout)
    assert said["file"] == "-"
    assert [one["code"] for one in said["diagnostics"]] == ["HB401", "HB206"]
    assert heartbeat("check", "-", home=tmp_path, stdin=GOOD).returncode == 0
    assert "HB001" in heartbeat("check", "-", home=tmp_path, stdin=b"\n" * (3 << 20)).stdout


def test_a_folder_without_a_heartbeat_file_is_fine_and_says_so(tmp_path: Path) -> None:
    done = heartbeat("check", tmp_path, "--json", home=tmp_path)
    assert done.returncode == 0
    said = json.loads(done.stdout)
    assert [(one["code"], one["severity"], one["line"]) for one in said["diagnostics"]] == [
        ("HB007", "info", 0)
    ]
    assert not said["active"]


def test_an_empty_file_is_fine(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").touch()
    done = heartbeat("check", tmp_path, home=tmp_path)
    assert done.returncode == 0
    assert "nothing to do; no problems" in done.stdout


def test_of_two_files_the_usual_name_is_read_and_the_other_reported(tmp_path: Path) -> None:
    (tmp_path / "heartbeat.md").write_bytes(BAD)
    (tmp_path / "HEARTBEAT.md").write_bytes(GOOD)
    said = answer("check", tmp_path, home=tmp_path)
    assert Path(said["file"]).name == "HEARTBEAT.md"
    assert [one["code"] for one in said["diagnostics"]] == ["HB008"]


def test_the_name_may_be_written_in_any_letter_case(tmp_path: Path) -> None:
    (tmp_path / "Heartbeat.MD").write_bytes(GOOD)
    assert Path(answer("check", tmp_path, home=tmp_path)["file"]).name == "Heartbeat.MD"


def test_config_json_may_name_another_file(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_bytes(GOOD)
    (tmp_path / "beats.md").write_bytes(BAD)
    (tmp_path / "config.json").write_text('{"heartbeat": {"heartbeatFile": "beats.md"}}')
    assert answer("check", tmp_path, home=tmp_path)["file"] == str(tmp_path / "beats.md")


def test_a_missing_file_that_config_json_names_is_named(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_bytes(GOOD)
    (tmp_path / "config.json").write_text('{"heartbeat": {"heartbeatFile": "sub/HB.md"}}')
    (found,) = answer("check", home=tmp_path, cwd=tmp_path)["diagnostics"]
    assert found["code"] == "HB007"
    assert "There is no sub/HB.md here" in found["message"]
    assert "heartbeatFile" in found["hint"]


def test_a_warning_about_the_settings_goes_to_standard_error(tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_bytes(GOOD)
    (tmp_path / "config.json").write_text('{"heartbeat": {"intervalMs": 5}}')
    done = heartbeat("check", tmp_path, "--json", home=tmp_path)
    assert "once per minute" in done.stderr
    assert json.loads(done.stdout)["diagnostics"] == []


def test_a_moment_that_is_past_is_reported_and_one_to_come_or_done_is_not(workspace: Path) -> None:
    (workspace / "HEARTBEAT.md").write_text(
        "## Pending Actions\n"
        "### Past\n- id: past\n- command: true\n- schedule: at:2020-01-01T00:00:00Z\n"
        "### Done\n- id: done\n- command: true\n- schedule: at:2020-01-01T00:00:00Z\n"
        "- status: COMPLETED\n"
        "### Later\n- id: later\n- command: true\n- schedule: at:2900-01-01T00:00:00Z\n"
        "## Tasks\n- [ ] a | b | run: true | schedule: at:2020-01-01T09:00\n"
    )
    (workspace / "heartbeat" / "p.md").write_text(
        "---\ntitle: A\nschedule: at:2020-01-01T09:00\n---\nDo it.\n"
    )
    said = answer("check", home=workspace.parent, cwd=workspace)
    assert [(one["file"], one["line"], one["code"]) for one in said["diagnostics"]] == [
        ("HEARTBEAT.md", 5, "HB404"),
        ("HEARTBEAT.md", 16, "HB404"),
        ("heartbeat/p.md", 1, "HB404"),
    ]


# -- JSON and exit codes ---------------------------------------------------------------------------


def test_the_json_has_exactly_the_pinned_keys_and_the_file_of_each_finding(workspace: Path) -> None:
    (workspace / "HEARTBEAT.md").write_bytes(BAD)
    said = answer("check", workspace, home=workspace.parent)
    assert list(said) == ["file", "format", "diagnostics", "active"]
    assert said["format"] == "contract"
    assert said["active"] is True
    for one in said["diagnostics"]:
        assert list(one) == ["line", "column", "severity", "code", "message", "hint", "file"]
    assert said["diagnostics"][0] == {
        "line": 2,
        "column": 37,
        "severity": "error",
        "code": "HB401",
        "message": "`dayly:09:00` is not a schedule.",
        "hint": "Write `daily:09:00`.",
        "file": "HEARTBEAT.md",
    }


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (GOOD, 0),
        (BAD, 1),
        (b"", 0),
        (b"## Taks\nx\n", 0),
        (b"\xff", 1),
        (b"## Tasks\n- no box\n", 0),
        (b"## Tasks\n- [ ]\n", 0),  # nothing is lost
        (b"## Tasks\n- [ ] a | b | run: ls | wc\n", 1),
    ],
)
def test_the_exit_code_is_1_on_errors_alone(text: bytes, code: int, tmp_path: Path) -> None:
    (tmp_path / "HEARTBEAT.md").write_bytes(text)
    assert heartbeat("check", tmp_path, home=tmp_path).returncode == code
    assert heartbeat("check", tmp_path, "--json", home=tmp_path).returncode == code


def test_json_may_be_asked_for_before_and_after_the_command(workspace: Path) -> None:
    before = heartbeat("--json", "check", workspace, home=workspace.parent)
    after = heartbeat("check", workspace, "--json", home=workspace.parent)
    between = heartbeat("check", "--json", workspace, home=workspace.parent)
    assert before.stdout == after.stdout == between.stdout
    assert json.loads(before.stdout)["active"] is True


@pytest.mark.parametrize(
    "words",
    [
        ("check", "missing.md"),
        ("check", "x" * 300),
        ("-C", "missing", "check"),
        ("check", "one", "two"),
        ("check", "--nonsense"),
        ("check", "--explain", "HB999"),
        ("nonsense",),
        ("show", "extra"),
    ],
)
def test_an_error_is_one_sentence_with_the_way_out_and_exit_2(
    words: tuple[str, ...], tmp_path: Path
) -> None:
    plain = heartbeat(*words, home=tmp_path)
    assert (plain.returncode, plain.stdout) == (2, "")
    assert plain.stderr.startswith("heartbeat: ")
    assert "Traceback" not in plain.stderr
    for place in (("--json", *words), (*words, "--json")):
        done = heartbeat(*place, home=tmp_path)
        assert done.returncode == 2
        error = json.loads(done.stdout)["error"]
        assert set(error) == {"message", "hint"}
        assert error["message"]
        assert error["hint"]


def test_a_broken_config_is_exit_2_and_names_the_file(workspace: Path) -> None:
    (workspace / "config.json").write_text("{")
    done = heartbeat("check", workspace, "--json", home=workspace.parent)
    assert done.returncode == 2
    assert "config.json" in json.loads(done.stdout)["error"]["message"]


def test_a_terminal_without_our_characters_gets_others_instead_of_a_crash(workspace: Path) -> None:
    (workspace / "HEARTBEAT.md").write_bytes(BAD)
    done = heartbeat(
        "check", workspace, home=workspace.parent, variables={"PYTHONIOENCODING": "ascii:strict"}
    )
    assert done.returncode == 1
    assert "unexpected" not in done.stderr


# -- explain ---------------------------------------------------------------------------------------


def test_explain_prints_what_a_code_means_an_example_and_the_fix(tmp_path: Path) -> None:
    done = heartbeat("check", "--explain", "hb208", home=tmp_path)
    assert done.returncode == 0
    assert done.stdout.startswith("HB208 (info): cannot be measured\n")
    assert CODES["HB208"].meaning in done.stdout
    assert "    - [ ] mail | Read | verify: mail_read\n" in done.stdout
    assert CODES["HB208"].fix in done.stdout


def test_explain_as_json(tmp_path: Path) -> None:
    said = answer("check", "--explain", "HB203", home=tmp_path)
    row = CODES["HB203"]
    assert said == {
        "code": "HB203",
        "severity": str(row.severity),
        "title": row.title,
        "meaning": row.meaning,
        "example": row.example,
        "mend": row.fix,  # the key's name is part of the format
    }


def test_explain_of_an_unknown_code_suggests_a_similar_one(tmp_path: Path) -> None:
    done = heartbeat("check", "--explain", "HB20", home=tmp_path)
    assert done.returncode == 2
    assert "HB20" in done.stderr
