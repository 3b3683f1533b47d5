"""All files that the scores of a folder of annotations become, and their statistics."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from scrubin.lasana import csv_text, revalidation, writer
from scrubin.lasana.recomputation import RescoredFolder, RescoredTask
from scrubin.lasana.revalidation import Finding
from scrubin.ratings import statistics
from scrubin.ratings.consensus import changes
from scrubin.ratings.consistency import contradictions
from scrubin.ratings.entries import Entries
from scrubin.ratings.params import TOTAL, ScoresParams
from scrubin.ratings.rater_sheet import canonical
from scrubin.statistics import association
from scrubin.statistics.undefined import without_nan

STATISTICS = "statistics.json"
AGREEMENT = ["id", "n_ratings", "disagreement", "strong_disagreement"]


def statistics_of(rescored: RescoredFolder, findings: Sequence[Finding], p: ScoresParams) -> dict[str, Any]:
    """Return the statistics of all tasks that were scored, and what was found, as a JSON value.

    A task without any score or label is not among them.
    """
    p = replace(p, errors={**p.errors, **{scored.files.task: scored.params.errors[scored.files.task] for scored in rescored.tasks}})
    skill, errors, normalised = (_joined(rescored, name) for name in ("skill", "errors", "normalised"))
    document = statistics.summarise(_entries(rescored), normalised, skill, errors, rescored.roster, p)
    for scored in rescored.tasks:
        if scored.files.task in document["tasks"]:
            document["tasks"][scored.files.task] |= {"duration_and_GRS": _duration(scored), "published": scored.main is not None}
    counts = Counter(finding.rule for finding in findings)
    more = {
        "findings": {
            "errors": len(errors_of(findings)),
            "warnings": len(findings) - len(errors_of(findings)),
            "kinds": dict(sorted(counts.items())),
        },
        "not_scored": {task: [fault.sentence for fault in faults] for task, faults in rescored.faults.items()},
        "not_read": list(rescored.ignored),
        "tolerance": revalidation.TOLERANCE,
    }
    plain: dict[str, Any] = without_nan(document | more)
    return plain


def errors_of(findings: Sequence[Finding]) -> list[Finding]:
    """Return the findings that are errors, not warnings."""
    return [finding for finding in findings if finding.severity == revalidation.ERROR]


def files_of(rescored: RescoredFolder, findings: Sequence[Finding], document: dict[str, Any]) -> dict[str, bytes]:
    """Return the content of every file to write, by name.

    A task with a published main file keeps all its files as they are, but for values that
    differ from the recomputed ones. Else scores are written in our own spelling, and a split as given.
    """
    contents: dict[str, bytes] = {}
    for scored in rescored.tasks:
        contents |= _of_task(scored)
    frames = {"harmonised.csv": harmonised(rescored), "contradictions.csv": contradicted(rescored)}
    if findings or any(scored.main is not None or scored.files.split is not None for scored in rescored.tasks):
        frames["differences.csv"] = revalidation.table(findings)
    contents |= {name: csv_text.frame_csv(frame).encode() for name, frame in frames.items()}
    names = sorted([*contents, STATISTICS])
    text = json.dumps({**document, "files": names}, indent=2, sort_keys=True, ensure_ascii=False, allow_nan=False) + "\n"
    return {**contents, STATISTICS: text.encode()}


def harmonised(rescored: RescoredFolder) -> pd.DataFrame:
    """Return the marks that the labels overrule, of all tasks."""
    return changes(_entries(rescored).marks, _joined(rescored, "errors"))


def contradicted(rescored: RescoredFolder) -> pd.DataFrame:
    """Return what contradicts the rules between failure and errors, of all tasks."""
    entries, errors = _entries(rescored), _joined(rescored, "errors")
    rules = {scored.files.task: rule for scored in rescored.tasks for rule in [scored.params.failure_rules.get(scored.files.task)] if rule}
    return contradictions(entries.ratings, entries.marks, errors, rules)


def _of_task(scored: RescoredTask) -> dict[str, bytes]:
    task, aspects = scored.files.task, scored.params.aspects
    after = revalidation.corrected(scored)
    agreement = (
        {f"{task}_agreement.csv": csv_text.frame_csv(scored.skill[AGREEMENT].sort_values("id")).encode()} if len(scored.skill) else {}
    )
    if scored.main is not None and scored.files.main is not None:
        main = writer.main_bytes(scored.files.main, scored.main, after, aspects)
        # Raters of a long table have no sheets that could be passed through.
        theirs = scored.entries.ratings[~scored.entries.ratings.rater.isin(list(map(canonical, scored.files.sheets)))]
        sheets = writer.sheet_files(task, theirs, aspects)
        return writer.unchanged(scored.files) | sheets | agreement | {scored.files.main.file: main}
    if scored.entries.ratings.empty:
        labels = {f"{task}_errors.csv": csv_text.labels_csv(scored.errors, after.error_names).encode()} if len(scored.errors) else {}
        return labels | writer.unchanged(scored.files)
    split = {} if scored.files.split is None else {scored.files.split.file: scored.files.split.render()}
    return writer.canonical_files(task, scored.entries.ratings, after, aspects, timed=False) | agreement | split


def _duration(scored: RescoredTask) -> dict[str, float]:
    both = scored.skill.merge(scored.recordings, on=["task", "id"]).dropna(subset=[TOTAL, "duration_s"])
    return {"n": len(both), "spearman": association.spearman(both.duration_s.tolist(), both[TOTAL].tolist())}


def _entries(rescored: RescoredFolder) -> Entries:
    ratings, marks = (_stacked([getattr(scored.entries, name) for scored in rescored.tasks]) for name in ("ratings", "marks"))
    return Entries(ratings, marks, {"scores": 0, "errors": 0})


def _joined(rescored: RescoredFolder, name: str) -> pd.DataFrame:
    return _stacked([getattr(scored, name) for scored in rescored.tasks])


def _stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    # Empty frames have no types worth keeping: they would turn numbers into objects.
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)
