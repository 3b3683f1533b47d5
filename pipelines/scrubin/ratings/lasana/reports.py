"""All files that the scores of a folder of annotations become, their statistics, lines for reading.

Source: LASANA, section Data Records.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from scrubin.base import statistics
from scrubin.base.statistics import without_nan
from scrubin.base.text.csv_text import shown
from scrubin.ratings import TOLERANCE, TOTAL, ScoresParams, rater_files, score_statistics
from scrubin.ratings.agreement import POOL
from scrubin.ratings.entries import Entries
from scrubin.ratings.lasana import annotation_text, revalidation
from scrubin.ratings.lasana.annotation_text import COUNT, DURATION, NUMBER, TRUTH_VALUE, CellType, Document
from scrubin.ratings.lasana.files import TaskFiles
from scrubin.ratings.lasana.recomputation import RescoredFolder, RescoredTask
from scrubin.ratings.lasana.revalidation import Finding
from scrubin.ratings.lasana.tables import Main, rows_by_id
from scrubin.ratings.marks import changes, contradictions
from scrubin.ratings.rater_sheet import canonical

_Values = Mapping[str, Mapping[str, Any]]
"""Values by id and column; None is undefined."""


def main_bytes(document: Document, before: Main, after: Main, aspects: Sequence[str]) -> bytes:
    """Return a published main file with what changed between two readings of it.

    Parameters
    ----------
    document
        The file that ``before`` was read of.
    before, after
        What it says, and what it should say: a new recording is appended, one that is gone is
        removed, and every cell whose value did not change stays as it is spelled.
    aspects
        The aspects beside the total.
    """
    cell_types = {name: TRUTH_VALUE for name in before.error_names} | dict.fromkeys((TOTAL, *aspects), NUMBER)
    cell_types |= {name: cell_type for name, cell_type in (("duration", DURATION), ("frame_count", COUNT)) if name in document.columns}
    return rewritten(document, _main_values(before, aspects), _main_values(after, aspects), cell_types)


def rewritten(document: Document, before: _Values, after: _Values, cell_types: Mapping[str, CellType]) -> bytes:
    """Return a file with other values where they changed.

    Raises
    ------
    RatingsError
        When something changed and an id stands twice in the file.
    """
    if before == after:
        return document.render()
    rows = rows_by_id(document)
    cells = {
        (id_, column): cell_type.show(after[id_].get(column))
        for id_ in rows
        if id_ in after
        for column, cell_type in cell_types.items()
        if before.get(id_, {}).get(column) != after[id_].get(column)
    }
    gone = {id_ for id_ in rows if id_ in before and id_ not in after}
    new = [
        {"id": id_, **{column: cell_type.show(after[id_].get(column)) for column, cell_type in cell_types.items()}}
        for id_ in sorted(set(after) - set(rows))
    ]
    return document.with_cells(cells).without(gone).with_rows(new).render()


def canonical_files(task: str, ratings: pd.DataFrame, main: Main, aspects: Sequence[str]) -> dict[str, bytes]:
    """Return the main file and the raters' sheets of a task in our own spelling, sorted by id; without times, which nobody knows."""
    recordings = main.recordings.sort_values("id")
    texts = {f"{task}.csv": annotation_text.main_csv(main.skill, main.errors, recordings, aspects, main.error_names, timed=False)}
    return {name: text.encode() for name, text in texts.items()} | sheet_files(task, ratings, aspects)


def sheet_files(task: str, ratings: pd.DataFrame, aspects: Sequence[str]) -> dict[str, bytes]:
    """Return the raters' sheets of a task in our own spelling, sorted by id."""
    raters = sorted(set(ratings.rater))
    return {f"{task}_rater{rater}.csv": annotation_text.rater_csv(task, rater, ratings, aspects).encode() for rater in raters}


def unchanged(files: TaskFiles) -> dict[str, bytes]:
    """Return all files of a task as they are."""
    return {document.file: document.render() for document in files.documents}


