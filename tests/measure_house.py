"""Measures how the source is built: `python -m tests.measure_house [ROOT]`.

Standard library only. `--both OLD NEW` prints two columns, `--markdown` prints tables for a page,
and `--into PAGE` puts them between the page's two marks. Measured are `core` and `tray_app` below
ROOT.

What each row means:
- characters per code line: without indentation; blank lines, comments and docstrings not counted.
- blank lines inside functions: as a share of the lines of their bodies.
- a statement is any statement of the syntax tree; a docstring is one too.
- an import cycle is a group of modules that reach each other. "Late" imports are inside functions.
- a broad except catches `Exception`, `BaseException` or everything.
- a port is a Protocol in `core/ports` that has methods; properties are not methods.
- a class that holds ports has four or more fields or properties whose type is a port.
- complexity is McCabe's, counted as ruff's rule C901 counts it.
"""

import argparse
import ast
import re
import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from statistics import median

PACKAGES = ("core", "tray_app")
WIDEST = 100  # columns
COMPLEXITY = 8
FEWEST_PORTS_OF_A_BAG = 4
LONGEST_SHOWN = 5
MARKS = ("<!-- measured -->\n", "<!-- end of measured -->\n")

# Words that the project used in a sense of its own, and what each stands in for.
DIALECT = {
    "sign (character)": r"\bsigns?\b",
    "mend (fix)": r"\bmend(s|ed|ing)?\b",
    "stands (is, appears)": r"\bstands\b",
    "anew (again)": r"\banew\b",
    "whoever (who)": r"\bwhoever\b",
    '"is no" (is not a)': r"(?<!here )\bis no\b",
}

Rows = dict[str, str]
Function = ast.FunctionDef | ast.AsyncFunctionDef


@dataclass(frozen=True)
class Change:
    """One change that a newcomer might make, and how many places it needs.

    Kept by hand: no script can tell which places a change needs. A command, a port and so on are
    described in docs/adding, and tests/house proves those pages.
    """

    what: str
    before: str
    after: str
    reason: str


CHANGES = (
    Change("an action type", "7-9", "2", "its record in core/actions, and the table of records"),
    Change("a schedule word", "6-7", "2", "its record, and the table of records"),
    Change("a message channel", "2", "2", "its record, and the table of records"),
    Change("a model provider", "7", "2", "its record, and the table of records"),
    Change("a diagnostic code", "2", "2", "its row, and the place that reports it"),
    Change("a kind of check", "6-9", "2", "its record in core/checks, and the table of records"),
    Change("an entry of the tray menu", "2-4", "3", "the entry, what it asks for, who does it"),
    Change("a command", "5", "2", "its file in tray_app/cli, and the table of commands"),
    Change("a setting", "2", "2", "its field, and its reader"),
    Change("a tool of the model", "5", "2", "its record, and the table of tools"),
    Change(
        "a port",
        "8",
        "7",
        "its Protocol, its line in World, its adapter and its property in core/services.py; its "
        "fake, its line in FakeWorld and its suite",
    ),
)


@dataclass(frozen=True)
class Module:
    name: str  # dotted
    path: str  # below the root
    text: str
    tree: ast.Module

    @property
    def lines(self) -> list[str]:
        return self.text.splitlines()

    @property
    def is_empty_init(self) -> bool:
        """Nothing but a docstring, or not even that."""
        documented = ast.get_docstring(self.tree) is not None
        return self.path.endswith("__init__.py") and len(self.tree.body) == int(documented)


def read_modules(root: Path) -> list[Module]:
    modules = []
    for package in PACKAGES:
        for file in sorted((root / package).rglob("*.py")):
            path = file.relative_to(root)
            parts = path.with_suffix("").parts
            name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
            text = file.read_text(encoding="utf-8")
            modules.append(Module(name, str(path), text, ast.parse(text)))

    return modules


def measure(root: Path) -> Rows:
    """Every row of the table for the source below this folder."""
    modules = read_modules(root)
    if not modules:
        raise SystemExit(f"{root} has no folder {' or '.join(PACKAGES)} with Python files")

    return {
        **files(modules),
        **functions(modules),
        **density(modules),
        **imports(modules),
        **ports_and_bags(modules),
        **habits(modules),
        **words(modules),
    }


# Files and functions


def files(modules: Sequence[Module]) -> Rows:
    with_content = [module for module in modules if not module.is_empty_init]
    sizes = {module.path: len(module.lines) for module in with_content}
    largest = max(sizes, key=lambda path: sizes[path])

    return {
        "files": str(len(modules)),
        "files without empty `__init__.py`": str(len(with_content)),
        "lines": f"{sum(sizes.values()):,}",
        "median file, lines": f"{median(sizes.values()):.0f}",
        "largest file, lines": f"{sizes[largest]} ({largest})",
        "files over 300 lines": str(sum(size > 300 for size in sizes.values())),
    }


