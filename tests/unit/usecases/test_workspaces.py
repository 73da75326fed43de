"""Which folder is the workspace. Given, variable, upward, config, documents, in this
order."""

from pathlib import Path

import pytest

from tests.installed import answer, heartbeat

GOOD = "## Tasks\n- [ ] a | b | run: true\n"


class Places:
    """A home with a workspace at every place that the program may look at."""

    def __init__(self, home: Path) -> None:
        self.home = home
        self.config = home / "config"
        self.config.mkdir()
        self.given, self.variable = self.workspace("given"), self.workspace("variable")
        self.upward, self.configured = self.workspace("upward"), self.workspace("configured")
        self.documents = self.workspace("Documents/Heartbeat")
        self.deep = self.upward / "one" / "two"
        self.deep.mkdir(parents=True)
        self.elsewhere = home / "elsewhere"
        self.elsewhere.mkdir()

    def workspace(self, name: str) -> Path:
        folder = self.home / name
        folder.mkdir(parents=True)
        (folder / "HEARTBEAT.md").write_text(GOOD)
        return folder

    def configure(self) -> None:
        (self.config / "config.toml").write_text(f'workspace = "{self.configured}"\n')

    def found(self, *words: str | Path, cwd: Path, variable: str | None = None) -> Path:
        variables = {"HEARTBEAT_CONFIG_DIR": str(self.config)}
        if variable is not None:
            variables["HEARTBEAT_WORKSPACE"] = variable
        done = heartbeat(*words, "check", home=self.home, cwd=cwd, variables=variables)
        assert done.returncode == 0, done.stderr
        return Path(done.stdout.splitlines()[0]).parent


@pytest.fixture
def places(tmp_path: Path) -> Places:
    return Places(tmp_path)


def test_the_given_folder_wins_over_everything(places: Places) -> None:
    places.configure()
    for option in ("-C", "--workspace"):
        assert (
            places.found(option, places.given, cwd=places.deep, variable=str(places.variable))
            == places.given
        )
    assert places.found("-C", "../../../given", cwd=places.deep) == places.deep / "../../../given"


def test_the_variable_wins_over_the_current_folder(places: Places) -> None:
    places.configure()
    assert places.found(cwd=places.deep, variable=str(places.variable)) == places.variable
    assert places.found(cwd=places.deep, variable="~/variable") == places.variable


def test_the_nearest_folder_upward_wins_over_the_config(places: Places) -> None:
    places.configure()
    assert places.found(cwd=places.deep) == places.upward
    assert places.found(cwd=places.upward) == places.upward
    (places.deep / "heartbeat.md").write_text(GOOD)
    assert places.found(cwd=places.deep) == places.deep


def test_the_config_wins_over_the_documents_folder(places: Places) -> None:
    places.configure()
    assert places.found(cwd=places.elsewhere) == places.configured


def test_the_documents_folder_is_the_last_resort(places: Places) -> None:
    assert places.found(cwd=places.elsewhere) == places.documents


def test_an_empty_variable_counts_as_not_set(places: Places) -> None:
    assert places.found(cwd=places.upward, variable="") == places.upward


def test_a_given_folder_that_does_not_exist_is_an_error(tmp_path: Path) -> None:
    done = heartbeat("-C", "nowhere", "check", home=tmp_path)
    assert done.returncode == 2
    assert f"There is no folder {tmp_path / 'nowhere'}." in done.stderr
    assert f"heartbeat init '{tmp_path / 'nowhere'}'" in done.stderr


def test_a_given_file_is_an_error(tmp_path: Path) -> None:
    (tmp_path / "file.txt").touch()
    done = heartbeat("-C", "file.txt", "check", home=tmp_path)
    assert done.returncode == 2
    assert f"{tmp_path / 'file.txt'} is not a folder." in done.stderr


def test_no_workspace_anywhere_is_an_error_that_says_how_to_make_one(tmp_path: Path) -> None:
    done = heartbeat("check", home=tmp_path)
    assert done.returncode == 2
    assert "heartbeat init" in done.stderr


def test_a_broken_config_is_reported_only_where_it_is_needed(places: Places) -> None:
    (places.config / "config.toml").write_text("workspac = 1\n")
    done = heartbeat(
        "check",
        home=places.home,
        cwd=places.elsewhere,
        variables={"HEARTBEAT_CONFIG_DIR": str(places.config)},
    )
    assert done.returncode == 2
    assert "Did you mean `workspace`?" in done.stderr


def test_the_config_folder_of_the_system_is_used_without_a_variable(places: Places) -> None:
    folder = places.home / ".config" / "heartbeat"
    folder.mkdir(parents=True)
    (folder / "config.toml").write_text(f'workspace = "{places.configured}"\n')
    assert answer("check", home=places.home, cwd=places.elsewhere)["file"] == str(
        places.configured / "HEARTBEAT.md"
    )
