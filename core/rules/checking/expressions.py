"""The expression language of checks and conditions: `email_count > 0 and errors == 0`.

Python's own parser reads it; what may stand in it is the short list below, and nothing is ever executed by Python.
Length, depth, sizes and steps are bounded, so evaluating takes no time worth naming and reaches nothing but its values.
"""

import ast
import warnings
from collections.abc import Collection, Iterator, Mapping

from core.model.check import Value
from core.model.diagnostic import Problem
from core.model.value import dataclass
from core.rules.checking.values import MOST_DIGITS, shown_value
from core.rules.reading.findings import shown
from core.rules.timing.mending import nearest

LONGEST = 500  # characters
DEEPEST = 30  # nested parts
MOST_COMPARED = 200  # names that a misspelt one is compared with: it is slow, and a file may hold thousands

CONSTANTS: Mapping[str, Value] = {"true": True, "false": False, "null": None, "none": None}
FUNCTIONS = ("len", "min", "max", "contains", "matches")
ALLOWED: tuple[type[ast.AST], ...] = (
    *(ast.BoolOp, ast.And, ast.Or, ast.UnaryOp, ast.Not, ast.USub, ast.UAdd),
    *(ast.BinOp, ast.Add, ast.Sub, ast.Mult, ast.Div, ast.Mod),
    *(ast.Compare, ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE, ast.In, ast.NotIn),
    *(ast.Name, ast.Load, ast.Constant, ast.List, ast.Tuple, ast.Call),
)
DOTTED = (".status", ".result")  # `backup.status` is one name, also where the id has a `-`

WRITE = "Write for example `email_count > 0 and errors == 0`."
# What people write instead, and what it is here; longer ones first.
SLIPS = {
    "&&": "and",
    "||": "or",
    "===": "==",
    "!==": "!=",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    ":=": "==",
}


@dataclass(frozen=True, slots=True)
class Expression:
    text: str
    names: tuple[str, ...]  # in the order of their first use
    tree: ast.expr
    source: str  # the text as Python's parser saw it
    aliases: Mapping[str, str]  # what stands there for a name that Python would not take -> the name


def read_expression(text: str, known: Collection[str], what: str = "probe") -> Expression | Problem:
    """The expression, all of whose names are known; else what is wrong and what to write instead."""
    text = text.strip()
    if not text or len(text) > LONGEST or not text.isprintable():
        return Problem(f"`{shown(text)}` is no expression.", f"Write at most {LONGEST} characters on one line.")
    slip = _slip(text)
    if slip:
        return slip
    source, aliases = _with_aliases(text)
    tree = _parsed(source)
    if isinstance(tree, Problem):
        return tree
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        wrong = _refusal(node)
        if wrong:
            return wrong
        if isinstance(node, ast.Name) and node.id not in FUNCTIONS and node.id.lower() not in CONSTANTS:
            names[aliases.get(node.id, node.id)] = None
    unknown = [name for name in names if name not in known]
    if unknown:
        return _unknown(unknown[0], known, what)
    if _depth(tree) > DEEPEST:
        return Problem("The expression is nested too deeply.", "Split it into simpler parts.")
    return Expression(text, tuple(names), tree, source, aliases)


def with_values(expression: Expression, values: Mapping[str, Value]) -> str:
    """The expression with what was measured in the place of its names: `0 > 0`."""
    source = expression.source.encode()
    names = [node for node in ast.walk(expression.tree) if isinstance(node, ast.Name)]
    for node in sorted(names, key=lambda one: one.col_offset, reverse=True):
        name = expression.aliases.get(node.id, node.id)
        if name in values and name not in FUNCTIONS and node.end_col_offset is not None:
            source = source[: node.col_offset] + shown_value(values[name]).encode() + source[node.end_col_offset :]
    return source.decode()


# -- reading ----------------------------------------------------------------------------------------------------------


def without_quoted(text: str) -> str:
    """The text with every character of its quoted parts as a space; as long as it was."""
    result: list[str] = []
    quote = ""
    for sign in text:
        result.append(" " if quote or sign in "\"'" else sign)
        quote = ("" if sign == quote else quote) if quote else sign if sign in "\"'" else ""
    return "".join(result)


