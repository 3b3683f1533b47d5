"""Every kind of split by its name; a new kind is one function with one entry."""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base.errors import SplitError
from scrubin.base.faults import count_text, ranges_text, within
from scrubin.stages.splits.best_split import Effort, Progress
from scrubin.stages.splits.cohort import Cohort
from scrubin.stages.splits.recording_sheet import ids_by_name, read_released
from scrubin.stages.splits.released_splits import can_be_extended, extension, kept
from scrubin.stages.splits.schemes import SINGLE, balanced, difficulty_folds, k_fold, leave_n_participants_out, published
from scrubin.stages.splits.split import Split, alone, alone_sentence
from scrubin.stages.splits.split_params import (
    BalancedParams,
    KFoldParams,
    OfficialParams,
    SchemeParams,
    is_joint,
)


@dataclass(frozen=True)
class Setting:
    """What all schemes of a study share.

    Parameters
    ----------
    seed, effort
        Of every draw and search.
    raw
        Folder of the raw study, where released splits and lists of videos lie.
    progress
        Told of better splits while searching.
    id_of
        Released id by all that a released split may call a recording of the study.
    elsewhere
        Recordings of the study that are split by themselves, because they are of another task, by released id.
    released
        By split, the rows in which everybody was released before somebody withdrew: nobody is moved.
    withdrawn
        Released ids that nobody may meet again.
    """

    seed: int
    effort: Effort
    raw: Path
    progress: Progress | None = None
    id_of: Mapping[str, str] = field(default_factory=dict)
    elsewhere: frozenset[str] = frozenset()
    released: Mapping[str, pd.DataFrame] = field(default_factory=dict)
    withdrawn: Container[str] = frozenset()


def make(name: str, cohort: Cohort, p: SchemeParams, setting: Setting) -> dict[str, Split]:
    """Return the splits of a scheme by their names: one, or one per task named ``<scheme>.<task>``.

    Parameters
    ----------
    name
        Name of the scheme.
    cohort
        All recordings, with every column that any scheme balances.
    p
        Its parameters.
    setting
        What all schemes share.

    Raises
    ------
    SplitError
        When the scheme is impossible for the cohort, by the name of the scheme.
    """
    parts = {name: cohort} if is_joint(p) else {f"{name}.{task}": of_task(cohort, task) for task in cohort.tasks()}
    # Of all tasks: what is an id of one of them may be a name in another.
    setting = replace(setting, id_of=ids_by_name(cohort.people))
    split_of = {}
    for part, recordings in parts.items():
        others = frozenset(cohort.people.id) - frozenset(recordings.people.id)
        try:
            split = _of(part, recordings, p, replace(setting, elsewhere=others))
            split_of[part] = noted(split, recordings)
        except SplitError as error:
            raise SplitError(within(error.faults, f"split '{part}'")) from error
    return split_of


def _of(part: str, cohort: Cohort, p: SchemeParams, setting: Setting) -> Split:
    """Return a split, as it was released where somebody withdrew since; official ones follow their list in any case."""
    released = setting.released.get(part)
    if released is None or isinstance(p, OfficialParams):
        return SCHEMES[p.kind](cohort, p, setting)
    if isinstance(p, BalancedParams) and can_be_extended(cohort, released, p):
        return _extended(cohort.balancing(p.balance), released[["id", "subset"]], p, setting)
    return kept(cohort, released, p)


def noted(split: Split, cohort: Cohort) -> Split:
    """Return a split with a note when it tells which recordings are of one participant, unless it says so of everybody already."""
    number, several = alone([split.rows], cohort.people)
    if not number or SINGLE in split.notes:
        return split
    return replace(split, notes=(*split.notes, alone_sentence(number, several, "the subsets tell")))


def of_task(cohort: Cohort, task: str) -> Cohort:
    """Return the recordings of one task."""
    return cohort.only((cohort.people.task == task).to_numpy())


def _balanced(cohort: Cohort, p: BalancedParams, setting: Setting) -> Split:
    chosen = cohort.balancing(p.balance)
    if p.extends is None:
        return balanced(chosen, p.subsets, setting.seed, setting.effort, progress=setting.progress)
    return _extended(chosen, read_released(setting.raw / p.extends, setting.id_of), p, setting)


def _extended(chosen: Cohort, rows: pd.DataFrame, p: BalancedParams, setting: Setting) -> Split:
    gone = rows.id.isin(setting.elsewhere) | rows.id.map(setting.withdrawn.__contains__).astype(bool)
    old = extension(chosen, rows[~gone], list(p.subsets))
    split = balanced(old.cohort, p.subsets, setting.seed, setting.effort, old.placed, setting.progress)
    if "line" not in rows:
        return replace(split, notes=old.notes())
    # A row that is misspelt holds nobody: the curator must hear of it. By its line, because its name is not for the report.
    return replace(split, notes=replace(old, gone=()).notes(), doubts=tuple(_not_there(rows[rows.id.isin(old.gone)], str(p.extends))))


def _not_there(rows: pd.DataFrame, file: str) -> Iterator[str]:
    if len(rows):
        where = f"{file}, {'line' if len(rows) == 1 else 'lines'} {ranges_text(sorted(rows.line))}"
        what = f"{where}: {count_text(len(rows), 'released recording')} of it {'is' if len(rows) == 1 else 'are'} not there any more"
        yield f"{what}; correct a name that is misspelt, or its participant may move; leave those that are left out on purpose"


def _k_fold(cohort: Cohort, p: KFoldParams, setting: Setting) -> Split:
    chosen = cohort.balancing(p.balance)
    return k_fold(chosen, p.folds, p.repeats, setting.seed, setting.effort, validation=p.validation, progress=setting.progress)


SCHEMES: dict[str, Callable[[Cohort, Any, Setting], Split]] = {
    "balanced": _balanced,
    "k_fold": _k_fold,
    "difficulty_folds": lambda cohort, p, to: difficulty_folds(cohort, p.difficulty, p.folds, p.repeats, to.seed, validation=p.validation),
    "leave_n_participants_out": lambda cohort, p, to: leave_n_participants_out(cohort, p.participants, p.repeats, to.seed),
    "official": lambda cohort, p, to: published(cohort, p.split, to.raw / p.videos),
}
"""How each kind of split is made."""
