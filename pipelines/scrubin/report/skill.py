"""Skill and errors: how scores are distributed and how far the raters agree."""

from __future__ import annotations

from typing import Any

from scrubin.report.study import Study, records

FORM = "bessel"
"""The form of Lin's concordance that scores calls the primary one."""
VARIANT = "failed_excluded"


def tasks(study: Study) -> list[dict[str, Any]]:
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


def agreement(study: Study) -> list[dict[str, Any]]:
    """Return per task and aspect the mean of Lin's rho_c over pairs of raters, and that of the pooled raters."""
    rows = []
    for task, facts in sorted(study.scores.get("tasks", {}).items()):
        for aspect, variants in facts["agreement"].items():
            found = variants[VARIANT]
            values = [pair[FORM] for pair in found["raters"]["pairs"].values() if pair[FORM] is not None]
            rows.append(
                {
                    "task": task,
                    "aspect": aspect,
                    "pairs": len(values),
                    "mean": found["raters"]["mean"][FORM],
                    "lowest": min(values) if values else None,
                    "highest": max(values) if values else None,
                    "pooled": found["pooled"]["mean"][FORM],
                }
            )
    return rows


def errors(study: Study) -> list[dict[str, Any]]:
    """Return per task and error how often it occurred, and Cohen's d of the GRS."""
    return [
        {
            "task": task,
            "error": error,
            "n": label["n"],
            "occurred": label["occurred"],
            "share": label["share"],
            "d": label["effect_on_GRS"]["d"],
        }
        for task, facts in sorted(study.scores.get("tasks", {}).items())
        for error, label in sorted(facts["errors"].items())
    ]


def strong_disagreement(study: Study) -> list[dict[str, Any]]:
    """Return the recordings that the raters disagree on strongly."""
    columns = ["task", "id", "GRS", "disagreement", "n_ratings"]
    return records(study.skill.loc[study.skill["strong_disagreement"], columns].sort_values(["task", "id"]))