def functions(modules: Sequence[Module]) -> Rows:
    lengths = sorted(
        (
            (length(function), f"{module.path}: {function.name}")
            for module in modules
            for function in functions_of(module)
        ),
        reverse=True,
    )
    longest = "; ".join(f"{size} ({where})" for size, where in lengths[:LONGEST_SHOWN])

    return {
        "functions": f"{len(lengths):,}",
        "longest functions, lines": longest,
        "functions over 40 lines": str(sum(size > 40 for size, _ in lengths)),
        "functions over 30 lines": str(sum(size > 30 for size, _ in lengths)),
    }


def functions_of(module: Module) -> Iterator[Function]:
    for node in ast.walk(module.tree):
        if isinstance(node, Function):
            yield node


def length(function: Function) -> int:
    return (function.end_lineno or function.lineno) - function.lineno + 1


# Density


def density(modules: Sequence[Module]) -> Rows:
    code = [line.strip() for module in modules for line in code_lines(module)]
    every_line = [line for module in modules for line in module.lines]
    wide = sum(len(line) > WIDEST for line in every_line)
    inside = [line for module in modules for line in body_lines(module)]
    blank = sum(not line.strip() for line in inside)

    nodes = [node for module in modules for node in ast.walk(module.tree)]
    statements = sum(isinstance(node, ast.stmt) for node in nodes)
    ternaries = sum(isinstance(node, ast.IfExp) for node in nodes)
    comprehension = ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp
    comprehensions = sum(isinstance(node, comprehension) for node in nodes)
    pairs = sum(is_tuple_assignment(node) for node in nodes)

    return {
        "characters per code line": f"{sum(map(len, code)) / len(code):.1f}",
        f"lines over {WIDEST} columns": f"{wide} ({wide / len(every_line):.1%})",
        "blank lines inside functions": f"{blank / len(inside):.1%}",
        "ternaries per 100 statements": f"{ternaries / statements * 100:.1f}",
        "comprehensions per 100 statements": f"{comprehensions / statements * 100:.1f}",
        "`a, b = x, y` per 100 statements": f"{pairs / statements * 100:.2f}",
    }


def code_lines(module: Module) -> Iterator[str]:
    """Lines that hold code, as they are written."""
    documented = docstring_lines(module.tree)
    for number, line in enumerate(module.lines, start=1):
        stripped = line.strip()
        if stripped and not stripped.startswith("#") and number not in documented:
            yield line


def docstring_lines(tree: ast.Module) -> set[int]:
    numbers: set[int] = set()
    for node in ast.walk(tree):
        if not isinstance(node, ast.Module | ast.ClassDef | Function):
            continue
        if ast.get_docstring(node, clean=False) is None:
            continue

        docstring = node.body[0]
        numbers.update(range(docstring.lineno, (docstring.end_lineno or docstring.lineno) + 1))

    return numbers


def body_lines(module: Module) -> Iterator[str]:
    """The lines of all functions, each line once, without the docstrings."""
    documented = docstring_lines(module.tree)
    numbers: set[int] = set()
    for function in functions_of(module):
        last = function.end_lineno or function.lineno
        numbers.update(range(function.body[0].lineno, last + 1))

    lines = module.lines
    for number in sorted(numbers - documented):
        yield lines[number - 1]


def is_tuple_assignment(node: ast.AST) -> bool:
    """`a, b = x, y`: several assignments on one line."""
    return (
        isinstance(node, ast.Assign)
        and isinstance(node.value, ast.Tuple)
        and isinstance(node.targets[0], ast.Tuple)
    )


# Imports


@dataclass(frozen=True)
class Import:
    of: str
    kind: str  # "top", "typing" or "late"


def imports(modules: Sequence[Module]) -> Rows:
    names = {module.name for module in modules}
    found = {module.name: list(imports_of(module, names)) for module in modules}
    late = sum(count_late_imports(module.tree) for module in modules)

    return {
        "imports inside functions": str(late),
        "import cycles, top level": cycles_in(found, {"top"}),
        "import cycles, with TYPE_CHECKING": cycles_in(found, {"top", "typing"}),
        "import cycles, with late imports": cycles_in(found, {"top", "late"}),
    }


def imports_of(module: Module, names: set[str]) -> Iterator[Import]:
    for statement, kind in import_statements(module.tree):
        for target in targets_of(statement, names):
            if target != module.name:
                yield Import(target, kind)


