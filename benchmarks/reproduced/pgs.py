"""Inflammation of the gallbladder in tmward/pgs: grades of a surgeon, a second one and two networks, for 195 pictures in ten folds.

Grades are ratings, so `scrubin scores` reads them: the first surgeon is rater 1, whoever is held against this surgeon is rater 2, and every
fold is a task.
"""

from __future__ import annotations

import csv
import json
import statistics
from collections.abc import Iterator
from pathlib import Path

import scoring
from snapshot import Snapshot

COMMIT = "fb69ff7f1fb6e399c55c32d64744b75be5234e02"
FILE = "data/cv_results.csv"
NETWORKS = {"combined": "pgs_combo", "PGS only": "pgs_only"}
SECOND = "second surgeon"
SCALE = """\
scores: {aspects: [pgs], lowest: 1, highest: 5, step: 1, failed_mark: null, not_rated: not rated, failed_grs: -2.5, min_ratings: 2,
  strong_percentile: 95, error_rule: majority, reviewer: "1", complementary_raters: [], errors: {}, failure_rules: {}}
"""
INTERVAL = 1.96
"""The report's interval is the mean and so many standard errors on either side."""


def ratings(rows: list[dict[str, str]]) -> Iterator[str]:
    """Yield the lines of a long table of ratings."""
    yield "id,task,rater,pgs"
    for row in rows:
        held = {f"{network} fold {row['fold']}": row[column] for network, column in NETWORKS.items()} | {SECOND: row["pgs_surg2"]}
        for task, grade in held.items():
            yield f"{row['name']},{task},1,{row['gt']}"
            yield f"{row['name']},{task},2,{grade}"


def measure(repository: Path, work: Path) -> dict[str, object]:
    """Compute Krippendorff's ordinal alpha of every fold and of the second surgeon, and what the report makes of the folds."""
    rows = list(csv.DictReader((Snapshot(repository, COMMIT).read(FILE) or b"").decode().splitlines()))
    sheets, out, parameters = work / "sheets", work / "out", work / "params.yaml"
    sheets.mkdir()
    (sheets / "ratings.csv").write_text("".join(f"{line}\n" for line in ratings(rows)), encoding="utf-8")
    parameters.write_text(SCALE, encoding="utf-8")
    scoring.run("scores", sheets, "--params", parameters, "--out", out)
    tasks = json.loads((out / "statistics.json").read_text(encoding="utf-8"))["tasks"]
    alpha = {task: float(of["raw_agreement"]["pgs"]["alpha"]["alpha"]) for task, of in tasks.items()}
    figures = {f"{task}, alpha": value for task, value in alpha.items()}
    for network in NETWORKS:
        of_folds = [value for task, value in sorted(alpha.items()) if task.startswith(network)]
        mean, deviation = statistics.fmean(of_folds), statistics.stdev(of_folds)
        error = deviation / len(of_folds) ** 0.5
        figures |= {
            f"{network}, mean": mean,
            f"{network}, sd": deviation,
            f"{network}, standard error": error,
            f"{network}, low": mean - INTERVAL * error,
            f"{network}, high": mean + INTERVAL * error,
        }
    return {"figures": figures, "pictures": len(rows)}
