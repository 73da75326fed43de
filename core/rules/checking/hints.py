"""What a `verify:` hint asks for: a command, a file, a page, a JSON value, an expression over probes, a label. Pure."""

from collections.abc import Collection, Iterator

from core.model.check import (
    Check,
    CommandCheck,
    ExitCodeCheck,
    ExpressionCheck,
    FileCheck,
    HttpCheck,
    JsonCheck,
    Label,
)
from core.model.diagnostic import Problem
from core.model.document import Task
from core.rules.reading.findings import did_you_mean, shown
from core.rules.reading.tasks import DEFAULT_HINT, HINT_PREFIXES
from core.rules.timing.durations import read_duration

COMPARING = ("<", ">", "=", "&&", "||")
OPERATORS = ("==", "!=", "<=", ">=", "<", ">", "in ", "not in ")
FILE_TERMS = ("fresh<DURATION", "size>N", 'contains "text"', "changed")
HTTP_TERMS = ("status=N", 'contains "text"')
SIGNS = "<>="
MEASURED = "it"  # what stands for the JSON value in its comparison


def read_check(task: Task, probes: Collection[str]) -> Check | Problem:
    """How the task is checked; a Problem where the hint looks like a check and cannot be read as one."""
    hint = task.verify.strip()
    if task.run and hint == DEFAULT_HINT:
        return ExitCodeCheck()
    if hint.isidentifier():  # most hints are one word
        return ExpressionCheck(hint, (hint,)) if hint in probes else Label(hint)
    prefix, colon, rest = hint.partition(":")
    if colon and (kind := prefix.strip().lower()) in HINT_PREFIXES:
        return _prefixed(kind, hint, rest.strip())
    if _is_expression(hint, probes):
        return _expression(hint, probes)
    return Label(hint)


def check_words(task: Task, probes: Collection[str]) -> str:
    """How the task is checked, as a phrase."""
    match read_check(task, probes):
        case Problem():
            return "its check cannot be read"
        case Label(words):
            return f"a judge decides “{words}”"
        case ExitCodeCheck():
            return "checked by its exit code"
    return f"checked by {task.verify}"


def _prefixed(kind: str, hint: str, rest: str) -> Check | Problem:
    match kind:
        case "cmd":
            return CommandCheck(rest) if rest else Problem("`cmd:` has no command.", "Write `cmd:test -e report.md`.")
        case "file":
            return _file(rest)
        case "json":
            return _json(rest)
    return _http(hint if rest.startswith("//") else rest)


def _file(rest: str) -> FileCheck | Problem:
    path, terms = _first_word(rest)
    if not path:
        return Problem("`file:` has no path.", "Write `file:report.md fresh<1d`.")
    if _leaves(path):
        return _outside(path)
    fresh = larger_than = None
    changed = False
    texts: list[str] = []
    for term, value in _terms(terms):
        match term:
            case "fresh<":
                duration = read_duration(value)
                if isinstance(duration, Problem):
                    return duration
                fresh = duration
            case "size>" if value.isascii() and value.isdigit() and len(value) < 16:
                larger_than = int(value)
            case "contains" if value:
                texts.append(value)
            case "changed":
                changed = True
            case _:
                return _not_a_term(term, value, FILE_TERMS)
    return FileCheck(path, fresh, larger_than, tuple(texts), changed)


def _http(rest: str) -> HttpCheck | Problem:
    url, terms = _first_word(rest)
    if not url.startswith(("http://", "https://")) or not url.partition("//")[2]:
        return Problem(f"`{shown(url)}` is no web address.", "Write `http:https://example.org/ status=200`.")
    status = None
    texts: list[str] = []
    for term, value in _terms(terms):
        match term:
            case "status=" if value.isascii() and value.isdigit() and len(value) == 3:
                status = int(value)
            case "contains" if value:
                texts.append(value)
            case _:
                return _not_a_term(term, value, HTTP_TERMS)
    return HttpCheck(url, status, tuple(texts))


