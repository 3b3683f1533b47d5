"""Rater sheets and error sheets: read, held to the scale and to the recordings, and tried as the stage scores will use them."""

from __future__ import annotations

import pandas as pd

from scrubin.preflight.findings import Findings, names
from scrubin.preflight.listed_study import ListedStudy
from scrubin.ratings import consensus, normalisation
from scrubin.ratings.entries import Entries, read_entries
from scrubin.ratings.params import ScoresParams
from scrubin.ratings.roster import roster_of
from scrubin.ratings.sheets import read_folder, without

FOLDER = "ratings"


def look(study: ListedStudy, p: ScoresParams, noted: Findings) -> None:
    """Note what the stage scores would refuse, and which recordings nobody rated although others of their task are."""
    people = study.people()
    kept = people[people.recording.isin(set(study.kept))]
    videos = kept[["id", "task"]].assign(camera="", duration_s=0.0, frame_count=0)
    roster = roster_of(people, people[["recording", "id"]], videos, study.set_aside)
    with noted.noting():
        sheets = without(read_folder(study.raw / FOLDER, roster.tasks), study.withdrawn)
        noted.counts["rater sheet"] = len(sheets)
        entries = read_entries(sheets, roster, p)
        for fault in normalisation.without_scale(entries.ratings):
            noted.remark(f"{fault.place}: {fault.what}", fault.fix, FOLDER)
        with noted.noting():
            consensus.harmonise(entries.marks, p.error_rule, p.reviewer)
        _unrated(kept, entries, noted)


def _unrated(kept: pd.DataFrame, entries: Entries, noted: Findings) -> None:
    for what, rows in (("rater sheet", entries.ratings), ("error sheet", entries.marks)):
        for task, of_task in kept[kept.task.isin(set(rows.task))].groupby("task"):
            missing = set(of_task.recording[~of_task.id.isin(set(rows.id))])
            if missing:
                noted.remark(f"no {what} of {task} names {names(missing)}", "add their rows, if somebody looked at them", FOLDER)
