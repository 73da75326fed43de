"""What the installed command says before any command of its own runs."""

import json
import subprocess
import sys
from pathlib import Path

HEARTBEAT = Path(sys.executable).with_name("heartbeat")


def test_an_unknown_command_is_wrong_usage_and_says_where_help_is() -> None:
    done = subprocess.run([HEARTBEAT, "beet"], capture_output=True, text=True)
    assert done.returncode == 2
    assert "beet" in done.stderr
    assert "--help" in done.stderr
    assert "Traceback" not in done.stderr


def test_with_json_an_error_is_json_on_standard_output() -> None:
    done = subprocess.run([HEARTBEAT, "--json", "beet"], capture_output=True, text=True)
    assert done.returncode == 2
    assert set(json.loads(done.stdout)["error"]) == {"message", "hint"}
