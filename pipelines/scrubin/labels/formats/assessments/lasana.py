"""LASANA's CSVs as a format: ``<Task>.csv``, ``<Task>_rater<k>.csv``, ``<Task>_errors.csv``, ``<Task>_split.csv``.

Read cell by cell as ``scrubin.ratings.lasana`` reads them. Source: LASANA, section Data Records.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from pathlib import Path, PurePosixPath
from typing import Any

import pandas as pd

from scrubin.base.errors import AnnotationError, RatingsError
from scrubin.base.faults import Fault, Faults, warning, within
from scrubin.base.text import csv_text
from scrubin.base.text.csv_rows import csv_of
from scrubin.labels import registry
from scrubin.labels.model import ERROR_COLUMNS, Collection, LabelFiles, Scores, rating_rows
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.ratings import NOT_RATED
from scrubin.ratings.lasana import annotation_text, tables
from scrubin.ratings.lasana.annotation_text import Document, duration
from scrubin.ratings.lasana.files import NAME, REPORTS

TOTAL = "GRS"
Rating = tuple[str, str, str, str, float | None, bool]


def _has_ids(path: Path) -> bool:
    header = registry.head(path).split("\n", 1)[0]
    return ";" in header and header.split(";", 1)[0].strip(' "') == "id"


@dataset_format(
    "lasana",
    pattern=r"[^/]+\.csv",
    expected="<Task>.csv, <Task>_rater<k>.csv, <Task>_errors.csv, <Task>_split.csv",
    title="LASANA CSVs: ratings per rater, aggregated skill, errors, splits",
    by_hand=ByHand(names_vocabulary=True, evidence=_has_ids),
)
def read(source: LabelFiles) -> Collection:
    """Return the scores of all tasks.

    Raises
    ------
    AnnotationError
        With one fault of each file that has one.
    """
    faults, notes = Faults(), []
    ratings: list[Rating] = []
    skill: list[pd.DataFrame] = []
    errors: list[pd.DataFrame] = []
    facts: list[pd.DataFrame] = []
    seen: dict[str, str] = {}
    for file, data in sorted(source.files.items()):
        if seen.setdefault(PurePosixPath(file).name, file) != file:
            faults.error(
                file, "file-repeated", f"a file of the same name is {seen[PurePosixPath(file).name]}", "convert the folders one by one"
            )
            continue
        match = NAME.fullmatch(PurePosixPath(file).name)
        if match is None or REPORTS.fullmatch(PurePosixPath(file).name):
            continue
        if match["marks"]:
            notes.append(warning(file, "not-kept", "marks of one rater are not converted, only harmonised errors are"))
            continue
        try:
            document = annotation_text.parse(file, data)
            if match["rater"]:
                ratings += _sheet(document, match["task"], match["rater"])
                notes += _other_raters(document, match["rater"])
            elif match["labels"]:
                errors.append(_in_order(tables.labels_of(document, match["task"]), tables.error_names(document)))
            elif match["split"]:
                facts.append(tables.split_of(document, match["task"]).drop(columns="place"))
            else:
                main = tables.main_of(document, match["task"], _aspects(document), ())
                skill.append(main.skill)
                facts.append(main.recordings)
                errors += [_in_order(main.errors, main.error_names)] if len(main.errors) else []
        except RatingsError as error:
            faults.extend(within(error.faults, file))
        except OverflowError:
            faults.error(file, "number-range", "a number is larger than any frame count or score", "correct it")
    AnnotationError.raise_any(faults)
    return Collection(
        scores=Scores(rating_rows(ratings), _facts(facts, ratings), _stacked(errors, ERROR_COLUMNS), _stacked(skill, ("id", "task"))),
        faults=tuple(notes),
    )


def _aspects(document: Document) -> tuple[str, ...]:
    """Return the aspects of a main file: its columns of numbers beside the total, the duration and the frame count."""
    rows = list(document.rows())
    aspects = []
    for name in document.columns:
        texts = [row.cells.get(name, "") for row in rows]
        numbers = [text for text in texts if not csv_text.is_missing(text)]
        if name not in ("", TOTAL, *tables.OWN) and all(csv_text.NUMBER.fullmatch(text) for text in numbers):
            aspects.append(name)
    return tuple(aspects)


def _sheet(document: Document, task: str, rater: str) -> list[Rating]:
    ratings: list[Rating] = []
    aspects = [name for name in document.columns if name not in ("", "id", "rater")]
    for id_, row in tables.rows_by_id(document, entered=True).items():
        points: dict[str, float | None] = {}
        unrated = [name for name in aspects if row.cells.get(name, "").casefold() == NOT_RATED]
        for name in aspects:
            if name in unrated:
                points[name] = None
                continue
            try:
                points[name] = annotation_text.number(row.cells.get(name, ""))
            except ValueError as error:
                fix = "give points, or leave it empty"
                raise RatingsError([row.fault("cell-value", f"{name} is '{csv_text.shown(row.cells[name])}'", fix)]) from error
        # An empty row is a failed recording; one that nobody could judge says as much as no row.
        if unrated and len(unrated) == len(aspects):
            continue
        failed = all(value is None for value in points.values())
        ratings += [(id_, task, rater, name, value, failed) for name, value in points.items()]
    return ratings


def _other_raters(document: Document, rater: str) -> list[Fault]:
    """Return a warning when the column ``rater`` is another one than the file's name says."""
    said = {row.cells.get("rater", "") for row in document.rows()} - {"", rater}
    others = sorted(value for value in said if not (value.isascii() and value.isdigit() and int(value) == int(rater)))
    if not others:
        return []
    what = f"the column rater says {', '.join(others[:5])}, the file's name {rater}"
    return [warning(document.file, "rater", what, "the rater is taken from the file's name; correct one of them")]