def _main_values(main: Main, aspects: Sequence[str]) -> _Values:
    values: dict[str, dict[str, Any]] = {id_: {} for id_ in main.recordings.id}
    for frame, names in (
        (main.recordings, {"duration_s": "duration", "frame_count": "frame_count"}),
        (main.skill, dict.fromkeys((TOTAL, *aspects))),
    ):
        for row in frame.to_dict("records"):
            values.setdefault(row["id"], {}).update({new or old: _plain(row[old]) for old, new in names.items()})
    for id_, labels in _wide(main.errors, "error", "occurred").items():
        values.setdefault(id_, {}).update(labels)
    return values


def _wide(frame: pd.DataFrame, names: str, value: str) -> dict[str, dict[str, Any]]:
    by_id: dict[str, dict[str, Any]] = {}
    for id_, name, cell in zip(frame.id, frame[names], frame[value], strict=True):
        by_id.setdefault(id_, {})[name] = _plain(cell)
    return by_id


def _plain(value: Any) -> Any:
    return None if pd.isna(value) else value


STATISTICS = "statistics.json"
AGREEMENT = ["id", "n_ratings", "disagreement", "strong_disagreement"]


def statistics_of(rescored: RescoredFolder, findings: Sequence[Finding], p: ScoresParams) -> dict[str, Any]:
    """Return the statistics of all tasks that were scored, and what was found, as a JSON value.

    A task without any score or label is not among them.
    """
    p = replace(p, errors={**p.errors, **{scored.files.task: scored.params.errors[scored.files.task] for scored in rescored.tasks}})
    skill, errors, normalised = (_joined(rescored, name) for name in ("skill", "errors", "normalised"))
    document = score_statistics.summarise(_entries(rescored), normalised, skill, errors, rescored.roster, p)
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
        "tolerance": TOLERANCE,
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
    contents |= {name: annotation_text.frame_csv(frame).encode() for name, frame in frames.items()}
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
        {f"{task}_agreement.csv": annotation_text.frame_csv(scored.skill[AGREEMENT].sort_values("id")).encode()}
        if len(scored.skill)
        else {}
    )
    if scored.main is not None and scored.files.main is not None:
        main = main_bytes(scored.files.main, scored.main, after, aspects)
        # Raters of a long table have no sheets that could be passed through.
        theirs = scored.entries.ratings[~scored.entries.ratings.rater.isin(list(map(canonical, scored.files.sheets)))]
        sheets = sheet_files(task, theirs, aspects)
        return unchanged(scored.files) | sheets | agreement | {scored.files.main.file: main}
    if scored.entries.ratings.empty:
        labels = {f"{task}_errors.csv": annotation_text.labels_csv(scored.errors, after.error_names).encode()} if len(scored.errors) else {}
        return labels | unchanged(scored.files)
    split = {} if scored.files.split is None else {scored.files.split.file: scored.files.split.render()}
    return canonical_files(task, scored.entries.ratings, after, aspects) | agreement | split


def _duration(scored: RescoredTask) -> dict[str, float]:
    both = scored.skill.merge(scored.recordings, on=["task", "id"]).dropna(subset=[TOTAL, "duration_s"])
    return {"n": len(both), "spearman": statistics.spearman(both.duration_s.tolist(), both[TOTAL].tolist())}


def _entries(rescored: RescoredFolder) -> Entries:
    ratings, marks = (_stacked([getattr(scored.entries, name) for scored in rescored.tasks]) for name in ("ratings", "marks"))
    return Entries(ratings, marks, {"scores": 0, "errors": 0})


def _joined(rescored: RescoredFolder, name: str) -> pd.DataFrame:
    return _stacked([getattr(scored, name) for scored in rescored.tasks])


def _stacked(frames: Sequence[pd.DataFrame]) -> pd.DataFrame:
    # Empty frames have no types worth keeping: they would turn numbers into objects.
    return pd.concat([frame for frame in frames if len(frame)] or frames[:1], ignore_index=True)


SHOWN = 5


