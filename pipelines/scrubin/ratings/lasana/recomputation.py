"""The scores of a folder of annotations, recomputed from the rater files, one task at a time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

import pandas as pd

from scrubin.base import faults
from scrubin.base.errors import RatingsError
from scrubin.base.faults import Fault, count_text, within
from scrubin.base.tables.io import frame_of
from scrubin.base.tables.public import ERRORS
from scrubin.base.text import naming
from scrubin.ratings import TAKEN, TOTAL, FailedMark, ScoresParams, marks, scoring
from scrubin.ratings.entries import Entries, read_entries
from scrubin.ratings.lasana.files import Folder, TaskFiles
from scrubin.ratings.lasana.tables import Main, error_names, labels_of, main_of, sheet_of, split_of
from scrubin.ratings.rater_sheet import RaterSheet, RatingRow, Roster, RosterEntry


@dataclass(frozen=True)
class RescoredTask:
    """One task: what its files say, and what follows from the rater files.

    Parameters
    ----------
    files
        The files.
    params
        The parameters, with the errors of this task.
    main
        What the published main file says; None without one.
    entries
        What raters gave.
    normalised, skill
        Recomputed: normalised scores, and the table ``skill`` with every recording of the task.
    errors
        The table ``errors``: labels of ``<Task>_errors.csv``, else from the marks by the rule, else as published.
    recordings
        task, id, duration_s (NaN = unknown), frame_count (null = unknown), sorted by id.
    splits
        Rows of the split file: task, id, subset, place.
    notes
        What the parameters ask for and the files do not have, by title.
    warnings
        Whose scores cannot be normalised, with the files, and how many recordings have no score.
    """

    files: TaskFiles
    params: ScoresParams
    main: Main | None
    entries: Entries
    normalised: pd.DataFrame
    skill: pd.DataFrame
    errors: pd.DataFrame
    recordings: pd.DataFrame
    splits: pd.DataFrame
    notes: Mapping[str, str]
    warnings: tuple[Fault, ...] = ()


@dataclass(frozen=True)
class RescoredFolder:
    """All tasks that could be scored, the faults of the others by task, and the files that were not read."""

    tasks: tuple[RescoredTask, ...]
    faults: Mapping[str, tuple[Fault, ...]]
    ignored: tuple[str, ...] = ()

    @property
    def roster(self) -> Roster:
        """All recordings, for the statistics."""
        return roster_of_ids([scored.recordings for scored in self.tasks])


def score_folder(folder: Folder, p: ScoresParams) -> RescoredFolder:
    """Score every task; one that cannot be scored does not stop the others."""
    tasks: list[RescoredTask] = []
    wrong = dict(folder.faults)
    for files in folder.tasks:
        try:
            tasks.append(score(files, p))
        except RatingsError as error:
            wrong[files.task] = error.faults
    return RescoredFolder(tuple(tasks), dict(sorted(wrong.items())), folder.ignored)


def score(files: TaskFiles, p: ScoresParams) -> RescoredTask:
    """Normalise, aggregate and harmonise what the raters of one task gave.

    Raises
    ------
    RatingsError
        With all faults that one step meets, each naming file and line or rater.
    """
    stated_mark, p = p.failed_mark, params_for(files, p)
    main = None if files.main is None else main_of(files.main, files.task, p.aspects, p.errors.get(files.task, ()))
    labels = None if files.labels is None else labels_of(files.labels, files.task)
    sheets = sheets_of(files)
    RatingsError.raise_any(_spelt_alike(sheets))
    recordings = _recordings(files, main, labels, sheets)
    entries = read_entries(sheets, roster_of_ids([recordings]), p)
    _refuse_unscored(files, main, sheets)
    normalised = scoring.normalise(entries.ratings, p.failed_grs)
    skill = scoring.aggregate(normalised, recordings, p.aspects, p.min_ratings, p.strong_percentile)
    by_rule = marks.harmonise(entries.marks, p.error_rule, p.reviewer)
    known = [table for table in (labels, by_rule, None if main is None else main.errors) if table is not None]
    splits = (
        pd.DataFrame(columns=["task", "id", "subset", "place"], dtype="str") if files.split is None else split_of(files.split, files.task)
    )
    notes, warnings = _notes(files, stated_mark, p), _warnings(files.task, sheets, entries.ratings, skill, p)
    return RescoredTask(files, p, main, entries, normalised, skill, _first_known(known), recordings, splits, notes, warnings)


def params_for(files: TaskFiles, p: ScoresParams) -> ScoresParams:
    """Return the parameters for one task: its errors, if they are not named, are those of its files.

    A published sheet in LASANA's layout has no column that marks failing: there, empty scores do.
    """
    if files.task not in p.errors:
        documents = [*([files.labels] if files.labels else []), *files.marks.values()]
        long = [column for sheet in files.long if sheet.marks_errors for column in sheet.columns if column != "id"]
        names = tuple(dict.fromkeys([*chain.from_iterable(map(error_names, documents)), *long]))
        p = replace(p, errors={**p.errors, files.task: names})
    _refuse_columns(files, p)
    columns = {column for sheet in files.sheets.values() for column in sheet.columns} | {
        column for sheet in files.long for column in sheet.columns
    }
    if p.failed_mark is not None and p.failed_mark.column not in columns and (files.main is not None or not (files.sheets or files.long)):
        p = replace(p, failed_mark=None)
    return p


def _refuse_columns(files: TaskFiles, p: ScoresParams) -> None:
    """Refuse an error that is named like another column of the task's file."""
    documents = [*([files.labels] if files.labels else []), *files.marks.values()]
    named = [(document.file, name) for document in documents for name in error_names(document)]
    named += [(sheet.file, name) for sheet in files.long if sheet.marks_errors for name in sheet.columns if name != "id"]
    what = "an error is named '{}' like another column of " + f"{files.task}.csv"
    RatingsError.raise_any(
        faults.error(file, "error-name", what.format(name), "name the error otherwise")
        for file, name in dict.fromkeys(named)
        if name in TAKEN or name in p.aspects
    )


