"""Evidence as the plain JSON that the ledger keeps, and back; and as the text that a judge
reads."""

from typing import Any

from core.model.check import Finding, Measurement
from core.model.evidence import Act, Claim, Evidence, FileChange, Judgement, Said
from core.model.occurrence import Verdict
from core.rules.checking.values import with_finite_numbers
from core.rules.printable import one_line


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    claim = evidence.claim
    measured = evidence.measurement
    judged = evidence.judgement
    return {
        "claim": {"said": claim.said, "result": claim.result, "facts": dict(claim.facts)},
        "measurement": {
            "finding": measured.finding,
            "words": measured.words,
            "values": dict(measured.values),
        },
        "acts": [
            {"what": act.what, "output": act.output, "could_do_it": act.could_do_it}
            for act in evidence.acts
        ],
        "files": [
            {"path": file.path, "before": file.before, "after": file.after}
            for file in evidence.files
        ],
        "judgement": judged
        and {
            "verdict": judged.verdict,
            "contradiction": judged.contradiction,
            "quote": judged.quote,
            "reason": judged.reason,
        },
        "verdict": evidence.verdict,
        "contradiction": evidence.contradiction,
        "points": evidence.points,
        "reason": evidence.reason,
    }


def evidence_record(evidence: Evidence) -> dict[str, Any]:
    """What the ledger keeps: also the data that only tells one finding from another, which a
    person is not shown."""
    return {**evidence_json(evidence), "found": [*evidence.measurement.found]}


def read_evidence(value: dict[str, Any]) -> Evidence:
    claim = value["claim"]
    measured = value["measurement"]
    judged = value["judgement"]
    return Evidence(
        claim=Claim(Said(claim["said"]), claim["result"], with_finite_numbers(claim["facts"])),
        measurement=Measurement(
            Finding(measured["finding"]),
            measured["words"],
            measured["values"],
            tuple(value.get("found", ())),  # evidence of an earlier version has none
        ),
        acts=tuple(Act(**act) for act in value["acts"]),
        files=tuple(FileChange(**file) for file in value["files"]),
        judgement=judged and Judgement(**{**judged, "verdict": Verdict(judged["verdict"])}),
        verdict=value["verdict"] and Verdict(value["verdict"]),
        contradiction=value["contradiction"],
        points=value["points"],
        reason=value["reason"],
    )


MOST_ACTS = 30
LONGEST_OUTPUT = 600  # characters of one act's output that a judge reads: its beginning and its end
LONGEST_ACT_NAME = 300


def evidence_text(evidence: Evidence) -> str:
    """What a judge reads: the claim, what was done and the results, without the agent's own
    reasoning."""
    claim = evidence.claim
    lines = [f"The agent says: {claim.said}. {claim.result}".rstrip()]
    # On one line each: a name or a value must not look like a line of ours.
    lines += [one_line(f"It says that {name} is {value!r}") for name, value in claim.facts.items()]
    lines.append("What was done, in order:" if evidence.acts else "Nothing was done.")

    for act in evidence.acts[-MOST_ACTS:]:
        lines.append(f"- {_middle_cut(act.what, LONGEST_ACT_NAME)}")
        lines += [f"    {line}" for line in _middle_cut(act.output, LONGEST_OUTPUT).splitlines()]

    for file in evidence.files:
        if file.before is None:
            lines.append(f"File made: {file.path}")
        elif file.after is None:
            lines.append(f"File removed: {file.path}")
        else:
            lines.append(f"File changed: {file.path}")

    return "\n".join([*lines, f"Measured: {evidence.measurement.words}"])


def _middle_cut(text: str, longest: int) -> str:
    half = longest // 2
    return text if len(text) <= longest else f"{text[:half]} … {text[-half:]}"