def lines(rescored: RescoredFolder, findings: Sequence[Finding], document: Mapping[str, Any]) -> Iterator[str]:
    """Yield one block per task.

    Parameters
    ----------
    rescored
        All tasks.
    findings
        What does not fit.
    document
        The statistics of ``reports.statistics_of``.
    """
    for scored in rescored.tasks:
        task = scored.files.task
        theirs = [finding for finding in findings if finding.task == task]
        yield task
        if scored.entries.ratings.empty:
            yield _line("scores", "none, as there is no rater's sheet; the files given are passed through")
        else:
            yield from _scores(document["tasks"][task])
        yield from _overruled(document["tasks"].get(task, {}))
        yield from (_line(title, text) for title, text in scored.notes.items())
        if not scored.entries.ratings.empty:
            yield from _left_out(scored)
        yield from _findings(scored, theirs)
        yield ""
    for task in rescored.faults:
        yield (
            f"{task}: not all of it could be read" if task in rater_files.NAMES else f"{shown(task)}: not scored, nothing is written of it"
        )
    for name in rescored.ignored:
        yield f"{name}: not read, as it is no CSV; save it as CSV if it is a rater's sheet"


def _scores(task: Mapping[str, Any]) -> Iterator[str]:
    counts, grs, spread = task["recordings"], task["skill"][TOTAL], task["disagreement"]
    yield _line("recordings", f"{counts['released']}, {counts['rated']} rated, {counts['with_GRS']} with {TOTAL}")
    ends = f"from {_number(grs['lowest'])} to {_number(grs['highest'])}"
    yield _line(TOTAL, f"mean {_number(grs['mean'])}, sd {_number(grs['sd'])}, {ends}, n = {grs['n']}")
    raters = (f"{name}: {rater['rated']} recordings, {rater['failed']} failed" for name, rater in sorted(task["raters"].items()))
    yield _line("raters", "; ".join(raters))
    agreement = task["agreement"][TOTAL]["failed_included"]
    mean = agreement["pooled"]["mean"]
    pairs = "1 pair" if mean["n_pairs_bessel"] == 1 else f"{mean['n_pairs_bessel']} pairs"
    joined = "complementary ones joined, " if any(POOL in rater for rater in agreement["icc"]["raters"]) else ""
    variant = f"mean of {pairs} of raters, {joined}failed recordings included, n - 1 throughout"
    yield _line("agreement", f"Lin's concordance {_number(mean['bessel'], 3)} ({variant})")
    limit = f"above {_number(spread['threshold'], 3)}, percentile {spread['percentile']:g} (linear)"
    yield _line("disagreement", f"{counts['strong_disagreement']} recordings strong, {limit}")
    duration = task["duration_and_GRS"]
    if duration["n"]:
        yield _line("duration", f"Spearman with {TOTAL} {_number(duration['spearman'], 3)}, n = {duration['n']}")


def _overruled(task: Mapping[str, Any]) -> Iterator[str]:
    for name, title, what in (("harmonised", "marks", "overruled"), ("contradictions", "failed", "contradictions with errors")):
        if task.get(name):
            distinct = sorted({row["id"] for row in task[name]})
            ids = ", ".join(map(shown, distinct[:SHOWN]))
            file = "harmonised.csv" if name == "harmonised" else "contradictions.csv"
            yield _line(title, f"{len(task[name])} {what}, in {file}: {ids}{' ...' if len(distinct) > SHOWN else ''}")


def _left_out(scored: RescoredTask) -> Iterator[str]:
    if scored.main is None:
        labels = "" if len(scored.errors) else ", and none of errors, as there are no labels"
        yield _line("columns", f"no duration and frame_count, as no {scored.files.task}.csv was given{labels}")
    elif scored.main.others:
        yield _line("columns", f"kept without meaning: {', '.join(scored.main.others)}")


def _findings(scored: RescoredTask, findings: Sequence[Finding]) -> Iterator[str]:
    errors = errors_of(findings)
    if scored.main is not None and not errors:
        yield _line("published", f"no difference above {TOLERANCE:g}")
    for title, some in (("wrong", errors), ("warnings", [finding for finding in findings if finding not in errors])):
        if some:
            yield _line(title, f"{len(some)}, in differences.csv" + (f"; the first {SHOWN}:" if len(some) > SHOWN else ":"))
            yield from (f"    {revalidation.sentence(finding)}" for finding in some[:SHOWN])


def _line(title: str, text: str) -> str:
    return f"  {title:<13} {text}"


def _number(value: float | None, digits: int = 2) -> str:
    # Adding 0 makes -0.0 of what rounds to it a plain 0.
    return "undefined" if value is None else f"{round(value, digits) + 0:.{digits}f}"