def _notes(files: TaskFiles, stated_mark: FailedMark | None, used: ScoresParams) -> dict[str, str]:
    if stated_mark is None or used.failed_mark is not None or not (files.sheets or files.long):
        return {}
    return {"failed": f"no sheet has the column '{stated_mark.column}' that the parameters name, so empty scores count as failed"}


def sheets_of(files: TaskFiles) -> list[RaterSheet]:
    """Return the score sheets and error marks of a task."""
    scores = [sheet_of(document, files.task, rater, marks_errors=False) for rater, document in sorted(files.sheets.items())]
    marks = [sheet_of(document, files.task, rater, marks_errors=True) for rater, document in sorted(files.marks.items())]
    return [*scores, *marks, *files.long]


def roster_of_ids(recordings: Sequence[pd.DataFrame]) -> Roster:
    """Return a roster of recordings that are known by their ids only: task, id, duration_s, frame_count."""
    released = pd.concat(recordings, ignore_index=True) if recordings else pd.DataFrame(columns=["task", "id", "duration_s", "frame_count"])
    names: dict[str, list[RosterEntry]] = {}
    for task, id_ in zip(released.task, released.id, strict=True):
        names.setdefault(id_, []).append(RosterEntry(id_, task, id_))
    return Roster({name: tuple(known) for name, known in names.items()}, tuple(sorted(set(released.task))), released)


