"""The expression language of checks and conditions: `email_count > 0 and errors == 0`.

Python's own parser reads it. What it may contain is the short list below, and Python never executes
any of it. Length, depth, sizes and steps are bounded, so that evaluating is quick, and it sees
nothing but its values.
"""

import ast
import warnings
from collections.abc import Collection, Iterator, Mapping

from core.model.check import Value
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.rules.checking.values import MOST_DIGITS, shown_value
from core.rules.printable import shown
from core.rules.spelling import nearest

LONGEST = 500  # characters
DEEPEST = 30  # nested parts
# Names that a misspelt one is compared with: that is slow, and a file may have thousands.
MOST_COMPARED = 200

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
# What people write by mistake, and what to write instead; longer ones first.
MISTAKEN_OPERATORS = {
    "&&": "and",
    "||": "or",
    "===": "==",
    "!==": "!=",
    "=>": ">=",
    "=<": "<=",
    "<>": "!=",
    ":=": "==",
}


@light_dataclass(frozen=True, slots=True)
class Expression:
    text: str
    names: tuple[str, ...]  # in the order of their first use
    tree: ast.expr
    source: str  # the text as Python's parser saw it
    aliases: Mapping[str, str]  # in the source, for a name that Python would refuse -> the name


def read_expression(text: str, known: Collection[str], what: str = "probe") -> Expression | Problem:
    """The expression, all of whose names are known; otherwise what is wrong and what to write
    instead."""
    text = text.strip()
    if not text or len(text) > LONGEST or not text.isprintable():
        return Problem(
            f"`{shown(text)}` is not an expression.",
            f"Write at most {LONGEST} characters on one line.",
        )

    mistake = _common_mistake(text)
    if mistake:
        return mistake

    source, aliases = _with_aliases(text)
    tree = _parsed(source)
    if isinstance(tree, Problem):
        return tree

    names = _names_in(tree, aliases)
    if isinstance(names, Problem):
        return names

    unknown = [name for name in names if name not in known]
    if unknown:
        return _unknown(unknown[0], known, what)
    if _depth(tree) > DEEPEST:
        return Problem("The expression is nested too deeply.", "Split it into simpler parts.")

    return Expression(text, names, tree, source, aliases)


def _names_in(tree: ast.expr, aliases: Mapping[str, str]) -> tuple[str, ...] | Problem:
    """The names in the order of their first use; a Problem if something is not allowed."""
    names: dict[str, None] = {}
    for node in ast.walk(tree):
        refused = _refusal(node)
        if refused:
            return refused

        if isinstance(node, ast.Name) and not _is_own_word(node.id):
            names[aliases.get(node.id, node.id)] = None

    return tuple(names)


def _is_own_word(name: str) -> bool:
    return name in FUNCTIONS or name.lower() in CONSTANTS


def with_values(expression: Expression, values: Mapping[str, Value]) -> str:
    """The expression with what was measured in the place of its names: `0 > 0`."""
    source = expression.source.encode()
    names = [node for node in ast.walk(expression.tree) if isinstance(node, ast.Name)]
    for node in sorted(names, key=lambda one: one.col_offset, reverse=True):
        name = expression.aliases.get(node.id, node.id)
        if name in values and name not in FUNCTIONS and node.end_col_offset is not None:
            before = source[: node.col_offset]
            after = source[node.end_col_offset :]
            source = before + shown_value(values[name]).encode() + after

    return source.decode()


# -- reading ---------------------------------------------------------------------------------------


def without_quoted(text: str) -> str:
    """The text with a space for every character of its quoted parts; its length stays the same."""
    result: list[str] = []
    quote = ""
    for character in text:
        is_quote = character in "\"'"
        result.append(" " if quote or is_quote else character)
        if quote == character:
            quote = ""
        elif is_quote and not quote:
            quote = character

    return "".join(result)


def _common_mistake(text: str) -> Problem | None:
    """What people who know another language write, and what to write instead."""
    bare = without_quoted(text)
    return (
        _mistaken_operator(bare)
        or _mistaken_character(bare)
        or _mistaken_function(text, bare)
        or _capital_word(bare)
    )


