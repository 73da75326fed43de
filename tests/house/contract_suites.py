"""Reads the suites of tests/contract: which fakes do their tests really get?

A name that is only imported proves nothing. A fake counts where a fixture or parameter of a test
leads to a call of its class, in a suite of a port whose methods the fake has.
"""

import ast
from collections.abc import Iterator
from pathlib import Path

CONTRACT = Path(__file__).parents[1] / "contract"
# Where contracts are: the ports by theme, and the toolbox of a model.
CONTRACTS = ("core.ports.", "core.agent.tool")

Definitions = dict[str, list[ast.AST]]  # by name


class Suite:
    def __init__(self, source: str) -> None:
        self._tree = ast.parse(source)
        self._definitions = definitions_of(self._tree)
        for node in imports_of(self._tree):
            shared = CONTRACT / f"{str(node.module).removeprefix('tests.contract.')}.py"
            if str(node.module).startswith("tests.contract."):
                self._definitions |= definitions_of(ast.parse(shared.read_text(encoding="utf-8")))

    def contracts(self) -> set[str]:
        """The ports that it is about."""
        return {
            alias.name
            for node in imports_of(self._tree)
            if str(node.module).startswith(CONTRACTS)
            for alias in node.names
        }

    def given_to_tests(self) -> set[str]:
        """The names that are called to make what a test gets."""
        seen: set[str] = set()
        called: set[str] = set()
        todo = [name for test in self._tests() for name in names_given_to(test)]
        while todo:
            name = todo.pop()
            if name in seen:
                continue

            seen.add(name)
            for node in self._definitions.get(name, []):
                called |= names_called(node)
                todo += names_in(node)

        return called

    def _tests(self) -> Iterator[ast.FunctionDef]:
        for node in self._tree.body:
            if isinstance(node, ast.FunctionDef) and node.name.startswith("test_"):
                yield node


def suites() -> dict[str, Suite]:
    return {
        path.name: Suite(path.read_text(encoding="utf-8"))
        for path in sorted(CONTRACT.glob("test_*.py"))
    }


def imports_of(tree: ast.Module) -> Iterator[ast.ImportFrom]:
    return (node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom))


def definitions_of(tree: ast.Module) -> Definitions:
    """The functions, classes and values at the top of a module."""
    found: Definitions = {}
    for node in tree.body:
        match node:
            case ast.FunctionDef() | ast.ClassDef():
                found.setdefault(node.name, []).append(node)
            case ast.Assign(targets=[ast.Name(id=name)]) | ast.AnnAssign(target=ast.Name(id=name)):
                found.setdefault(name, []).append(node)

    return found


def names_given_to(test: ast.FunctionDef) -> list[str]:
    """Its fixtures, and what its decorators name."""
    fixtures = [one.arg for one in test.args.args]
    return fixtures + [name for one in test.decorator_list for name in names_in(one)]


def names_in(node: ast.AST) -> list[str]:
    """Names that are used, names of other fixtures, and those that are asked for by a text."""
    found = []
    for one in ast.walk(node):
        match one:
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Constant(value=str(name)):
                found.append(name)

    return found


def names_called(node: ast.AST) -> set[str]:
    """Names that are called, and those that are returned to be called."""
    found = set()
    for one in ast.walk(node):
        match one:
            case ast.Call(func=ast.Name(id=name)) | ast.Return(value=ast.Name(id=name)):
                found.add(name)

    return found