def _recordings(files: TaskFiles, main: Main | None, labels: pd.DataFrame | None, sheets: Sequence[RaterSheet]) -> pd.DataFrame:
    ids = {row.cells["id"] for sheet in sheets for row in sheet.rows if "id" in row.cells}
    ids |= set() if labels is None else set(labels.id)
    if main is None:
        times = pd.DataFrame({"task": files.task, "id": sorted(ids), "duration_s": float("nan"), "frame_count": None})
        return times.astype({"task": "str", "id": "str", "frame_count": "Int64"})
    more = sorted(ids - set(main.recordings.id))
    added = main.recordings.iloc[:0].reindex(range(len(more))).assign(task=files.task, id=more)
    return pd.concat([main.recordings, added], ignore_index=True).sort_values("id", ignore_index=True)


def _refuse_unscored(files: TaskFiles, main: Main | None, sheets: Sequence[RaterSheet]) -> None:
    """Refuse what would look like scores, or like raters, that are not there."""
    sheets = [sheet for sheet in sheets if not sheet.marks_errors]
    published = main is not None and bool(main.skill.drop(columns=["id", "task"]).notna().to_numpy().any())
    if published and not sheets:
        fix = f"put {files.task}_rater<k>.csv beside it"
        fault = faults.error(f"{files.task}.csv", "rater-files-missing", "its scores cannot be recomputed without rater files", fix)
        raise RatingsError([fault])
    what, fix = "the rater rated no recording, normalising needs 2", "add rows or remove the file"
    RatingsError.raise_any(faults.error(sheet.file, "no-rows", what, fix) for sheet in sheets if not sheet.rows)


def _spelt_alike(sheets: Sequence[RaterSheet]) -> Iterator[Fault]:
    """Yield the first row of each id that another sheet seems to spell otherwise: as two recordings, neither has all of its ratings."""
    rows = [{row.cells["id"]: row for row in sheet.rows if row.cells.get("id")} for sheet in sheets]
    spelt: dict[str, dict[str, RatingRow]] = {}
    for id_, row in chain.from_iterable(of_sheet.items() for of_sheet in rows):
        spelt.setdefault(naming.spelling(id_), {}).setdefault(id_, row)
    for spellings in spelt.values():
        # Who writes both in one sheet means two recordings.
        if len(spellings) > 1 and not any(len(spellings.keys() & of_sheet.keys()) > 1 for of_sheet in rows):
            (first, before), *others = spellings.items()
            for id_, row in others:
                what = f"id {id_!a} differs from {first!a} in {before.where} in {naming.SPELT} only"
                yield row.fault("id-spelt", what, "if they are one recording, write one id; if not, ids that differ in more", "id")


def _warnings(task: str, sheets: Sequence[RaterSheet], ratings: pd.DataFrame, skill: pd.DataFrame, p: ScoresParams) -> tuple[Fault, ...]:
    """Return what of whose scores cannot be normalised, with the files, and how many recordings have no score."""
    files: dict[str, list[str]] = {}
    for sheet in sheets:
        if not sheet.marks_errors:
            files.setdefault(sheet.rater, []).append(sheet.file)
    by_rater = ((names, scoring.without_scale(ratings[ratings.rater == rater])) for rater, names in sorted(files.items()))
    found = [fault for names, of_rater in by_rater for fault in within(of_rater, " and ".join(names))]
    few = int((skill.n_ratings < p.min_ratings).sum())
    if few:
        what = f"{count_text(few, 'recording')} of {len(skill)} with fewer than {p.min_ratings} scores that count, and so without {TOTAL}"
        fix = "let more raters score them; if they did, do the sheets name the recordings alike?"
        found.append(
            faults.warning(" and ".join(dict.fromkeys(chain.from_iterable(files.values()))), "ratings-few", what, fix, place=f"task {task}")
        )
    return tuple(found)


def _first_known(tables: Sequence[pd.DataFrame]) -> pd.DataFrame:
    """Return for each label what the first table says that has it."""
    both = pd.concat(tables, ignore_index=True).drop_duplicates(["task", "id", "error"])
    return frame_of(ERRORS, both.to_dict("records"))  # type: ignore[arg-type]
