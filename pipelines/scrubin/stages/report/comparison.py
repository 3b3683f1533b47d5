"""Numbers that versions of a study are compared by, with `dvc metrics diff` or `dvc plots diff`.

DVC may put them into git: `dvc exp save` does, whatever `.gitignore` says. So they are counts and shares of tasks, classes
and subsets; nothing here names a person, a site, a file or a recording.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby
from typing import Any

from scrubin.base.faults import sheet_cell
from scrubin.base.text.csv_rows import csv_of
from scrubin.stages.report import ReportedStudy
from scrubin.stages.report.recordings import FATES

DIGITS = 6
"""The last digits of a float may differ between processors."""
STAGES = ("ingest", "screen", "render")
"""They set recordings aside."""


TOTALS = ("phases_rows", "phases_labelled_frames", "instances_rows", "instances_labelled_frames", "without_labels")
COUNTED, SECONDS = ("proposed", "hidden", "shown", "undecided"), ("hidden_s", "rectangle_s")
_END_OF_FEATURE = re.compile("[ =]")
"""A measure is called like its feature, ``<feature> <what>`` or, of a category, ``<feature>=<category>``."""
Row = tuple[str, float]


def metrics(study: ReportedStudy, said: Mapping[str, Any]) -> dict[str, Any]:
    """Return the numbers for ``dvc metrics``, by section; what is undefined is left out.

    Parameters
    ----------
    study
        Of which the report is.
    said
        What `document` returns for it.
    """
    overview = said["overview"]
    files = Counter(row["stage"] for row in said["quarantined"])
    return {
        "recordings": {"all": overview["recordings"], **{name: overview[name] for name in FATES}},
        "files": {"videos": overview["videos"], "hours": _rounded(overview["hours"])},
        "quarantined_files": {stage: files[stage] for stage in STAGES},
        "frames": {
            "all": overview["frames"],
            **{name: overview[f"{name}_frames"] for name in ("hidden", "dropped", "labelled")},
            "hidden_share": _rounded(overview["hidden_frames"] / max(overview["frames"], 1)),
        },
        "hidden": _hidden(said["redactions"]),
        "agreement": _agreement(said["skill"]["agreement"]),
        "splits": {row["name"]: _split(row, said["splits"]) for row in said["splits"]["schemes"]},
        "labels": {name: said["labels"]["totals"][name] for name in TOTALS},
    }


def plots(study: ReportedStudy, said: Mapping[str, Any]) -> dict[str, str]:
    """Return the files for ``dvc plots``, CSV by its name; a row whose value is undefined is left out.

    Parameters
    ----------
    study
        Of which the report is.
    said
        What `document` returns for it.
    """
    labels = said["labels"]
    return {
        "recordings.csv": _csv("fate", "recordings", [(name, said["overview"][name]) for name in FATES]),
        "hidden.csv": _csv("task", "share", _hidden_shares(study)),
        "agreement.csv": _csv("rated", "alpha", _alphas(said["skill"])),
        "balance.csv": _csv("measure", "deviation", _deviations(said["splits"]["balance"])),
        "phases.csv": _csv("phase", "frames", [(f"{row['vocabulary']}: {row['phase']}", row["frames"]) for row in labels["phases"]]),
        "triplets.csv": _csv(
            "triplet", "frames", sorted((f"{row['vocabulary']}: {row['triplet']}", row["frames"]) for row in labels["triplets"])
        ),
        "errors.csv": _csv("error", "recordings", [(f"{row['task']}: {row['error']}", row["occurred"]) for row in said["skill"]["errors"]]),
    }


def _hidden(redactions: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, float]]:
    """Return per kind what was proposed, what became of it, and the seconds of video files that are hidden."""
    found: dict[str, dict[str, float]] = {}
    for kind, rows in groupby(sorted(redactions, key=lambda row: str(row["kind"])), lambda row: str(row["kind"])):
        of_kind = list(rows)
        totals = {name: math.fsum(row[name] for row in of_kind) for name in (*COUNTED, *SECONDS)}
        found[kind] = {name: int(total) if name in COUNTED else _rounded(total) for name, total in totals.items()}
    return found


def _agreement(rows: Sequence[Mapping[str, Any]]) -> dict[str, dict[str, dict[str, float]]]:
    """Return per task and aspect ICC(2,1), Krippendorff's alpha and the mean of Lin's rho_c over pairs of raters."""
    found: dict[str, dict[str, dict[str, float]]] = {}
    for row in rows:
        values = {"icc": row["icc_one"]["value"], "alpha": row["alpha"], "rho_c": row["mean"]}
        found.setdefault(row["task"], {})[row["aspect"]] = {name: _rounded(value) for name, value in values.items() if value is not None}
    return found


def _split(scheme: Mapping[str, Any], splits: Mapping[str, Any]) -> dict[str, Any]:
    """Return how well a split is balanced, how many classes its training lacks, and how far duration alone tells the GRS of its test."""
    name = scheme["name"]
    unseen = {(row["kind"], one["name"]) for row in splits["coverage"] if row["name"] == name for one in row["unseen"]}
    tested = [row for row in splits["shortcut"] if row["name"] == name and row["tested"] and row["spearman"]["median"] is not None]
    return {
        # None where a split has nothing to balance, as after a withdrawal that leaves no value twice.
        **{key: None if scheme[key] is None else _rounded(scheme[key]) for key in ("mean_imbalance", "worst_imbalance")},
        "classes_unseen_in_training": len(unseen),
        "spearman_of_duration_and_GRS": {row["task"]: _rounded(row["spearman"]["median"]) for row in tested},
    }


def _hidden_shares(study: ReportedStudy) -> Iterator[Row]:
    tasks = study.videos.drop_duplicates("id").set_index("id")["task"]
    shares = study.frames["redacted"].astype(float).groupby(study.frames["id"].map(tasks)).mean()
    yield from ((str(task), _rounded(share)) for task, share in shares.sort_index().items())


def _alphas(skill: Mapping[str, Any]) -> Iterator[Row]:
    """Yield Krippendorff's alpha of every aspect, then that of the marks of every error: the one measure that all of them have."""
    rows = [(f"{row['task']}: {row['aspect']}", row["alpha"]) for row in skill["agreement"]]
    rows += [(f"{row['task']}: error {row['error']}", row["alpha"]) for row in skill["errors"]]
    yield from ((name, _rounded(alpha)) for name, alpha in rows if alpha is not None)


def _deviations(rows: Sequence[Mapping[str, Any]]) -> Iterator[Row]:
    """Yield per task, feature and subset of the main scheme the farthest deviation. A measure names a site, its feature does not."""
    farthest: dict[str, float] = {}
    for row in rows:
        for subset, cell in row["subsets"].items():
            name = f"{row['task']}: {_END_OF_FEATURE.split(row['measure'], maxsplit=1)[0]}, {subset}"
            ends = [farthest.get(name, 0.0), *(cell["deviation"][end] for end in ("lowest", "highest"))]
            farthest[name] = max((end for end in ends if end is not None), key=abs)
    yield from ((name, _rounded(value)) for name, value in farthest.items())


def _csv(name: str, value: str, rows: Iterator[Row] | Sequence[Row]) -> str:
    return csv_of([(name, value), *((sheet_cell(one), number) for one, number in rows)])


def _rounded(value: float) -> float:
    # Adding zero: of what is rounded to zero no sign is left.
    return round(value, DIGITS) + 0