def import_statements(
    node: ast.AST, kind: str = "top"
) -> Iterator[tuple[ast.Import | ast.ImportFrom, str]]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.Import | ast.ImportFrom):
            yield child, kind
        elif isinstance(child, Function):
            yield from import_statements(child, "late")
        elif is_for_typing(child):
            yield from import_statements(child, "typing")
        else:
            yield from import_statements(child, kind)


def is_for_typing(node: ast.AST) -> bool:
    return isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test)


def targets_of(statement: ast.Import | ast.ImportFrom, names: set[str]) -> Iterator[str]:
    """The modules of this source that it names; the deepest one that exists."""
    if isinstance(statement, ast.Import):
        candidates = [alias.name for alias in statement.names]
    else:
        candidates = [f"{statement.module}.{alias.name}" for alias in statement.names]

    for candidate in candidates:
        parent = candidate.rpartition(".")[0]
        if candidate in names:
            yield candidate
        elif parent in names:
            yield parent


def count_late_imports(tree: ast.Module) -> int:
    return sum(kind == "late" for _, kind in import_statements(tree))


def cycles_in(found: Mapping[str, Sequence[Import]], kinds: set[str]) -> str:
    graph = {
        name: {one.of for one in of_module if one.kind in kinds}
        for name, of_module in found.items()
    }
    groups = [sorted(group) for group in connected(graph) if len(group) > 1]
    if not groups:
        return "0"

    return f"{len(groups)} ({'; '.join(f'{len(group)} modules' for group in groups)})"


def connected(graph: Mapping[str, set[str]]) -> list[set[str]]:
    """The groups of modules that reach each other: Tarjan's strongly connected components."""
    order: dict[str, int] = {}
    lowest: dict[str, int] = {}
    open_names: list[str] = []
    groups: list[set[str]] = []

    def visit(name: str) -> None:
        order[name] = len(order)
        lowest[name] = order[name]
        open_names.append(name)

        for other in graph[name]:
            if other not in order:
                visit(other)
                lowest[name] = min(lowest[name], lowest[other])
            elif other in open_names:
                lowest[name] = min(lowest[name], order[other])

        if lowest[name] == order[name]:
            start = open_names.index(name)
            groups.append(set(open_names[start:]))
            del open_names[start:]

    sys.setrecursionlimit(10_000)
    for name in graph:
        if name not in order:
            visit(name)

    return groups


# Ports and bags


def ports_and_bags(modules: Sequence[Module]) -> Rows:
    ports: dict[str, int] = {}
    for module in modules:
        if module.name == "core.ports" or module.name.startswith("core.ports."):
            ports.update(ports_of(module))

    if not ports:
        return {"ports": "0"}

    largest = max(ports, key=lambda name: ports[name])
    bags = sorted(bags_of(modules, set(ports)), reverse=True)
    named = "; ".join(f"{name} {count}" for count, name in bags)

    return {
        "ports": str(len(ports)),
        "methods of all ports": str(sum(ports.values())),
        "methods of the median port": f"{median(ports.values()):.0f}",
        "largest port": f"{ports[largest]} methods ({largest})",
        "classes that hold ports, with the number of ports": f"{len(bags)} ({named})",
    }


def ports_of(module: Module) -> dict[str, int]:
    """The number of methods of each Protocol that has any."""
    found = {}
    for node in module.tree.body:
        if isinstance(node, ast.ClassDef) and any("Protocol" in ast.dump(b) for b in node.bases):
            methods = [one for one in node.body if isinstance(one, Function)]
            found[node.name] = sum(not is_property(one) for one in methods)

    return {name: count for name, count in found.items() if count}


def is_property(function: Function) -> bool:
    """Also one that is made at its first use."""
    names = [ast.unparse(decorator) for decorator in function.decorator_list]
    return any(name in ("lazy", "lazy_here") or name.endswith("property") for name in names)


def bags_of(modules: Sequence[Module], ports: set[str]) -> Iterator[tuple[int, str]]:
    for module in modules:
        for node in ast.walk(module.tree):
            if not isinstance(node, ast.ClassDef):
                continue

            held = sum(names_a_port(child, ports) for child in node.body)
            if held >= FEWEST_PORTS_OF_A_BAG:
                yield held, node.name


def names_a_port(member: ast.stmt, ports: set[str]) -> bool:
    """A field, or a property, whose type is a port."""
    if isinstance(member, ast.AnnAssign):
        annotation: ast.expr | None = member.annotation
    elif isinstance(member, Function) and is_property(member):
        annotation = member.returns
    else:
        return False

    if annotation is None:
        return False
    return bool(ports & set(re.findall(r"\w+", ast.unparse(annotation))))


