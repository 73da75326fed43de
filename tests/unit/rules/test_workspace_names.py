"""How a workspace is called."""

from pathlib import Path

from core.rules.workspace_names import short_path, workspace_name

HOME = Path("/home/ada")


def test_its_name_is_that_of_its_folder() -> None:
    assert workspace_name(HOME / "Documents" / "Garden") == "Garden"
    assert workspace_name(Path("/")) == "/"
    assert workspace_name(Path("/a/b\n\x1b[31mc")) == "b [31mc"
    assert len(workspace_name(Path("/" + "x" * 200))) == 30


def test_its_path_is_short_inside_the_home_folder() -> None:
    assert short_path(HOME / "Documents" / "Garden", HOME) == "~/Documents/Garden"
    assert short_path(Path("/srv/Garden"), HOME) == "/srv/Garden"
    assert short_path(HOME, HOME) == "/home/ada"
    assert short_path(Path("/home/adam/x"), HOME) == "/home/adam/x"
