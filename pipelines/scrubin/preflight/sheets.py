"""Rater sheets and error sheets: read, held to the scale and to the recordings, and tried as the stage scores will use them."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from scrubin.core.ranges import count_text
from scrubin.preflight.findings import Findings, names, places
from scrubin.preflight.listed_study import ListedStudy
from scrubin.ratings import consensus, normalisation, points
from scrubin.ratings.entries import Entries, read_entries
from scrubin.ratings.params import ScoresParams
from scrubin.ratings.rater_sheet import RaterSheet, Row
from scrubin.ratings.roster import roster_of
from scrubin.ratings.sheets import look_folder, without

FOLDER = "ratings"


def look(study: ListedStudy, p: ScoresParams, noted: Findings) -> None:
    """Note what the stage scores would refuse, and which recordings nobody rated although others of their task are."""
    people = study.people()
    kept = people[people.recording.isin(set(study.kept))]
    videos = kept[["id", "task"]].assign(camera="", duration_s=0.0, frame_count=0)
    roster = roster_of(people, people[["recording", "id"]], videos, study.set_aside)
    found, wrong = look_folder(study.raw / FOLDER, roster.tasks)
    noted.errors += wrong
    with noted.noting():
        sheets = without(found, study.withdrawn)
        noted.counts["rater sheet"] = len(sheets)
        _say_failed(sheets, p, noted)
        entries = read_entries(sheets, roster, p)
        for fault in normalisation.without_scale(entries.ratings):
            noted.remark(f"{fault.place}: {fault.what}", fault.fix, FOLDER)
        with noted.noting():
            consensus.harmonise(entries.marks, p.error_rule, p.reviewer)
        _unrated(kept, entries, noted)


def _say_failed(sheets: Sequence[RaterSheet], p: ScoresParams, noted: Findings) -> None:
    """Say for each rater how many recordings count as failed; where empty scores alone say it, that is a question."""
    for sheet in sheets:
        if sheet.marks_errors:
            continue
        empty = [row for row in sheet.rows if points.is_left_empty(row, p)]
        place = f"task {sheet.task}, rater {sheet.rater}"
        if empty:
            where = places([f"line {row.line}" for row in empty])
            what = f"{place}: {count_text(len(empty), 'recording')} {_count(empty)} as failed, because no score is given ({where})"
            fix = "leave it if the rater meant that"
            if p.not_rated is not None:
                fix += f"; where the rater could not judge, write '{p.not_rated}' into the scores (or see scores.failed_mark)"
            noted.remark(what, fix, sheet.file)
        elif p.failed_mark is not None and (marked := [row for row in sheet.rows if points.is_marked(row, p.failed_mark)]):
            what = f"{place}: {count_text(len(marked), 'recording')} {_count(marked)} as failed, because '{p.failed_mark.column}' says so"
            noted.remark(what, "leave it if that is so", sheet.file)


def _count(rows: Sequence[Row]) -> str:
    return "counts" if len(rows) == 1 else "count"


def _unrated(kept: pd.DataFrame, entries: Entries, noted: Findings) -> None:
    for what, rows in (("rater sheet", entries.ratings), ("error sheet", entries.marks)):
        for task, of_task in kept[kept.task.isin(set(rows.task))].groupby("task"):
            missing = set(of_task.recording[~of_task.id.isin(set(rows.id))])
            if missing:
                noted.remark(f"no {what} of {task} names {names(missing)}", "add their rows, if somebody looked at them", FOLDER)
