"""Evidence as the plain JSON that the ledger keeps, and back."""

from typing import Any

from core.model.check import Finding, Measurement
from core.model.evidence import Act, Claim, Evidence, FileChange, Judgement, Said
from core.model.verdict import Verdict


def evidence_json(evidence: Evidence) -> dict[str, Any]:
    claim, measured, judged = evidence.claim, evidence.measurement, evidence.judgement
    return {
        "claim": {"said": claim.said, "result": claim.result, "facts": dict(claim.facts)},
        "measurement": {"finding": measured.finding, "words": measured.words, "values": dict(measured.values)},
        "acts": [{"what": act.what, "output": act.output, "could_do_it": act.could_do_it} for act in evidence.acts],
        "files": [{"path": file.path, "before": file.before, "after": file.after} for file in evidence.files],
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


def read_evidence(value: dict[str, Any]) -> Evidence:
    claim, measured, judged = value["claim"], value["measurement"], value["judgement"]
    return Evidence(
        claim=Claim(Said(claim["said"]), claim["result"], claim["facts"]),
        measurement=Measurement(Finding(measured["finding"]), measured["words"], measured["values"]),
        acts=tuple(Act(**act) for act in value["acts"]),
        files=tuple(FileChange(**file) for file in value["files"]),
        judgement=judged and Judgement(**{**judged, "verdict": Verdict(judged["verdict"])}),
        verdict=value["verdict"] and Verdict(value["verdict"]),
        contradiction=value["contradiction"],
        points=value["points"],
        reason=value["reason"],
    )
