"""All splits of a study as tables or listings, with what is told about them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pandas as pd

from scrubin.base import faults
from scrubin.base.errors import SplitError
from scrubin.base.tables.public import FOLDS, LASANA, SCHEME, SPLIT_COLUMNS, SPLIT_DELIMITERS
from scrubin.base.text.csv_rows import csv_of
from scrubin.stages.splits import assessment
from scrubin.stages.splits.assessment import (
    BALANCE_DEFINITIONS,
    balance,
    class_coverage,
    class_warnings,
    classes,
    folds,
    not_trained_on,
)
from scrubin.stages.splits.cohort import Cohort, Tables, cohort, columns
from scrubin.stages.splits.registry import Setting, make, of_task
from scrubin.stages.splits.split import Split, alone, alone_sentence, empty_subsets
from scrubin.stages.splits.split_params import BalancedParams, SplitsParams, is_joint


def people(recordings: pd.DataFrame, linkage: pd.DataFrame, videos: pd.DataFrame) -> pd.DataFrame:
    """Return one row per released recording: id, task, participant, recording, site, sorted by id. Private.

    Parameters
    ----------
    recordings, linkage, videos
        The tables of these names; a procedure's participant is the patient.

    Raises
    ------
    SplitError
        When a released recording has no participant, or more than one.
    """
    released = videos[["id", "task"]].drop_duplicates()
    known = recordings[["recording", "participant", "site"]].drop_duplicates().merge(linkage, on="recording")
    known = known[["id", "participant", "recording", "site"]]
    both = released.merge(known, on="id", how="left").sort_values("id", ignore_index=True)
    twice = both[both.id.duplicated()]
    if len(twice):
        msg = f"released recording '{twice.id.iloc[0]}' has several participants, sites or tasks; its rows in recordings.csv must agree"
        raise SplitError(msg)
    lost = both[both.participant.isna()]
    if len(lost):
        msg = f"released recording '{lost.id.iloc[0]}' has no participant in the manifest; run 'dvc repro' from the stage ingest"
        raise SplitError(msg)
    return both


def listings(splits: pd.DataFrame, videos: pd.DataFrame, lasana: str) -> dict[str, str]:
    """Return the text of each file by its name.

    ``<scheme>.csv``, and for each task ``<Task>_split.csv`` as in LASANA (section Data Records); their columns are
    `scrubin.base.tables.public.COLUMNS`. Rows are sorted by id, an order that tells nothing.

    Parameters
    ----------
    splits
        Rows of the table ``splits``.
    videos
        The table of this name.
    lasana
        The scheme of LASANA's files: itself, or split by task ``<scheme>.<task>``. One with folds has no such files.
    """
    placed = splits.merge(videos[["id", "task"]].drop_duplicates(), on="id", validate="many_to_one").sort_values(["fold", "id"])
    files = {}
    for scheme, rows in placed.groupby("scheme"):
        kind = FOLDS if len(set(rows.fold)) > 1 else SCHEME
        files[f"{scheme}.csv"] = csv_of([SPLIT_COLUMNS[kind], *rows[list(SPLIT_COLUMNS[kind])].to_numpy().tolist()], SPLIT_DELIMITERS[kind])
    mine = placed[placed.scheme.str.split(".").str[0] == lasana]
    if not (mine.fold > 0).any():
        for task, rows in mine.groupby("task"):
            files[f"{task}_split.csv"] = csv_of(
                [SPLIT_COLUMNS[LASANA], *rows[["id", "subset"]].to_numpy().tolist()], SPLIT_DELIMITERS[LASANA]
            )
    return files


def cohort_of(people: pd.DataFrame, tables: Tables) -> Cohort:
    """Return the study's recordings with every feature; those with strong disagreement are pinned.

    Parameters
    ----------
    people
        One row per recording: id, task, participant, recording, site.
    tables
        Its tables.
    """
    # Where nobody knows whether the disagreement is strong, nothing is pinned.
    strong = set(tables.skill.id[tables.skill.strong_disagreement.fillna(value=False)])
    return cohort(people.assign(pinned=people.id.isin(strong)), columns(people.id, tables))


def splits(everyone: Cohort, p: SplitsParams, setting: Setting, shown: Callable[[Sequence[str]], Iterable[str]] = iter) -> dict[str, Split]:
    """Return every split by its name.

    Parameters
    ----------
    everyone, p, setting
        Who is divided, and how.
    shown
        Passes on the names of the schemes, and may show how far that is.

    Raises
    ------
    SplitError
        When one is impossible.
    """
    refuse_names_of_tasks(p, everyone.tasks())
    split_of: dict[str, Split] = {}
    for name in shown(tuple(p.schemes)):
        split_of |= make(name, everyone, p.schemes[name], setting)
    return _noted(split_of, everyone)


def refuse_names_of_tasks(p: SplitsParams, tasks: Iterable[str]) -> None:
    """Refuse a scheme that would have the file of a task, whatever a file system thinks of capital letters.

    Raises
    ------
    SplitError
        Names the scheme and the task.
    """
    task_of = {f"{task}_split".lower(): task for task in tasks}
    for name, scheme in p.schemes.items():
        if is_joint(scheme) and (task := task_of.get(name.lower())):
            what = f"would be released as the split of the task '{task}', because LASANA's files are called <Task>_split.csv"
            raise SplitError([faults.error("params.yaml", "name-taken", what, "call it otherwise", place=f"'splits.schemes.{name}'")])


def _noted(split_of: dict[str, Split], everyone: Cohort) -> dict[str, Split]:
    """Return the splits; the first one says of how many people all of them together tell what none tells alone."""
    number, several = alone([split.rows for split in split_of.values()], everyone.people)
    if number <= max(alone([split.rows], everyone.people)[0] for split in split_of.values()):
        return split_of
    first = next(iter(split_of))
    note = alone_sentence(number, several, "all splits together tell")
    return split_of | {first: replace(split_of[first], notes=(*split_of[first].notes, note))}


def table(split_of: Mapping[str, Split]) -> pd.DataFrame:
    """Return the rows of the table ``splits``."""
    rows = [split.rows.assign(scheme=name) for name, split in split_of.items()]
    return pd.concat(rows, ignore_index=True)[["scheme", "fold", "subset", "id"]]


def document(split_of: Mapping[str, Split], everyone: Cohort, tables: Tables, p: SplitsParams) -> dict[str, Any]:
    """Return the balance, coverage and shortcut audit of every split, as a JSON value that names no participant.

    ``schemes`` is a list in the order of ``params.yaml``; each has its ``folds``. Where a subset has nobody ``empty`` says
    so, and ``doubts`` what may be a mistake of a list; ``stays`` has the subset of recordings that only now should be trained on, by id.
    """
    occurring = classes(tables.triplets, tables.phases, tables.errors)
    return {
        "definitions": {**BALANCE_DEFINITIONS, "shortcut": assessment.SHORTCUT_DEFINITIONS},
        "seed": p.seed,
        "schemes": [_scheme(name, split, everyone, tables, occurring, p) for name, split in split_of.items()],
    }


def warnings(said: Mapping[str, Any]) -> list[str]:
    """Return what a run says of its splits: subsets that have nobody, and what may be a mistake of a list."""
    return [
        f"split '{scheme['scheme']}': {line}"
        for scheme in said["schemes"]
        for line in (*scheme.get("empty", ()), *scheme.get("doubts", ()))
    ]


def obstacles(split_of: Mapping[str, Split]) -> dict[str, list[str]]:
    """Return what stands in the way of each split, participants by name. Private."""
    return {name: [one.sentence(named=True) for one in split.obstacles] for name, split in split_of.items()}


def _scheme(
    name: str, split: Split, everyone: Cohort, tables: Tables, occurring: dict[str, pd.DataFrame], p: SplitsParams
) -> dict[str, Any]:
    base, _, task = name.partition(".")
    scheme = p.schemes[base]
    # What a scheme does not balance is looked at all the same: how far are the folds apart in it?
    looked_at = getattr(scheme, "balance", ("GRS", "error"))
    of = of_task(everyone, task) if task else everyone
    here = of.only(of.people.id.isin(split.rows.id).to_numpy()).balancing(looked_at)
    stays = not_trained_on(split, of.people) if isinstance(scheme, BalancedParams) else {}
    return {
        "scheme": name,
        "kind": scheme.kind,
        **balance(split, here),
        **({"stays": stays} if stays else {}),
        **({"empty": empty} if (empty := list(empty_subsets(split, scheme.kind))) else {}),
        **({"doubts": list(split.doubts)} if split.doubts else {}),
        "folds": [
            {**fold, **_fold(split.rows[split.rows.fold == fold["fold"]], split.subsets, everyone, tables, occurring)}
            for fold in folds(split, everyone.people, tables.skill, tables.errors)
        ],
    }


def _fold(
    rows: pd.DataFrame, subsets: Sequence[str], everyone: Cohort, tables: Tables, occurring: dict[str, pd.DataFrame]
) -> dict[str, Any]:
    first = tables.videos.sort_values(["id", "camera"]).drop_duplicates("id")[["id", "duration_s"]]
    known = rows[["id", "subset"]].merge(everyone.people[["id", "task"]], on="id").merge(first, on="id", how="left")
    audited = assessment.shortcut_audit(known.merge(tables.skill[["id", "GRS"]], on="id", how="left"), subsets[0])
    covered = class_coverage(rows, occurring, subsets)
    return {"coverage": covered, "warnings": list(class_warnings(covered, subsets[0])), "shortcut": audited["tasks"]}
