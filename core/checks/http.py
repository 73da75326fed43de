"""`http:URL`: it answers with the asked status or one from 200 to 299, and contains the texts."""

from __future__ import annotations

from datetime import timedelta

from core.checks.measurable import (
    MeasurableKind,
    Measuring,
    finding_of,
    names_nothing,
    unmeasured,
    watches_nothing,
)
from core.model.check import (
    Check,
    Execution,
    Hint,
    Measurement,
    as_written,
    claims_nothing,
)
from core.model.diagnostic import Problem
from core.model.light_dataclass import light_dataclass
from core.rules.checking.terms import first_word, not_a_term, read_terms
from core.rules.printable import one_line, shown
from core.rules.web import is_status

LIMIT = timedelta(seconds=30)
TERMS = ("status=N", 'contains "text"')


@light_dataclass(frozen=True, slots=True)
class HttpCheck(Check):
    url: str
    status: int | None = None
    contains: tuple[str, ...] = ()


def _read(hint: Hint) -> HttpCheck | Problem:
    # `http://example.org` is an address whose own first letters look like the prefix.
    address = hint.text if hint.rest.startswith("//") else hint.rest
    url, terms = first_word(address)
    if not url.startswith(("http://", "https://")) or not url.partition("//")[2]:
        return Problem(
            f"`{shown(url)}` is not a web address.", "Write `http:https://example.org/ status=200`."
        )

    status = None
    texts: list[str] = []
    for term, value in read_terms(terms):
        if term == "status=" and is_status(value):
            status = int(value)
        elif term == "contains" and value:
            texts.append(value)
        else:
            return not_a_term(term, value, TERMS)

    return HttpCheck(url, status, tuple(texts))


def _measure(measuring: Measuring, check: HttpCheck) -> Measurement:
    from core.model.http import NoAnswer, Request

    answer = measuring.send(Request("GET", check.url, timeout=LIMIT))
    if isinstance(answer, NoAnswer):
        return unmeasured(answer.reason)

    missing = [text for text in check.contains if text not in answer.body]
    is_fine = answer.status == check.status if check.status else 200 <= answer.status < 300
    lacks = "".join(f", without “{one_line(text, 40)}”" for text in missing)

    asked = [f"status {check.status or '200 to 299'}"] if not is_fine else []
    asked += [f"the text “{one_line(text, 40)}”" for text in missing]

    return Measurement(
        finding_of(is_fine and not missing),
        f"status {answer.status}{lacks}",
        {"status": answer.status},
        found=tuple(missing),
        asked=" and ".join(asked),
        got=f"status {answer.status}{lacks}",
    )


def _no_command(_: str) -> str:
    return ""


HTTP = MeasurableKind(
    value=HttpCheck,
    prefixes=("http", "https"),
    claims=claims_nothing,
    read=_read,
    title=as_written,
    needs_judge=False,
    execution=Execution(command=_no_command, reach=("asks that address",)),
    watched_file=watches_nothing,
    names=names_nothing,
    has_values=True,
    measure=_measure,
)
