"""What the documentation says about the source is true: paths exist, versions agree, and nothing
cites a document that is not in the repository."""

import ast
import re
import tomllib
from collections.abc import Iterator
from importlib import import_module
from importlib.metadata import version
from pathlib import Path

import pytest

from core import VERSION
from tests.bench.__main__ import markdown, names
from tests.installed import heartbeat

ROOT = Path(__file__).parents[2]
PAPERS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md")])
SOURCE = [
    file for room in ("core", "tray_app", "tests") for file in sorted((ROOT / room).rglob("*.py"))
]
ROOMS = ("core/", "tray_app/", "tests/", "docs/", "assets/", "packaging/")
IN_CODE_FONT = re.compile(r"`([^`\s]+)`")
LINK = re.compile(r"\]\(([^)\s]+)\)")
PLACEHOLDER = re.compile(r"[A-Z]{2,}|[*<>{}…]")  # NAME.py, NNNN-…, *.py stand for many files
CITED = re.compile(r"\b(SPEC|DESIGN)(\.md)? ?\d|[Ss]eed[ _-]?00\d|\bseeds\b|/shared/")
WIDEST = 120  # columns of prose; tables and code may be wider
SECTION = re.compile(r'"([A-Z][^"\n]+)" (?:in|of) docs/spec\.md|docs/spec\.md, "([^"\n]+)"')


def project() -> dict[str, object]:
    table = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))
    assert isinstance(table, dict)
    return table


def paths_named_in(text: str) -> Iterator[str]:
    """Paths of this repository in code font; `core/model/` and `core/model/codes.py:12` too."""
    for name in IN_CODE_FONT.findall(text):
        path = name.split(":")[0]
        if path.startswith(ROOMS) and not PLACEHOLDER.search(path.removesuffix(".md")):
            yield path


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: str(paper.relative_to(ROOT)))
def test_every_path_that_a_paper_names_exists(paper: Path) -> None:
    text = paper.read_text(encoding="utf-8")
    missing = [path for path in paths_named_in(text) if not (ROOT / path).exists()]
    for target in LINK.findall(text):
        address = target.partition("#")[0]
        if address and "://" not in address and not (paper.parent / address).exists():
            missing.append(target)

    assert not missing


def test_a_path_that_is_not_there_would_be_found() -> None:
    assert list(paths_named_in("`core/nowhere.py` `heartbeat run` `tray_app/cli/NAME.py`")) == [
        "core/nowhere.py"
    ]


def test_no_source_cites_a_document_that_is_not_in_the_repository() -> None:
    cited = [
        f"{file.relative_to(ROOT)}:{number}: {line.strip()}"
        for file in SOURCE
        if file != Path(__file__)
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), start=1)
        if CITED.search(line)
    ]
    assert not cited


@pytest.mark.parametrize(
    "text", ["see SPEC 3.2", "def test_the_example_of_seed_004(", '/ "seeds" /']
)
def test_a_citation_of_a_missing_document_would_be_found(text: str) -> None:
    assert CITED.search(text)


@pytest.mark.parametrize("paper", PAPERS, ids=lambda paper: str(paper.relative_to(ROOT)))
def test_the_prose_of_a_paper_is_wrapped(paper: Path) -> None:
    wide = [
        f"{number}: {line}"
        for number, line in enumerate(paper.read_text(encoding="utf-8").splitlines(), start=1)
        if len(line) > WIDEST and not line.startswith(("|", "    "))
    ]
    assert not wide


def test_every_section_that_the_source_names_is_in_the_specification() -> None:
    headings = {
        line.lstrip("#").strip()
        for line in (ROOT / "docs" / "spec.md").read_text(encoding="utf-8").splitlines()
        if line.startswith("#")
    }
    named = {
        one or other
        for file in SOURCE
        if file != Path(__file__)
        for one, other in SECTION.findall(file.read_text(encoding="utf-8"))
    }
    assert named <= headings
    assert named


def test_the_newest_release_in_the_changelog_is_the_version_of_the_program() -> None:
    changes = (ROOT / "CHANGELOG.md").read_text(encoding="utf-8")
    released = re.findall(r"^## (\d+\.\d+\.\d+)", changes, re.MULTILINE)
    table = project()["project"]
    assert isinstance(table, dict)
    assert released[0] == table["version"] == VERSION == version("heartbeat-desktop")


def test_the_lock_file_has_a_version_of_everything_that_is_declared() -> None:
    lines = (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").splitlines()
    locked = {line.partition("==")[0] for line in lines if not line.startswith("#")}
    table = project()
    groups = table["dependency-groups"]
    own = table["project"]
    assert isinstance(groups, dict)
    assert isinstance(own, dict)

    declared = [*own["dependencies"], *groups["dev"], *groups["weights"]]
    for_linux = [one for one in declared if "!= 'linux'" not in one and "darwin" not in one]
    names_declared = {re.split(r"[\[<>=;~! ]", one)[0] for one in for_linux}

    assert {plain(name) for name in names_declared} <= {plain(name) for name in locked}
    assert not [line for line in lines if "://" in line or "@" in line]


def test_the_lock_file_begins_as_the_script_that_writes_it_says() -> None:
    script = ast.parse((ROOT / "run").read_text(encoding="utf-8"))
    heads = [
        ast.literal_eval(one.value)
        for one in script.body
        if isinstance(one, ast.Assign) and ast.unparse(one.targets[0]) == "LOCK_HEAD"
    ]
    (head,) = heads
    assert (ROOT / "requirements-dev.lock").read_text(encoding="utf-8").startswith(head)


def plain(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


@pytest.mark.parametrize("name", names())
def test_every_benchmark_reports_its_figures(name: str) -> None:
    module = import_module(f"tests.bench.{name}")
    assert callable(module.figures)


def test_the_example_of_the_readme_is_what_the_program_says(tmp_path: Path) -> None:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    part = text.partition("## A HEARTBEAT.md, and what")[2].partition("\n## ")[0]
    example, answer = indented_blocks(part)
    file = tmp_path / "HEARTBEAT.md"
    file.write_text(f"{example}\n", encoding="utf-8")

    said = heartbeat("check", file, home=tmp_path, variables={"COLUMNS": "100"}).stdout

    assert said.strip().replace(str(tmp_path), "…") == answer


def indented_blocks(text: str) -> list[str]:
    """The blocks of a page that are indented by four spaces, without that indentation."""
    blocks = re.findall(r"(?:^ {4}.*\n(?:\n(?= {4}))?)+", text, re.MULTILINE)
    return [re.sub(r"^ {4}", "", block, flags=re.MULTILINE).strip("\n") for block in blocks]


def test_the_figures_of_the_readme_are_printed_by_the_benchmarks() -> None:
    """By `./run bench --readme`: its header, its commands, and every benchmark."""
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    section = text.partition("<!-- measured -->")[2].partition("<!-- end of measured -->")[0]
    lines = section.strip().splitlines()
    head = markdown({}).splitlines()
    assert lines[: len(head)] == head

    commands = [line.rpartition("`./run bench --only ")[2].rstrip("` |") for line in lines[2:]]
    assert sorted(set(commands)) == names()