def _json(rest: str) -> JsonCheck | Problem:
    from core.rules.checking.expressions import read_expression

    example = "Write `json:report.json#/count > 0`."
    place, _, comparison = rest.partition(" ")
    path, mark, pointer = place.partition("#")
    comparison = comparison.strip()
    if not path or not mark or (pointer and not pointer.startswith("/")):
        return Problem(f"`{shown(place)}` names no value of a JSON file.", example)
    if _leaves(path):
        return _outside(path)
    if not comparison.startswith(OPERATORS) and "=" not in comparison[:1]:
        return Problem("There is nothing to compare the value with.", example)
    found = read_expression(f"{MEASURED} {comparison}", {MEASURED}, "value")
    if isinstance(found, Problem):
        return found
    parts = [part.replace("~1", "/").replace("~0", "~") for part in pointer.split("/")[1:]]
    return JsonCheck(path, tuple(parts), comparison)


def _leaves(path: str) -> bool:
    """Whether a path leads out of the workspace by its own words."""
    depth = 0
    for part in path.split("/"):
        depth += -1 if part == ".." else part not in ("", ".")
        if depth < 0:
            return True
    return path.startswith("~")


def _outside(path: str) -> Problem:
    mend = f"Name a file of the workspace, or write `cmd:test -e {shown(path)}`."
    return Problem(f"`{shown(path)}` is outside the workspace, where no check looks.", mend)


def _expression(hint: str, probes: Collection[str]) -> ExpressionCheck | Problem:
    from core.rules.checking.expressions import read_expression  # its parser costs 5 ms; most files have no use for it

    found = read_expression(hint, probes)
    return found if isinstance(found, Problem) else ExpressionCheck(found.text, found.names)


def _is_expression(hint: str, probes: Collection[str]) -> bool:
    """Whether it compares something, or names nothing but probes; other words are a label."""
    outside = "".join(_outside_quotes(hint))
    if any(sign in outside for sign in COMPARING):
        return True
    words = "".join(sign if sign.isalnum() or sign == "_" else " " for sign in outside).split()
    names = [word for word in words if word.isidentifier() and word.lower() not in _WORDS]
    return bool(names) and all(name in probes for name in names)


_WORDS = {"and", "or", "not", "in", "true", "false", "null", "none", "len", "min", "max", "contains", "matches"}


def _outside_quotes(text: str) -> Iterator[str]:
    quote = ""
    for sign in text:
        if quote:
            quote = "" if sign == quote else quote
        elif sign in "\"'":
            quote = sign
        else:
            yield sign


def _first_word(text: str) -> tuple[str, str]:
    """A path or an address, in quotes where it holds spaces, and what follows it."""
    quote = text[:1] if text[:1] in ("'", '"') else ""
    word, _, rest = text[len(quote) :].partition(quote or " ")
    return word, rest


def _terms(text: str) -> Iterator[tuple[str, str]]:
    """`fresh<1d`, `size > 0`, `contains "x"` as pairs: what is asked, with its sign, and the value."""
    tokens = _tokens(text)
    while tokens:
        name = tokens.pop(0).lower()
        if tokens and tokens[0] in SIGNS:
            name += tokens.pop(0)
        has_value = name[-1:] in SIGNS or name == "contains"
        yield name, tokens.pop(0) if has_value and tokens else ""


def _tokens(text: str) -> list[str]:
    """Words, signs of comparison, and quoted texts without their marks."""
    tokens: list[str] = []
    word = quote = ""
    for sign in [*text, " "]:
        if quote and sign != quote:
            word += sign
        elif quote:
            tokens.append(word)
            word = quote = ""
        elif sign in "\"'" or sign in SIGNS or sign in " \t":
            tokens += [word] if word else []
            tokens += [sign] if sign in SIGNS else []
            quote, word = sign if sign in "\"'" else "", ""
        else:
            word += sign
    return tokens


def _not_a_term(term: str, value: str, known: Collection[str]) -> Problem:
    return Problem(f"`{shown(term + value)}` cannot be asked here.", did_you_mean(term + value, known))