def _mistaken_operator(bare: str) -> Problem | None:
    for wrong, right in MISTAKEN_OPERATORS.items():
        if wrong in bare:
            return Problem(
                f"`{wrong}` means nothing in a check.", f"Write `{right}` instead of `{wrong}`."
            )

    return None


def _mistaken_character(bare: str) -> Problem | None:
    """A single `=` or `!`."""
    for place, character in enumerate(bare):
        before = bare[place - 1 : place]
        after = bare[place + 1 : place + 2]
        if character == "=" and after != "=" and before not in ("=", "!", "<", ">"):
            return Problem("A single `=` compares nothing.", "Write `==` to compare.")
        if character == "!" and after != "=":
            return Problem("`!` means nothing in a check.", "Write `not` instead of `!`.")

    return None


def _mistaken_function(text: str, bare: str) -> Problem | None:
    """`title contains "x"` instead of `contains(title, "x")`."""
    for name in ("contains", "matches"):
        left, between, right = text.partition(f" {name} ")
        if between and f" {name} " in bare and left.split():
            form = f"{name}({left.split()[-1]}, {_first_value(right)})"
            return Problem(
                f"`{name}` cannot be written between two values.", f"Write `{shown(form)}`."
            )

    return None


def _capital_word(bare: str) -> Problem | None:
    for word in bare.split():
        if word in ("AND", "OR", "NOT", "IN"):
            return Problem(
                f"`{word}` means nothing in a check.", f"Write `{word.lower()}` in lower case."
            )

    return None


def _first_value(text: str) -> str:
    """A quoted text with its quotes, or a word."""
    text = text.strip()
    end = text.find(text[0], 1) if text[:1] in ("'", '"') else -1
    return text[: end + 1] if end > 0 else "".join(text.split()[:1])


def _with_aliases(text: str) -> tuple[str, dict[str, str]]:
    """The text with a plain word in place of each name like `db-health.status`, and the name of
    each such word."""
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
            warnings.simplefilter("ignore")  # an odd `\d` in a text does not matter here
            return ast.parse(source, mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return Problem(f"`{shown(source)}` is not an expression.", WRITE)


def _refusal(node: ast.AST) -> Problem | None:
    if isinstance(node, ast.Call):
        return _refused_call(node)

    if isinstance(node, ast.Constant):
        return _refused_constant(node.value)
    if not isinstance(node, ALLOWED):
        what = _WORDS.get(type(node).__name__, "Something in it")
        return Problem(f"{what} cannot be used in a check.", WRITE)

    return None


_WORDS = {
    "Attribute": "A part of something (`a.b`)",
    "Subscript": "A part of something (`a[0]`)",
    "Pow": "A power",
}


def _refused_call(call: ast.Call) -> Problem | None:
    is_known = isinstance(call.func, ast.Name) and call.func.id in FUNCTIONS
    has_star = any(isinstance(one, ast.Starred) for one in call.args)
    if is_known and not call.keywords and not has_star:
        return None

    return Problem("Only len, min, max, contains and matches can be called.", WRITE)


def _refused_constant(value: object) -> Problem | None:
    if value is None or isinstance(value, bool | str):
        return None
    if isinstance(value, int | float) and abs(value) < 10**MOST_DIGITS:
        return None

    return Problem(
        "This value cannot be used in a check.",
        "Write a number of at most 18 digits, or a text in quotes.",
    )


def _unknown(name: str, known: Collection[str], what: str) -> Problem:
    close = nearest(name, known) if len(known) <= MOST_COMPARED else None
    if close:
        return Problem(f"`{shown(name)}` is not a {what}.", f"Did you mean `{close}`?")

    fix = "use a known name"
    if what == "probe":
        fix = f"add a line `- {shown(name)}: command` under `## Probes`"

    return Problem(
        f"`{shown(name)}` is not a {what}.",
        f'For a text write "{shown(name)}" in quotes; otherwise {fix}.',
    )


def _depth(tree: ast.AST) -> int:
    layer = [tree]
    depth = 0
    while layer:
        layer = [child for node in layer for child in ast.iter_child_nodes(node)]
        depth += 1

    return depth
