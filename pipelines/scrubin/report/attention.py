"""Recordings that a person should look at, each with the reasons."""

from __future__ import annotations

from collections import defaultdict
from typing import Any

from scrubin.report.reported_study import ReportedStudy


def attention(study: ReportedStudy, much_hidden_share: float) -> list[dict[str, Any]]:
    """Return recording, released id (None when not released) and reasons, sorted by recording.

    Parameters
    ----------
    study
        The study.
    much_hidden_share
        More hidden frames than this share is a reason.
    """
    names, ids = study.names(), {name: id_ for id_, name in study.names().items()}
    reasons: dict[str, list[str]] = defaultdict(list)
    kept = study.recordings[study.recordings["status"] == "kept"]
    for name, group in kept.groupby("recording"):
        reasons[str(name)] += sorted(set(group["reason"].dropna()))
        if group["variable_rate"].fillna(value=False).any():
            reasons[str(name)].append("variable frame rate: times are exact, frame numbers are not evenly spaced")
    for name, group in study.redactions[~study.redactions["accepted"]].groupby("recording"):
        reasons[str(name)].append(f"{_count(len(group), 'span')} shown, because rejected: can anybody be recognised?")
    for id_, share in study.frames.groupby("id")["redacted"].mean().items():
        if share > much_hidden_share:
            reasons[names[str(id_)]].append(f"{share:.0%} of its frames are hidden")
    for id_ in study.skill.loc[study.skill["strong_disagreement"].fillna(value=False), "id"]:
        reasons[names[id_]].append("the raters disagree strongly: it may only be used for training")
    for id_ in study.skill.loc[study.skill["GRS"].isna(), "id"]:
        reasons[names[id_]].append("too few ratings for a GRS")
    for id_, notes in sorted(study.annotations["notes"].items()):
        reasons[names[id_]] += [f"labels: {sentence}" for sentence in notes]
    return [{"recording": name, "id": ids.get(name), "reasons": reasons[name]} for name in sorted(reasons) if reasons[name]]


def _count(number: int, noun: str) -> str:
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"
