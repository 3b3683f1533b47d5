"""The statistics of a study's scores, as a JSON value: every number with its count.

Development over trials is not among them: trial numbers are private, and which recording
belongs to which trial could be guessed from means per trial and the published scores. This
report may be shown.
"""

from __future__ import annotations

import math
from typing import Any

import pandas as pd

from scrubin.scores import aggregation, agreement, effects, moments
from scrubin.scores.consistency import contradictions
from scrubin.scores.entries import Entries
from scrubin.scores.harmonisation import changes
from scrubin.scores.normalisation import rater_moments
from scrubin.scores.params import TOTAL, ScoresParams
from scrubin.scores.roster import Roster

DEFINITIONS = {
    "normalised score": "(score - mean) / sd per task, rater and aspect; sd with n - 1; failed recordings do not count (LASANA, eq. 1)",
    "skill": "mean of the available normalised scores; undefined with too few (LASANA, eq. 2)",
    "disagreement": "mean absolute deviation of the normalised GRS from its mean; percentile by numpy's linear method (LASANA, footnote 3)",
    "bessel": "Lin's rho_c, n - 1 throughout (LASANA, eq. 4, second form); the primary one",
    "lin1989": "Lin's rho_c, 1/n throughout (Lin 1989)",
    "paper_first_form": "Lin's rho_c, 1/n for squared differences, n - 1 for variances (LASANA, eq. 4, first form)",
    "failed_included": "recordings that a rater marked as failed take part with the GRS given to failed ones",
    "failed_excluded": "recordings that one of the two raters marked as failed are left out",
    "pooled": "raters who share the recordings are joined to one (LASANA, Figure 10)",
    "d": "Cohen's d: (mean without error - mean with error) / pooled sd; positive when the error goes with less skill (LASANA, eq. 3)",
    "spearman": "rank correlation of duration_s and GRS, mean ranks for ties",
}


def summarise(
    entries: Entries, normalised: pd.DataFrame, skill: pd.DataFrame, errors: pd.DataFrame, roster: Roster, p: ScoresParams
) -> dict[str, Any]:
    """Return the statistics per task, with null for what is undefined.

    Parameters
    ----------
    entries
        What the sheets say about released recordings.
    normalised
        Normalised scores: id, task, rater, aspect, score, failed.
    skill, errors
        The tables of these names.
    roster
        The study's recordings.
    """
    changed = changes(entries.marks, errors)
    doubtful = contradictions(entries.ratings, entries.marks, errors, p.failure_rules)
    tasks: dict[str, Any] = {}
    for task in sorted({*skill.task, *errors.task}):
        marks, scores, labels = (frame[frame.task == task] for frame in (entries.marks, skill, errors))
        tasks[task] = {
            "recordings": _counts(scores, roster, task),
            "raters": _raters(entries.ratings[entries.ratings.task == task]),
            "skill": {name: _distribution(scores[name].dropna().tolist()) for name in (TOTAL, *p.aspects)},
            "disagreement": {
                **_distribution(scores.disagreement.dropna().tolist()),
                "percentile": p.strong_percentile,
                "threshold": aggregation.threshold(scores.disagreement, p.strong_percentile),
            },
            "agreement": _agreement(normalised[normalised.task == task], p),
            "errors": _errors(labels, scores),
            "error_marks": {"rows": len(marks), "raters": sorted(set(marks.rater))},
            "duration_and_GRS": _duration(scores, roster),
            "harmonised": _records(changed[changed.task == task]),
            "contradictions": _records(doubtful[doubtful.task == task]),
        }
    value = {"definitions": DEFINITIONS, "error_rule": p.error_rule, "left_out_rows": entries.left_out, "tasks": tasks}
    plain: dict[str, Any] = without_nan(value)
    return plain


def without_nan(value: Any) -> Any:
    """Return a JSON value with null in place of NaN, because JSON has no NaN."""
    if isinstance(value, dict):
        return {key: without_nan(item) for key, item in value.items()}
    if isinstance(value, list):
        return [without_nan(item) for item in value]
    return None if isinstance(value, float) and math.isnan(value) else value


def _counts(scores: pd.DataFrame, roster: Roster, task: str) -> dict[str, int]:
    return {
        "released": int((roster.released.task == task).sum()),
        "rated": int((scores.n_ratings > 0).sum()),
        "with_GRS": int(scores[TOTAL].notna().sum()),
        "strong_disagreement": int(scores.strong_disagreement.sum()),
    }


def _raters(ratings: pd.DataFrame) -> dict[str, Any]:
    raters: dict[str, Any] = {}
    for row in rater_moments(ratings).to_dict("records"):
        given = ratings[(ratings.rater == row["rater"]) & (ratings.aspect == TOTAL)]
        rater = raters.setdefault(row["rater"], {"rated": len(given), "failed": int(given.failed.sum()), "raw_scores": {}})
        rater["raw_scores"][row["aspect"]] = {"n": row["n"], "mean": row["mean"], "sd": row["sd"]}
    return raters


def _distribution(values: list[float]) -> dict[str, Any]:
    ends = {"lowest": min(values), "highest": max(values)} if values else {"lowest": math.nan, "highest": math.nan}
    return {"n": len(values), "mean": moments.mean(values), "sd": moments.sd(values), **ends}


def _agreement(normalised: pd.DataFrame, p: ScoresParams) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for aspect in (TOTAL, *p.aspects):
        scores = normalised[(normalised.aspect == aspect) & normalised.score.notna()]
        variants = {"failed_excluded": scores[~scores.failed]}
        if aspect == TOTAL:
            variants["failed_included"] = scores
        found[aspect] = {
            name: {"raters": agreement.pairwise(some), "pooled": agreement.pairwise(agreement.pool(some, p.complementary_raters))}
            for name, some in variants.items()
        }
    return found


def _errors(errors: pd.DataFrame, scores: pd.DataFrame) -> dict[str, Any]:
    grs = scores.set_index("id")[TOTAL]
    found: dict[str, Any] = {}
    for name, group in errors.groupby("error"):
        # Recordings whose aggregated GRS is undefined cannot enter a mean of it.
        both = group.assign(grs=group.id.map(grs)).dropna(subset="grs")
        effect = effects.cohens_d(both.grs[~both.occurred].tolist(), both.grs[both.occurred].tolist())
        found[str(name)] = {
            "n": len(group),
            "occurred": int(group.occurred.sum()),
            "share": int(group.occurred.sum()) / len(group),
            "effect_on_GRS": effect,
        }
    return found


def _duration(scores: pd.DataFrame, roster: Roster) -> dict[str, float]:
    both = scores.merge(roster.released, on=["task", "id"]).dropna(subset=TOTAL)
    return {"n": len(both), "spearman": effects.spearman(both.duration_s.tolist(), both[TOTAL].tolist())}


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return [
        {str(key): None if pd.isna(value) else value for key, value in row.items() if key != "task"} for row in frame.to_dict("records")
    ]
