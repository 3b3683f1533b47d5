"""Skill scores with their errors: how they are distributed, how far the raters agree."""

from __future__ import annotations

from typing import Any

from scrubin.base.tables.io import records
from scrubin.stages.report import ReportedStudy

FORM = "bessel"
"""The form of Lin's concordance that scores calls the primary one."""
VARIANT = "failed_excluded"
WEIGHTS = "quadratic"
"""The weights of Cohen's kappa that the page shows: ICC and quadratic kappa weigh differences alike."""


def tasks(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task the counts, the GRS, the disagreement and how GRS goes with duration."""
    rows = []
    for task, facts in sorted(study.scores.get("tasks", {}).items()):
        grs, disagreement, duration = facts["skill"]["GRS"], facts["disagreement"], facts["duration_and_GRS"]
        rows.append(
            {
                "task": task,
                **facts["recordings"],
                "GRS": {name: grs[name] for name in ("n", "mean", "sd", "lowest", "highest")},
                "disagreement": {name: disagreement[name] for name in ("n", "mean", "threshold", "percentile")},
                "duration": {"n": duration["n"], "spearman": duration["spearman"]},
            }
        )
    return rows


def agreement(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and aspect how far the raters agree.

    The mean of Lin's rho_c over pairs of raters, and that of the pooled raters; ICC of one rater
    and of the mean of all; Krippendorff's alpha; the mean of Cohen's weighted kappa of the points.
    """
    rows = []
    for task, facts in sorted(study.scores.get("tasks", {}).items()):
        for aspect, variants in facts["agreement"].items():
            chosen, raw = variants[VARIANT], facts["raw_agreement"].get(aspect, {})
            values = [pair[FORM] for pair in chosen["raters"]["pairs"].values() if pair[FORM] is not None]
            rows.append(
                {
                    "task": task,
                    "aspect": aspect,
                    "pairs": len(values),
                    "mean": chosen["raters"]["mean"][FORM],
                    "lowest": min(values) if values else None,
                    "highest": max(values) if values else None,
                    "pooled": chosen["pooled"]["mean"][FORM],
                    "icc": {name: chosen["icc"][name] for name in ("n", "k", "left_out")},
                    "icc_one": chosen["icc"]["ICC(2,1)"],
                    "icc_mean": chosen["icc"]["ICC(2,k)"],
                    # The total has no categories, so there its normalised scores are compared.
                    "alpha": raw.get("alpha", chosen.get("alpha", {})).get("alpha"),
                    "kappa": raw["kappa"]["mean"][WEIGHTS] if raw else None,
                }
            )
    return rows


def errors(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return per task and error how often it occurred, Cohen's d of the GRS, and how far the raters' marks agree."""
    return [
        {
            "task": task,
            "error": error,
            "n": label["n"],
            "occurred": label["occurred"],
            "share": label["share"],
            "d": label["effect_on_GRS"]["d"],
            "kappa": facts["error_marks"]["agreement"][error]["kappa"]["mean"]["plain"],
            "alpha": facts["error_marks"]["agreement"][error]["alpha"]["alpha"],
            "overruled": len([mark for mark in facts["harmonised"] if mark["error"] == error]),
        }
        for task, facts in sorted(study.scores.get("tasks", {}).items())
        for error, label in sorted(facts["errors"].items())
    ]


def unlabelled(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return the recordings without error labels although others of their task have some, and who marked them all the same."""
    return [
        {"task": task, **row}
        for task, facts in sorted(study.scores.get("tasks", {}).items())
        for row in facts["error_marks"]["unlabelled"]["recordings"]
    ]


def contradictions(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return what contradicts the failure rules when all raters are taken together, and who said what.

    Contradictions of single raters stand in ``data/interim/scores.json``.
    """
    return [
        {"task": task, **{name: row[name] for name in ("id", "failed", "error", "occurred")}, "said": [_said(one) for one in row["said"]]}
        for task, facts in sorted(study.scores.get("tasks", {}).items())
        for row in facts["contradictions"]
        if row["rater"] is None
    ]


def _said(one: dict[str, Any]) -> str:
    """Return what a rater said, as a phrase.

    >>> _said({"rater": "1", "failed": True, "marked": None})
    'rater 1: failed, no error marks'
    """
    failed = {True: "failed", False: "scored", None: "no scores"}[one["failed"]]
    marked = {True: "error", False: "no error", None: "no error marks"}[one["marked"]]
    return f"rater {one['rater']}: {failed}, {marked}"


def strong_disagreement(study: ReportedStudy) -> list[dict[str, Any]]:
    """Return the recordings that the raters disagree on strongly."""
    columns = ["task", "id", "GRS", "disagreement", "n_ratings"]
    return records(study.skill.loc[study.skill["strong_disagreement"].fillna(value=False), columns].sort_values(["task", "id"]))
