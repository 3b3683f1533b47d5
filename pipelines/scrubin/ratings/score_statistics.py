"""The statistics of a study's scores, as a JSON value: every number with its count.

Development over trials is not among them: trial numbers are private, and which recording
belongs to which trial could be guessed from means per trial and the published scores. This
report may be shown; the development stands in a private file (`scrubin.stages.scores`).

Source: LASANA, section Statistical analysis, Figure 8.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from scrubin.base import statistics
from scrubin.base.statistics import without_nan
from scrubin.base.tables.io import records
from scrubin.ratings import TOTAL, ScoresParams, agreement, marks, scoring
from scrubin.ratings.entries import Entries
from scrubin.ratings.marks import changes, contradictions, statements, unlabelled
from scrubin.ratings.rater_sheet import Roster
from scrubin.ratings.scoring import rater_moments

DEFINITIONS = {
    "normalised score": "(score - mean) / sd per task, rater and aspect; sd with n - 1; failed recordings do not count (LASANA, eq. 1)",
    "skill": "mean of the available normalised scores; undefined with too few (LASANA, eq. 2)",
    "not_normalised": "raters with fewer than two scores of an aspect, or only equal ones (mean): undefined and in no mean; "
    "a failed recording keeps its total",
    "not_rated": "recordings of which a rater said that nothing could be judged: they count as without a row of that rater; an aspect "
    "that was not rated is undefined, and so is the total",
    "disagreement": "mean absolute deviation of the normalised GRS from its mean; percentile by numpy's linear method (LASANA, footnote 3)",
    "bessel": "Lin's rho_c, n - 1 throughout (LASANA, eq. 4, second form); the primary one",
    "lin1989": "Lin's rho_c, 1/n throughout (Lin 1989)",
    "paper_first_form": "Lin's rho_c, 1/n for squared differences, n - 1 for variances (LASANA, eq. 4, first form)",
    "failed_included": "recordings that a rater marked as failed take part with the GRS given to failed ones",
    "failed_excluded": "recordings that one of the two raters marked as failed are left out",
    "pooled": "raters who share the recordings are joined to one (LASANA, Figure 10)",
    "d": "Cohen's d: (mean without error - mean with error) / pooled sd; positive when the error goes with less skill (LASANA, eq. 3)",
    "ICC(2,1)": "intraclass correlation, two-way random effects, absolute agreement, one rater (Shrout & Fleiss 1979), 95 % interval "
    "(McGraw, Wong 1996); on normalised scores of recordings that all k raters scored, raters who share recordings joined to one",
    "ICC(2,k)": "the same of the mean of the k raters; fewer than five scores give no ICC, an end of an interval without meaning is null",
    "kappa": "Cohen's kappa per pair of raters: plain, or with linear or quadratic weights over all points of the scale; of points "
    "as given or error marks",
    "alpha": "Krippendorff's alpha over all raters: interval for the normalised GRS, ordinal for points as given, nominal for error marks; "
    "n recordings with at least two values, left_out those with one",
    "harmonised": "marks that the error rule overruled",
    "unlabelled": "released recordings of tasks with error marks that have no label, and the raters who marked them all the same",
    "contradictions": "failure marks against errors, by the failure rules: per rater (rater given) and of all raters together (rater null, "
    "said: who said what)",
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
    without = unlabelled(entries.marks, errors, roster.released)
    tasks: dict[str, Any] = {}
    for task in sorted({*skill.task, *errors.task}):
        ratings, marks, scores, labels = (frame[frame.task == task] for frame in (entries.ratings, entries.marks, skill, errors))
        tasks[task] = {
            "recordings": _counts(scores, roster, task),
            "raters": _raters(ratings, {rater: n for (of, rater), n in sorted(entries.not_rated.items()) if of == task}),
            "not_normalised": _not_normalised(ratings),
            "skill": {name: _distribution(scores[name].dropna().tolist()) for name in (TOTAL, *p.aspects)},
            "disagreement": {
                **_distribution(scores.disagreement.dropna().tolist()),
                "percentile": p.strong_percentile,
                "threshold": scoring.threshold(scores.disagreement, p.strong_percentile),
            },
            "agreement": agreement.of_scores(normalised[normalised.task == task], p),
            "raw_agreement": agreement.of_points(ratings, p),
            "errors": _errors(labels, scores),
            "error_marks": {
                "rows": len(marks),
                "raters": sorted(set(marks.rater)),
                "agreement": agreement.of_marks(marks),
                "unlabelled": {"n": int((without.task == task).sum()), "recordings": _records(without[without.task == task])},
            },
            "duration_and_GRS": _duration(scores, roster),
            "harmonised": _records(changed[changed.task == task]),
            "contradictions": _contradictions(doubtful[doubtful.task == task], entries, task),
        }
    value = {"definitions": DEFINITIONS, "error_rule": p.error_rule, "left_out_rows": entries.left_out, "tasks": tasks}
    plain: dict[str, Any] = without_nan(value)
    return plain


def _counts(scores: pd.DataFrame, roster: Roster, task: str) -> dict[str, int]:
    return {
        "released": int((roster.released.task == task).sum()),
        "rated": int((scores.n_ratings > 0).sum()),
        "with_GRS": int(scores[TOTAL].notna().sum()),
        "strong_disagreement": int(scores.strong_disagreement.sum()),
    }


def _raters(ratings: pd.DataFrame, not_rated: Mapping[str, int]) -> dict[str, Any]:
    # A rater who could judge nothing at all is named all the same.
    raters: dict[str, Any] = {rater: {"rated": 0, "failed": 0, "not_rated": n, "raw_scores": {}} for rater, n in not_rated.items()}
    for row in rater_moments(ratings).to_dict("records"):
        totals = ratings[(ratings.rater == row["rater"]) & (ratings.aspect == TOTAL)]
        rater = raters.setdefault(row["rater"], {"not_rated": 0, "raw_scores": {}})
        rater |= {"rated": len(totals), "failed": int(totals.failed.sum())}
        rater["raw_scores"][row["aspect"]] = {"n": row["n"], "mean": row["mean"], "sd": row["sd"]}
    return raters


def _not_normalised(ratings: pd.DataFrame) -> list[dict[str, Any]]:
    stats = rater_moments(ratings)
    return records(stats[(stats.n < 2) | (stats.sd == 0)].drop(columns=["task", "sd"]))


def _distribution(values: list[float]) -> dict[str, Any]:
    ends = {"lowest": min(values), "highest": max(values)} if values else {"lowest": math.nan, "highest": math.nan}
    return {"n": len(values), "mean": statistics.mean(values), "sd": statistics.sd(values), **ends}


def _errors(errors: pd.DataFrame, scores: pd.DataFrame) -> dict[str, Any]:
    grs = scores.set_index("id")[TOTAL]
    statistics: dict[str, Any] = {}
    for name, group in errors.groupby("error"):
        # Recordings whose aggregated GRS is undefined cannot enter a mean of it.
        both = group.assign(grs=group.id.map(grs)).dropna(subset="grs")
        effect = marks.cohens_d(both.grs[~both.occurred].tolist(), both.grs[both.occurred].tolist())
        statistics[str(name)] = {
            "n": len(group),
            "occurred": int(group.occurred.sum()),
            "share": int(group.occurred.sum()) / len(group),
            "effect_on_GRS": effect,
        }
    return statistics


def _duration(scores: pd.DataFrame, roster: Roster) -> dict[str, float]:
    both = scores.merge(roster.released, on=["task", "id"]).dropna(subset=TOTAL)
    return {"n": len(both), "spearman": statistics.spearman(both.duration_s.tolist(), both[TOTAL].tolist())}


def _contradictions(doubtful: pd.DataFrame, entries: Entries, task: str) -> list[dict[str, Any]]:
    return [
        row if row["rater"] else {**row, "said": statements(entries.ratings, entries.marks, task, row["id"], row["error"])}
        for row in _records(doubtful)
    ]


def _records(frame: pd.DataFrame) -> list[dict[str, Any]]:
    return records(frame.drop(columns="task"))
