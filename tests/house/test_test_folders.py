"""Where tests are. A test module is nobody's library: what two of them need has a module of its
own, so that a test can be renamed, moved or deleted without breaking another."""

import ast
from pathlib import Path

TESTS = Path(__file__).parents[1]


def imported_modules(text: str) -> set[str]:
    """Every module that a source imports, and every name that it imports from one."""
    found = set()
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {str(node.module)}
    return found


def test_no_module_imports_a_test_module() -> None:
    test_modules = {
        ".".join(path.relative_to(TESTS.parent).with_suffix("").parts)
        for path in TESTS.rglob("test_*.py")
    }
    found = {
        f"{path.relative_to(TESTS.parent)} imports {name}"
        for path in TESTS.rglob("*.py")
        for name in imported_modules(path.read_text(encoding="utf-8")) & test_modules
    }
    assert found == set(), "move what they share to a module of its own"


def mirrored(test: Path) -> bool:
    """Whether a unit test is named after a module or package: `test_NAME.py`, or
    `test_NAME_ASPECT.py` where one file would be too long."""
    folder = test.parent.relative_to(TESTS / "unit")
    program = TESTS.parent / ("" if folder.parts[:1] == ("tray_app",) else "core") / folder
    words = test.stem.split("_")[1:]
    names = ["_".join(words[:count]) for count in range(1, len(words) + 1)]
    return any((program / f"{name}.py").is_file() or (program / name).is_dir() for name in names)


def test_a_unit_test_is_named_after_a_module_and_lies_where_it_lies() -> None:
    strays = [path for path in (TESTS / "unit").rglob("test_*.py") if not mirrored(path)]
    assert [str(path.relative_to(TESTS)) for path in strays] == []


def test_a_stray_would_be_found() -> None:
    unit = TESTS / "unit"
    assert mirrored(unit / "rules" / "test_prices.py")
    assert mirrored(unit / "rules" / "timing" / "test_words_slots.py")
    assert mirrored(unit / "tray_app" / "cli" / "test_check_page.py")
    assert not mirrored(unit / "rules" / "test_prizes.py")
    assert not mirrored(unit / "rules" / "timing" / "test_prices.py")
    assert not mirrored(unit / "rules" / "test_check_page.py")