def _in_order(errors: pd.DataFrame, names: Sequence[str]) -> pd.DataFrame:
    """Return labels with the errors of a recording in the order of the columns, so that they can be written back."""
    return errors.sort_values("error", key=lambda column: column.map(list(names).index), kind="stable", ignore_index=True)


def _stacked(frames: Sequence[pd.DataFrame], columns: Iterable[str]) -> pd.DataFrame:
    return pd.concat(frames, ignore_index=True) if frames else pd.DataFrame(columns=list(columns))


def _facts(frames: Sequence[pd.DataFrame], ratings: Sequence[Rating]) -> pd.DataFrame:
    rated = pd.DataFrame([(id_, task) for id_, task, *_ in ratings], columns=["id", "task"]).drop_duplicates()
    known = rated.astype("str")
    for name in ("duration_s", "frame_count", "subset"):
        parts = [frame[["task", "id", name]] for frame in frames if name in frame]
        if parts:
            known = known.merge(pd.concat(parts, ignore_index=True), on=["task", "id"], how="outer")
    return known.sort_values(["task", "id"], ignore_index=True)


@writes("lasana", holds=("ratings", "errors", "skill", "facts"))
def write(collection: Collection, out: Output) -> None:
    """Write the files of every task; raters are numbered where they have names."""
    scores = collection.scores
    if scores is None:
        return
    raters = sorted(set(scores.ratings["rater"]))
    numbers = {rater: str(i) for i, rater in enumerate(raters)}
    if all(rater.isascii() and rater.isdigit() for rater in raters):
        numbers = {rater: rater for rater in raters}
    else:
        out.lose("names of raters, numbered instead in sorted order", len(raters))
    tasks_of_subsets = set(scores.facts["task"]) if "subset" in scores.facts else set()
    for task in sorted({*scores.ratings["task"], *scores.skill["task"], *scores.errors["task"], *tasks_of_subsets}):
        _write_task(task, scores, numbers, out)
    written = {"id", "task", "rater", "duration_s", "frame_count", "subset"}
    for name in sorted(set(map(str, scores.facts.columns)) - written):
        out.lose(f"'{name}' of recordings", int(scores.facts[name].notna().sum()))


