"""How good a split is: its balance, its classes, the shortcut by duration.

It names no participant.

LASANA (section Benchmark baselines) warns that models may read the skill off the duration
instead of the video. What a prediction from the duration alone achieves is what a model
has to beat; it is fitted on the training subset only, like a model would be.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.base import statistics
from scrubin.base.statistics import settled, without_nan
from scrubin.stages.splits.cohort import BINS, Cohort, Measure, bins
from scrubin.stages.splits.split import Split

BALANCE_DEFINITIONS = {
    "imbalance": "deviation of a subset from its share of the total, relative to that share but at least to one recording; "
    "for a mean its shift in standard deviations of the task",
    "unavoidable": "imbalance that is left in any split of whole participants, for one measure and subset alone",
    "weight": "how much a measure counts: 1, but 2 for the number of recordings and for the mean in a small task, and less for the parts "
    "of a distribution; how far a measurement is off shows in several of them",
    "fine": "a part of a distribution that other measures show, too: it is in the mean imbalance, but not called the worst",
    "objective": "mean imbalance over all measures and subsets, weighted, + worst imbalance beyond the unavoidable, times its weight "
    "+ 10 for each task missing in a subset",
    "bound": "no split has a smaller objective: by every measure alone, and for small studies by branch and bound (HiGHS)",
    "gap": "objective - bound: by how much a perfect split could at most be better",
    "status": "proven: the gap is at most 'splits.gap'; work_limit: the best split within 'splits.work_limit', which counts steps, not "
    "seconds; sampled: a repetition, drawn and improved, not searched for",
}


def balance(split: Split, cohort: Cohort) -> dict[str, Any]:
    """Return shares, imbalance, proofs, obstacles and notes of a split.

    Parameters
    ----------
    split
        The split.
    cohort
        Its recordings, with the columns that are to be balanced.
    """
    table = imbalances(split, cohort)
    cells = [(row, cell["imbalance"]) for row in table for cell in row["subsets"].values()]
    total = math.fsum(row["weight"] for row, _ in cells)
    return {
        "subsets": list(split.subsets),  # in their order, which JSON keys lose
        "shares": None if split.shares is None else dict(split.shares),
        "imbalance": {
            "mean": math.fsum(row["weight"] * value for row, value in cells) / total if cells else None,
            "worst": max((value for row, value in cells if not row["fine"]), default=None),
            "measures": table,
        },
        "proofs": [{"objective": one.objective, "bound": one.bound, "gap": one.gap, "status": one.status} for one in split.proofs],
        "obstacles": [one.sentence(named=False) for one in split.obstacles],
        "notes": [*split.doubts, *split.notes],
    }


def imbalances(split: Split, cohort: Cohort) -> list[dict[str, Any]]:
    """Return per fold, task and measure what each subset has, what it should have, and the imbalance between the two.

    Where a scheme asks for no shares, a subset's share is that of the recordings it has.
    """
    measures = cohort.measures()
    place = {id_: i for i, id_ in enumerate(cohort.people.id)}
    entries = []
    for fold, rows in split.rows.groupby("fold"):
        inside = {subset: np.array([place[id_] for id_ in rows.id[rows.subset == subset]], dtype=np.int64) for subset in split.subsets}
        shares = split.shares or {subset: len(members) / len(rows) for subset, members in inside.items()}
        for measure in measures:
            cells = {subset: _cell(measure, members, shares[subset]) for subset, members in inside.items()}
            facts = {
                "fold": int(str(fold)),
                "task": measure.task,
                "measure": measure.name,
                "counted": measure.whole,
                "weight": measure.weight,
                "fine": measure.fine,
            }
            entries.append({**facts, "subsets": cells})
    return entries


def _cell(measure: Measure, members: npt.NDArray[np.int64], share: float) -> dict[str, float]:
    """Return the count and the count that is wanted; for a mean its shift in sd, of which 0 is wanted."""
    value, wanted, scale = math.fsum(measure.values[members]), share * measure.total, measure.scale(share)
    shift = {"value": value, "wanted": wanted} if measure.whole else {"value": value / scale, "wanted": 0.0}
    return {**shift, "imbalance": abs(value - wanted) / scale}


def folds(split: Split, people: pd.DataFrame, skill: pd.DataFrame, errors: pd.DataFrame) -> list[dict[str, Any]]:
    """Return per fold its participants, and per task and subset the counts, the GRS and the errors; null is undefined.

    Parameters
    ----------
    split
        The split.
    people
        One row per recording: id, task, participant.
    skill, errors
        The tables of these names.
    """
    scores = skill[["id", "GRS", "strong_disagreement"]]
    placed = split.rows.merge(people[["id", "task", "participant"]], on="id", validate="many_to_one").merge(scores, on="id", how="left")
    return [
        {
            "fold": int(str(fold)),
            "participants": {subset: int(rows.participant[rows.subset == subset].nunique()) for subset in split.subsets},
            "tasks": dict(_tasks(rows, errors, split.subsets)),
        }
        for fold, rows in placed.groupby("fold")
    ]


def _tasks(placed: pd.DataFrame, errors: pd.DataFrame, subsets: Sequence[str]) -> Iterator[tuple[str, dict[str, Any]]]:
    for task, rows in placed.groupby("task"):
        tercile = pd.Series(bins(rows.GRS.to_numpy(dtype=float)), index=rows.index)
        labels = errors[errors.id.isin(rows.id)]
        yield str(task), {subset: _subset(rows[rows.subset == subset], len(rows), tercile, labels) for subset in subsets}


def _subset(inside: pd.DataFrame, of: int, tercile: pd.Series[int], labels: pd.DataFrame) -> dict[str, Any]:
    theirs = labels[labels.id.isin(inside.id)]
    grs = inside.GRS.dropna().tolist()
    return {
        "recordings": len(inside),
        "share": len(inside) / of,
        "strong_disagreement": int(inside.strong_disagreement.eq(True).fillna(value=False).sum()),
        "GRS": {"n": len(grs), "mean": math.fsum(grs) / len(grs) if grs else None},
        "GRS_terciles": {name: int((tercile[inside.index] == i).sum()) for i, name in enumerate(BINS)},
        "errors": {str(error): _occurred(group) for error, group in theirs.groupby("error")},
    }


def _occurred(labels: pd.DataFrame) -> Mapping[str, Any]:
    occurred = int(labels.occurred.sum())
    return {"n": len(labels), "occurred": occurred, "share": occurred / len(labels)}


CLASS_KINDS = ("triplets", "phases", "phase transitions", "errors")
"""What has classes."""


def classes(triplets: pd.DataFrame, phases: pd.DataFrame, errors: pd.DataFrame) -> dict[str, pd.DataFrame]:
    """Return which class occurs in which recording, per kind: columns id, name, no row twice.

    Parameters
    ----------
    triplets, phases, errors
        The tables of these names. An error is a class when it occurred; a phase transition is a change
        between two successive labelled frames.
    """
    named = phases.assign(name=phases.vocabulary + ": " + phases.phase)
    by_kind = {
        "triplets": triplets.dropna(subset="triplet").assign(name=lambda rows: rows.vocabulary + ": " + rows.triplet),
        "phases": named,
        "phase transitions": _transitions(phases),
        "errors": errors[errors.occurred].assign(name=lambda rows: rows.task + ": " + rows.error),
    }
    return {kind: by_kind[kind][["id", "name"]].drop_duplicates(ignore_index=True) for kind in CLASS_KINDS}


def class_coverage(rows: pd.DataFrame, occurring: dict[str, pd.DataFrame], subsets: Sequence[str]) -> dict[str, Any]:
    """Return per kind the classes per subset, and those missing in the first.

    Parameters
    ----------
    rows
        Rows of one scheme and fold: subset, id.
    occurring
        What ``classes`` returns.
    subsets
        The subsets; the first is the one for training.

    Returns
    -------
    dict
        Per kind: ``classes`` (number in the recordings of the split); per subset ``present`` (number) and
        ``missing`` (names); ``not_in_<first>``: per other subset the names that occur there but not
        in the first.
    """
    subset_of = rows.set_index("id").subset
    return {kind: _kind(rows_of_kind, subset_of, subsets) for kind, rows_of_kind in occurring.items()}


def class_warnings(covered: dict[str, Any], first: str) -> Iterator[str]:
    """Yield what cannot be learnt: classes that a subset has and training has not."""
    for kind, facts in covered.items():
        for subset, names in facts[f"not_in_{first}"].items():
            if names:
                shown = ", ".join(names[:5]) + (f" and {len(names) - 5} more" if len(names) > 5 else "")
                what = f"1 {kind.removesuffix('s')} occurs" if len(names) == 1 else f"{len(names)} {kind} occur"
                yield f"{what} in {subset} but not in {first}: {shown}"


def not_trained_on(split: Split, people: pd.DataFrame) -> dict[str, str]:
    """Return the subset of each recording that should be trained on, by id, where it was released in another one and stays.

    Parameters
    ----------
    split
        A split of the kind that has them in its first subset; others ask nothing of them.
    people
        One row per recording: id, pinned.
    """
    rows = split.rows[split.rows.id.isin(people.id[people.pinned]) & (split.rows.subset != split.subsets[0])].sort_values("id")
    return dict(zip(rows.id, rows.subset, strict=True))


def _transitions(phases: pd.DataFrame) -> pd.DataFrame:
    ordered = phases.sort_values(["vocabulary", "id", "frame"], kind="stable")
    before = ordered[["vocabulary", "id", "phase"]].shift()
    changes = (before.id == ordered.id) & (before.vocabulary == ordered.vocabulary) & (before.phase != ordered.phase)
    starts = ordered[changes]
    return starts.assign(name=starts.vocabulary + ": " + before.phase[changes] + " > " + starts.phase)


def _kind(occurring: pd.DataFrame, subset_of: pd.Series[str], subsets: Sequence[str]) -> dict[str, Any]:
    placed = occurring.assign(subset=occurring.id.map(subset_of)).dropna(subset="subset")
    names = set(placed.name)
    present = {subset: set(placed.name[placed.subset == subset]) for subset in subsets}
    first = subsets[0]
    return {
        "classes": len(names),
        "subsets": {subset: {"present": len(present[subset]), "missing": sorted(names - present[subset])} for subset in subsets},
        f"not_in_{first}": {subset: sorted(present[subset] - present[first]) for subset in subsets[1:]},
    }


Prediction = Callable[[Sequence[float]], list[float]]
SHORTCUT_DEFINITIONS = {
    "n": "recordings with a GRS and a duration; left_out are the others",
    "spearman": "rank correlation of duration and GRS, mean ranks for ties",
    "isotonic": "isotonic regression of the GRS on the duration, falling where Spearman's correlation in the training subset is negative, "
    "else rising; constant beyond the training durations",
    "log_line": "least-squares line of the GRS on the natural logarithm of the duration in seconds",
    "training_mean": "the mean GRS of the training subset for every recording: what knowing nothing achieves",
    "concordance": f"Lin's rho_c of predicted and true GRS, form {statistics.PRIMARY} (n - 1 throughout)",
    "r2": "squared Pearson correlation of predicted and true GRS",
    "mean_absolute_error": "in the unit of the GRS",
}


def shortcut_audit(rows: pd.DataFrame, training: str) -> dict[str, Any]:
    """Return how well duration alone predicts the GRS, per task and subset.

    Parameters
    ----------
    rows
        One row per recording: task, id, subset, duration_s (s), GRS (sd); NaN where undefined. Their
        order is irrelevant. Rows without a subset are ignored.
    training
        The subset to fit on. Where it has no row, everything that needs the fit is undefined.

    Returns
    -------
    dict
        ``definitions``, ``training``, and ``tasks``: per task the ``fit`` (direction, slope in sd
        per natural logarithm of seconds and intercept in sd of the line) and per subset
        n, left_out, spearman and, per prediction, concordance, r2 and mean_absolute_error; None
        where undefined. Numbers are rounded to nine decimals.
    """
    placed = rows[rows.subset.notna()].sort_values(["task", "subset", "id"], kind="stable")
    tasks = {str(task): _of_task(group, training) for task, group in placed.groupby("task")}
    plain: dict[str, Any] = without_nan({"definitions": SHORTCUT_DEFINITIONS, "training": training, "tasks": tasks})
    return plain


def _of_task(rows: pd.DataFrame, training: str) -> dict[str, Any]:
    # The logarithm of a duration of 0 s is undefined; no video lasts so short.
    usable = rows[rows.GRS.notna() & (rows.duration_s > 0)]
    learnt = usable[usable.subset == training]
    duration_s, grs = learnt.duration_s.tolist(), learnt.GRS.tolist()
    rho = statistics.spearman(duration_s, grs)
    slope, intercept = _line([math.log(value) for value in duration_s], grs)
    predictions: dict[str, Prediction] = {
        "isotonic": _isotonic(duration_s, grs, rising=not rho < 0),
        "log_line": lambda durations: [intercept + slope * math.log(value) for value in durations],
        "training_mean": lambda durations: [statistics.mean(grs)] * len(durations),
    }
    direction = None if math.isnan(rho) else "falling" if rho < 0 else "rising"
    return {
        "fit": {"n": len(learnt), "direction": direction, "slope": settled(slope), "intercept": settled(intercept)},
        "subsets": {
            str(subset): _of_subset(usable[usable.subset == subset], len(group), predictions) for subset, group in rows.groupby("subset")
        },
    }


def _of_subset(usable: pd.DataFrame, n_all: int, predictions: dict[str, Prediction]) -> dict[str, Any]:
    duration_s, grs = usable.duration_s.tolist(), usable.GRS.tolist()
    return {
        "n": len(usable),
        "left_out": n_all - len(usable),
        "spearman": settled(statistics.spearman(duration_s, grs)),
        **{name: _quality(predict(duration_s), grs) for name, predict in predictions.items()},
    }


def _quality(predicted: Sequence[float], true: Sequence[float]) -> dict[str, float]:
    """Return how good predictions are; NaN throughout when there are none."""
    if any(map(math.isnan, predicted)):
        return dict.fromkeys(("concordance", "r2", "mean_absolute_error"), math.nan)
    error = statistics.mean([abs(a - b) for a, b in zip(predicted, true, strict=True)])
    return {
        "concordance": settled(statistics.concordance(predicted, true)),
        "r2": settled(statistics.correlation(predicted, true) ** 2),
        "mean_absolute_error": settled(error),
    }


def _line(x: Sequence[float], y: Sequence[float]) -> tuple[float, float]:
    """Return slope and intercept of the least-squares line; NaN with fewer than two or constant ``x``."""
    if len(x) < 2 or min(x) == max(x):
        return math.nan, math.nan
    slope = statistics.products(x, y) / statistics.squares(x)
    return slope, statistics.mean(y) - slope * statistics.mean(x)


def _isotonic(x: Sequence[float], y: Sequence[float], *, rising: bool) -> Prediction:
    """Return the isotonic regression of ``y`` on ``x``; it predicts NaN with fewer than two or constant ``x``."""
    if len(x) < 2 or min(x) == max(x):
        return lambda durations: [math.nan] * len(durations)
    # Only now: it takes half a second, and who looks at a study before a run needs none of it.
    from sklearn.isotonic import IsotonicRegression

    # Sorted, so that ties are added up in the same order for any order of rows.
    pairs = sorted(zip(x, y, strict=True))
    fitted = IsotonicRegression(increasing=rising, out_of_bounds="clip").fit([a for a, _ in pairs], [b for _, b in pairs])
    # Rounded here, because a flat stretch must be flat: correlations ask whether values are equal.
    return lambda durations: [settled(value) for value in fitted.predict(list(durations))] if len(durations) else []