# Habits


def habits(modules: Sequence[Module]) -> Rows:
    lines = sum(len(module.lines) for module in modules)
    nodes = [node for module in modules for node in ast.walk(module.tree)]
    broad = sum(is_broad_except(node) for node in nodes)
    cases = [case for node in nodes if isinstance(node, ast.Match) for case in node.cases]
    open_ended = sum(is_open_ended(case) for case in cases)
    complexities = [complexity(function) for module in modules for function in functions_of(module)]

    return {
        "broad excepts per 1,000 lines": f"{broad / lines * 1000:.2f} ({broad})",
        "`case _` without `assert_never`": str(open_ended),
        f"functions with a complexity over {COMPLEXITY}": str(
            sum(one > COMPLEXITY for one in complexities)
        ),
    }


def is_broad_except(node: ast.AST) -> bool:
    if not isinstance(node, ast.ExceptHandler):
        return False
    return node.type is None or ast.unparse(node.type) in ("Exception", "BaseException")


def is_open_ended(case: ast.match_case) -> bool:
    return ast.unparse(case.pattern) == "_" and "assert_never" not in ast.unparse(case)


def complexity(node: ast.AST) -> int:
    """One, and one for each way that the code can branch."""
    return 1 + sum(branches(child) for child in ast.iter_child_nodes(node))


def branches(node: ast.AST) -> int:
    count = sum(branches(child) for child in ast.iter_child_nodes(node))

    if isinstance(node, ast.If | ast.ExceptHandler | Function):
        count += 1
    elif isinstance(node, ast.For | ast.AsyncFor | ast.While):
        count += 1 + bool(node.orelse)
    elif isinstance(node, ast.Try | ast.TryStar):
        count += bool(node.orelse)
    elif isinstance(node, ast.Match):
        count += len(node.cases) - ends_with_wildcard(node)

    return count


def ends_with_wildcard(node: ast.Match) -> bool:
    last = node.cases[-1]
    return isinstance(last.pattern, ast.MatchAs) and last.pattern.pattern is None


# Words


def words(modules: Sequence[Module]) -> Rows:
    text = "\n".join(module.text for module in modules)
    return {
        name: str(len(re.findall(pattern, text, re.IGNORECASE)))
        for name, pattern in DIALECT.items()
    }


# The table


def as_text(columns: Sequence[tuple[str, Rows]]) -> str:
    lines = []
    for name in columns[-1][1]:
        values = "   ->   ".join(rows.get(name, "") for _, rows in columns)
        lines.append(f"{name:<52} {values}")

    lines += ["", "places to touch for a change (kept by hand)"]
    for change in CHANGES:
        lines.append(
            f"  {change.what:<50} {change.before:>4}   ->   {change.after:<4} {change.reason}"
        )

    return "\n".join(lines)


def as_markdown(columns: Sequence[tuple[str, Rows]]) -> str:
    titles = ["", *(title for title, _ in columns)]
    table = [titles, ["---"] * len(titles)]
    table += [[name, *(rows.get(name, "") for _, rows in columns)] for name in columns[-1][1]]

    changes = [["places to touch for", "before", "after", "which"], ["---"] * 4]
    changes += [[one.what, one.before, one.after, one.reason] for one in CHANGES]

    return "\n\n".join(
        "\n".join("| " + " | ".join(row) + " |" for row in one) for one in (table, changes)
    )


def put_into(page: Path, tables: str) -> None:
    """Replace what is between the marks of the page."""
    first, last = MARKS
    before, found, rest = page.read_text(encoding="utf-8").partition(first)
    _, found_last, after = rest.partition(last)
    if not (found and found_last):
        raise SystemExit(f"{page} has no lines {first.strip()} and {last.strip()}")

    page.write_text(f"{before}{first}\n{tables}\n\n{last}{after}", encoding="utf-8")


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.measure_house", description=__doc__)
    parser.add_argument("root", nargs="?", type=Path, default=Path(__file__).parents[1])
    parser.add_argument("--both", nargs=2, type=Path, metavar=("OLD", "NEW"))
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--into", type=Path, metavar="PAGE")
    options = parser.parse_args(arguments)

    if options.both:
        old, new = options.both
        columns = [("before", measure(old)), ("after", measure(new))]
    else:
        columns = [("measured", measure(options.root))]

    if options.into:
        put_into(options.into, as_markdown(columns))
    else:
        print(as_markdown(columns) if options.markdown else as_text(columns))

    return 0


if __name__ == "__main__":
    sys.exit(main())