def _write_task(task: str, scores: Scores, numbers: dict[str, str], out: Output) -> None:
    ratings = scores.ratings[scores.ratings["task"] == task]
    for rater, rows in ratings.groupby("rater", sort=True):
        aspects = list(dict.fromkeys(rows["aspect"]))
        points = {(id_, aspect): score for id_, aspect, score in rows[["id", "aspect", "score"]].itertuples(index=False)}
        empty = {id_: "" if failed else NOT_RATED for id_, failed in rows[["id", "failed"]].itertuples(index=False)}
        number = numbers[str(rater)]
        ids = dict.fromkeys(rows["id"])
        lines = [[id_, number, *(_number(points.get((id_, aspect))) or empty[id_] for aspect in aspects)] for id_ in ids]
        out.files[f"{task}_rater{number}.csv"] = _csv(["id", "rater", *aspects], lines)
    facts = scores.facts[scores.facts["task"] == task].drop_duplicates("id").set_index("id")
    skill = scores.skill[scores.skill["task"] == task]
    errors = scores.errors[scores.errors["task"] == task]
    marks = {(id_, error): occurred for id_, error, occurred in errors[["id", "error", "occurred"]].itertuples(index=False)}
    names = list(dict.fromkeys(errors["error"]))
    if len(skill):
        # An aspect that only other tasks have is no column of this one; one that nobody scored stays.
        foreign = {name for name in skill.columns if skill[name].isna().all() and scores.skill[name].notna().any()}
        out.files[f"{task}.csv"] = _main(skill.drop(columns=sorted(foreign)), facts, marks, names, out)
    elif len(errors):
        lines = [[id_, *(_truth(marks.get((id_, name))) for name in names)] for id_ in dict.fromkeys(errors["id"])]
        out.files[f"{task}_errors.csv"] = _csv(["id", *names], lines)
    if "subset" in facts and facts["subset"].notna().any():
        subsets = facts["subset"].dropna()
        out.files[f"{task}_split.csv"] = _csv(["id", "split"], [[str(id_), str(subset)] for id_, subset in subsets.items()])


def _main(skill: pd.DataFrame, facts: pd.DataFrame, marks: dict[tuple[str, str], Any], names: list[str], out: Output) -> bytes:
    other_columns = {"id", "task", "n_ratings", "disagreement", "strong_disagreement"}
    aspects = [name for name in map(str, skill.columns) if name not in other_columns]
    for name in ("n_ratings", "disagreement", "strong_disagreement"):
        if name in skill:
            out.lose(f"'{name}' of skill", len(skill))
    timed = [name for name in ("duration_s", "frame_count") if name in facts and facts[name].notna().any()]
    lines = []
    for row in skill.to_dict("records"):
        of = facts.loc[row["id"]] if row["id"] in facts.index else pd.Series(dtype=object)
        times = [_time(name, of.get(name)) for name in timed]
        lines.append(
            [row["id"], *(_truth(marks.get((row["id"], name))) for name in names), *(_number(row[name]) for name in aspects), *times]
        )
    return _csv(["id", *names, *aspects, *(name.removesuffix("_s") for name in timed)], lines)


def _time(name: str, value: Any) -> str:
    if value is None or pd.isna(value):
        return ""
    return duration(float(value)) if name == "duration_s" else str(int(value))


def _truth(value: Any) -> str:
    return "" if value is None else str(bool(value))


def _number(value: Any) -> str:
    if value is None or pd.isna(value):
        return ""
    return str(int(value)) if math.isfinite(value) and value == int(value) else repr(float(value))


def _csv(header: Sequence[str], rows: Iterable[Sequence[str]]) -> bytes:
    return csv_of([header, *rows], ";").encode()