def _slip(text: str) -> Problem | None:
    bare = without_quoted(text)
    for wrong, right in SLIPS.items():
        if wrong in bare:
            return Problem(f"`{wrong}` means nothing in a check.", f"Write `{right}` instead of `{wrong}`.")
    for place, sign in enumerate(bare):
        if sign == "=" and bare[place + 1 : place + 2] != "=" and bare[place - 1 : place] not in ("=", "!", "<", ">"):
            return Problem("A single `=` compares nothing.", "Write `==` to compare.")
        if sign == "!" and bare[place + 1 : place + 2] != "=":
            return Problem("`!` means nothing in a check.", "Write `not` instead of `!`.")
    for name in ("contains", "matches"):
        left, between, right = text.partition(f" {name} ")
        if between and f" {name} " in bare and left.split():
            form = f"{name}({left.split()[-1]}, {_first_value(right)})"
            return Problem(f"`{name}` does not stand between two values.", f"Write `{shown(form)}`.")
    for word in bare.split():
        if word in ("AND", "OR", "NOT", "IN"):
            return Problem(f"`{word}` means nothing in a check.", f"Write `{word.lower()}` in small letters.")
    return None


def _first_value(text: str) -> str:
    """A quoted text with its marks, or a word."""
    text = text.strip()
    end = text.find(text[0], 1) if text[:1] in ("'", '"') else -1
    return text[: end + 1] if end > 0 else "".join(text.split()[:1])


def _with_aliases(text: str) -> tuple[str, dict[str, str]]:
    """The text with `db-health.status` and the like as one word each, and what each word stands for."""
    aliases: dict[str, str] = {}
    result: list[str] = []
    last = 0
    for start, end in _dotted_names(without_quoted(text)):
        word = f"name_{len(aliases)}_of_many"
        aliases[word] = text[start:end]
        result += [text[last:start], word]
        last = end
    return "".join([*result, text[last:]]), aliases


def _dotted_names(bare: str) -> Iterator[tuple[int, int]]:
    start = 0
    while start < len(bare):
        end = start
        while end < len(bare) and (bare[end].isalnum() or bare[end] in "_-."):
            end += 1
        word = bare[start:end]
        if word.endswith(DOTTED) and not word[0].isdigit() and word[0] not in "-.":
            yield start, end
        start = end + 1


def _parsed(source: str) -> ast.expr | Problem:
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # an odd `\d` in a text is no matter here
            return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Problem(f"`{shown(source)}` is no expression.", WRITE)


def _refusal(node: ast.AST) -> Problem | None:
    if isinstance(node, ast.Call):
        is_named = isinstance(node.func, ast.Name) and node.func.id in FUNCTIONS
        if is_named and not node.keywords and not any(isinstance(one, ast.Starred) for one in node.args):
            return None
        return Problem("Only len, min, max, contains and matches can be called.", WRITE)
    if isinstance(node, ast.Constant):
        return _refused_constant(node.value)
    if not isinstance(node, ALLOWED):
        return Problem(f"{_WORDS.get(type(node).__name__, 'Something in it')} cannot stand in a check.", WRITE)
    return None


_WORDS = {"Attribute": "A part of something (`a.b`)", "Subscript": "A part of something (`a[0]`)", "Pow": "A power"}


def _refused_constant(value: object) -> Problem | None:
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, int | float) and abs(value) < 10**MOST_DIGITS:
        return None
    return Problem("This value cannot stand in a check.", "Write a number of at most 18 digits, or a text in quotes.")


def _unknown(name: str, known: Collection[str], what: str) -> Problem:
    close = nearest(name, known) if len(known) <= MOST_COMPARED else None
    if close:
        return Problem(f"`{shown(name)}` is no {what}.", f"Did you mean `{close}`?")
    mend = f"add a line `- {shown(name)}: command` under `## Probes`" if what == "probe" else "use a known name"
    return Problem(f"`{shown(name)}` is no {what}.", f'For a text write "{shown(name)}" in quotes; else {mend}.')


def _depth(tree: ast.AST) -> int:
    layer, depth = [tree], 0
    while layer:
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
        depth += 1
    return depth
