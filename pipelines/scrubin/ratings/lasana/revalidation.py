"""What a published folder of annotations says other than its own rater files.

Source: LASANA, sections Annotation process (eq. 1, 2), LASANA benchmark (footnote 3: recordings
with strong disagreement are in the training set only) and Data Records.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import pandas as pd

from scrubin.base.faults import near
from scrubin.base.text.csv_text import shown
from scrubin.ratings import TOLERANCE
from scrubin.ratings.lasana.annotation_text import Document
from scrubin.ratings.lasana.recomputation import RescoredTask, sheets_of
from scrubin.ratings.lasana.tables import Main, rows_by_id
from scrubin.ratings.rater_sheet import RatingRow

SLACK = 1e-12  # so that a value that was moved by exactly the tolerance, give or take a last digit, still passes
SUBSETS = ("train", "val", "test")

ERROR, WARNING = "error", "warning"
SEVERITY_OF = {
    "differs": ERROR,
    "published_but_undefined": ERROR,
    "defined_but_not_published": ERROR,
    "label_differs": ERROR,
    "label_not_published": ERROR,
    "rated_but_not_in_main_file": ERROR,
    "in_main_file_but_not_rated": WARNING,
    "marked_but_not_rated": WARNING,
    "no_label_at_all": WARNING,
    "error_not_in_parameters": WARNING,
    "error_without_column": WARNING,
    "split_of_unknown_id": ERROR,
    "split_twice": ERROR,
    "split_missing": ERROR,
    "split_of_unknown_subset": WARNING,
    "strong_disagreement_outside_train": ERROR,
    "id_in_two_tasks": WARNING,  # LASANA itself has one
}
"""Every rule, and whether what breaks it is an error; a warning may be meant."""


@dataclass(frozen=True)
class Finding:
    """One thing that does not fit, about one recording of a task.

    Parameters
    ----------
    task, id, column
        What it is about.
    rule
        One of ``SEVERITY_OF``.
    place
        File and line.
    published, recomputed
        The cell, and what should be there; "" = undefined.
    difference
        Of two numbers, published - recomputed; else None.
    """

    task: str
    id: str
    column: str
    rule: str
    place: str
    published: str = ""
    recomputed: str = ""
    difference: float | None = None

    @property
    def severity(self) -> str:
        """``error`` or ``warning``."""
        return SEVERITY_OF[self.rule]


def findings(tasks: Sequence[RescoredTask]) -> list[Finding]:
    """Return everything that does not fit, by task and rule, the most telling rule first, and then by id."""
    unsorted = [*(finding for scored in tasks for finding in _of_task(scored)), *_shared_ids(tasks)]
    order = list(SEVERITY_OF)
    return sorted(unsorted, key=lambda finding: (finding.task, order.index(finding.rule), finding.id, finding.column, finding.place))


def table(differing: Sequence[Finding]) -> pd.DataFrame:
    """Return findings as a table: task, id, column, finding, severity, place, published, recomputed, difference."""
    rows = [(f.task, f.id, f.column, f.rule, f.severity, f.place, f.published, f.recomputed, f.difference) for f in differing]
    columns = ["task", "id", "column", "finding", "severity", "place", "published", "recomputed", "difference"]
    return pd.DataFrame(rows, columns=columns, dtype=object)


def sentence(finding: Finding) -> str:
    """Return a finding for people: where, what, and what should be."""
    meant = f"; did you mean '{finding.recomputed}'?" if finding.recomputed else ""
    finding = replace(finding, id=shown(finding.id), published=shown(finding.published))
    sentences = {
        "differs": f"{finding.column} is {finding.published}, recomputed {finding.recomputed}",
        "published_but_undefined": f"{finding.column} is {finding.published}, but too few raters gave it",
        "defined_but_not_published": f"{finding.column} is empty, recomputed {finding.recomputed}",
        "label_differs": f"{finding.column} is {finding.published}, from the raters' marks {finding.recomputed}",
        "label_not_published": f"{finding.column} has no label, from the raters' marks {finding.recomputed or 'there are some'}",
        "rated_but_not_in_main_file": f"it has no row in {finding.task}.csv",
        "in_main_file_but_not_rated": "no rater rated it",
        "marked_but_not_rated": f"its errors are marked, but no rater rated it{meant}",
        "no_label_at_all": f"{finding.column} is empty in every row",
        "error_not_in_parameters": f"the parameters name no error {finding.column} of {finding.task}{meant}",
        "error_without_column": f"there is no column {finding.column}, an error that the parameters name",
        "split_of_unknown_id": "it is no recording of the task",
        "split_twice": f"it stands twice in the split, here in '{finding.published}'",
        "split_missing": "it is in no subset of the split",
        "split_of_unknown_subset": f"its subset is '{finding.published}', not one of {', '.join(SUBSETS)}",
        "strong_disagreement_outside_train": f"its raters disagree strongly ({finding.recomputed}), "
        f"but it is in '{finding.published}', not in train",
        "id_in_two_tasks": f"it is also a recording of {finding.published}",
    }
    about = f"id '{finding.id}': " if finding.id else ""
    return f"{finding.place}: {about}{sentences[finding.rule]}"


def corrected(scored: RescoredTask) -> Main:
    """Return what the main file should say: published values where they are right, else recomputed ones.

    Recordings that are only in rater files are added. Without a published file all is recomputed.
    """
    names = error_names(scored)
    skill = scored.skill
    if scored.main is not None:
        published = scored.main.skill.set_index("id")
        columns = [name for name in published.columns if name != "task"]
        fresh = skill.set_index("id")
        rows = []
        for id_ in scored.recordings.id:
            new = [float(fresh[name].get(id_, math.nan)) for name in columns]
            old = [float(published[name].get(id_, math.nan)) for name in columns]
            rows.append((id_, scored.files.task, *(a if _agree(a, b) else b for a, b in zip(old, new, strict=True))))
        skill = pd.DataFrame(rows, columns=["id", "task", *columns])
    return Main(skill, scored.errors, scored.recordings, names, ())


def error_names(scored: RescoredTask) -> tuple[str, ...]:
    """Return the errors of a task that have a column: as published, as the parameters order them, or as they come."""
    if scored.main is not None:
        return scored.main.error_names
    labelled = set(scored.errors.error)
    known = scored.params.errors.get(scored.files.task, ())
    return tuple(known) if labelled and labelled <= set(known) else tuple(sorted(labelled))


def _of_task(scored: RescoredTask) -> Iterator[Finding]:
    if scored.main is not None and scored.files.main is not None:
        rows = rows_by_id(scored.files.main)
        yield from _scores(scored, scored.main, rows)
        yield from _labels(scored, scored.main, rows)
        yield from _unrated(scored, rows)
        yield from _named(scored, scored.main, scored.files.main)
    yield from _only_marked(scored)
    if scored.files.split is not None:
        yield from _split(scored, scored.files.split)


def _scores(scored: RescoredTask, main: Main, rows: Mapping[str, RatingRow]) -> Iterator[Finding]:
    fresh = scored.skill.set_index("id")
    for old in main.skill.to_dict("records"):
        id_ = old["id"]
        for name in (column for column in main.skill.columns if column not in ("id", "task")):
            new = float(fresh[name].get(id_, math.nan))
            if _agree(old[name], new):
                continue
            rule = "published_but_undefined" if math.isnan(new) else "defined_but_not_published" if math.isnan(old[name]) else "differs"
            texts = rows[id_].cells[name], "" if math.isnan(new) else repr(new)
            yield Finding(scored.files.task, id_, name, rule, rows[id_].where, *texts, old[name] - new if rule == "differs" else None)


def _labels(scored: RescoredTask, main: Main, rows: Mapping[str, RatingRow]) -> Iterator[Finding]:
    published = {(id_, name): occurred for id_, name, occurred in zip(main.errors.id, main.errors.error, main.errors.occurred, strict=True)}
    for name in sorted(set(scored.errors.error) - set(main.error_names)):
        yield Finding(scored.files.task, "", name, "label_not_published", f"{scored.files.task}.csv")
    for id_, name, occurred in zip(scored.errors.id, scored.errors.error, scored.errors.occurred, strict=True):
        old = published.get((id_, name))
        if id_ in rows and name in main.error_names and old != occurred:
            rule = "label_not_published" if old is None else "label_differs"
            yield Finding(scored.files.task, id_, name, rule, rows[id_].where, "" if old is None else str(old), str(occurred))


def _unrated(scored: RescoredTask, rows: Mapping[str, RatingRow]) -> Iterator[Finding]:
    for sheet in sheets_of(scored.files):
        for row in sheet.rows:
            if row.cells["id"] not in rows:
                yield Finding(scored.files.task, row.cells["id"], "id", "rated_but_not_in_main_file", row.where)
    for id_ in sorted(set(rows) - set(scored.entries.ratings.id)):
        yield Finding(scored.files.task, id_, "id", "in_main_file_but_not_rated", rows[id_].where)


def _only_marked(scored: RescoredTask) -> Iterator[Finding]:
    """Yield recordings whose errors somebody marked, but that nobody rated, where there are ratings at all."""
    rated = set(scored.entries.ratings.id)
    if not rated:
        return
    places = {row.cells["id"]: row.where for sheet in sheets_of(scored.files) if sheet.marks_errors for row in sheet.rows}
    if scored.files.labels is not None:
        places |= {row.cells["id"]: scored.files.labels.file for row in scored.files.labels.rows()}
    published = set() if scored.main is None else set(scored.main.recordings.id)
    for id_ in sorted(set(places) - rated):
        close = None if id_ in published else near(id_, rated - set(places), similarity=0.8)
        yield Finding(scored.files.task, id_, "id", "marked_but_not_rated", places[id_], recomputed=close or "")


def _named(scored: RescoredTask, main: Main, document: Document) -> Iterator[Finding]:
    """Yield error columns that are empty or that the parameters do not name, and errors that have no column."""
    task, named = scored.files.task, scored.params.errors.get(scored.files.task, ())
    place = f"{document.file}, {document.header_place}"
    labelled = set(main.errors.error)
    missing = [name for name in named if name not in document.columns]
    for name in main.error_names:
        if name not in labelled and len(main.recordings):
            yield Finding(task, "", name, "no_label_at_all", place)
        if named and name not in named:
            yield Finding(task, "", name, "error_not_in_parameters", place, recomputed=near(name, missing) or "")
    for name in missing:
        # Where there are labels of it, that is an error of its own.
        if name not in set(scored.errors.error):
            yield Finding(task, "", name, "error_without_column", place)


def _split(scored: RescoredTask, document: Document) -> Iterator[Finding]:
    task, known = scored.files.task, set(scored.recordings.id)
    strong = {
        id_: value
        for id_, value, high in zip(*(scored.skill[name] for name in ("id", "disagreement", "strong_disagreement")), strict=True)
        if pd.notna(high) and high
    }
    seen: set[str] = set()
    for id_, subset, place in zip(scored.splits.id, scored.splits.subset, scored.splits.place, strict=True):
        if known and id_ not in known:
            yield Finding(task, id_, "id", "split_of_unknown_id", place, subset)
        if id_ in seen:
            yield Finding(task, id_, "split", "split_twice", place, subset)
        seen.add(id_)
        if not subset:
            yield Finding(task, id_, "split", "split_missing", place)
        elif subset not in SUBSETS:
            yield Finding(task, id_, "split", "split_of_unknown_subset", place, subset)
        if subset and subset != SUBSETS[0] and id_ in strong:
            yield Finding(task, id_, "split", "strong_disagreement_outside_train", place, subset, f"{strong[id_]:.3f}")
    for id_ in sorted(known - seen):
        yield Finding(task, id_, "split", "split_missing", document.file)


def _shared_ids(tasks: Sequence[RescoredTask]) -> Iterator[Finding]:
    tasks_of: dict[str, list[str]] = {}
    for scored in tasks:
        # A task without scores may still have a split.
        for id_ in sorted({*scored.recordings.id, *scored.splits.id} if scored.recordings.empty else set(scored.recordings.id)):
            tasks_of.setdefault(id_, []).append(scored.files.task)
    for id_, names in sorted(tasks_of.items()):
        for task in names[:-1]:
            others = ", ".join(name for name in names if name != task)
            yield Finding(task, id_, "id", "id_in_two_tasks", task, others)


def _agree(published: float, recomputed: float) -> bool:
    if math.isnan(published) or math.isnan(recomputed):
        return math.isnan(published) and math.isnan(recomputed)
    return abs(published - recomputed) <= TOLERANCE + SLACK
