"""Splits: released ones to extend, lists of official ones, and whether there are people enough for the subsets."""

from __future__ import annotations

from scrubin.core.errors import SplitError
from scrubin.core.faults import within
from scrubin.core.ranges import count_text
from scrubin.preflight.findings import Findings, names
from scrubin.preflight.listed_study import ListedStudy
from scrubin.splits.cohort import Cohort, cohort
from scrubin.splits.extension import extension
from scrubin.splits.params import (
    BalancedParams,
    DifficultyFoldsParams,
    KFoldParams,
    LeaveOutParams,
    OfficialParams,
    SchemeParams,
    SplitsParams,
)
from scrubin.splits.schemes.balanced import check_possible
from scrubin.splits.schemes.k_fold import check_enough
from scrubin.splits.schemes.leave_out import leave_n_participants_out
from scrubin.splits.schemes.official import published
from scrubin.splits.schemes.registry import of_task
from scrubin.splits.search.groups import groups
from scrubin.splits.sheet import read, read_released

FOLDER = "splits"


def look(study: ListedStudy, p: SplitsParams, noted: Findings) -> None:
    """Note what the stage splits would refuse whatever is released: fewer recordings never make more people."""
    people = study.people()
    kept = people[people.recording.isin(set(study.kept))]
    read_files = {_file(scheme) for scheme in p.schemes.values()} - {None}
    folder = study.raw / FOLDER
    for path in sorted(folder.glob("*.csv")) if folder.is_dir() else ():
        if path.relative_to(study.raw).as_posix() not in read_files and not path.name.startswith("."):
            noted.remark(
                "no scheme in params.yaml reads it", "name it there as 'extends' or 'videos', or move it away", f"{FOLDER}/{path.name}"
            )
    if kept.empty or study.withdrawn:
        return  # whoever withdrew leaves the released splits as they are
    aside = noted.kept_out
    everyone = cohort(kept.assign(pinned=False).reset_index(drop=True), ())
    for name, scheme in p.schemes.items():
        parts = (
            {name: everyone} if getattr(scheme, "joint", True) else {f"{name}.{task}": of_task(everyone, task) for task in everyone.tasks()}
        )
        for part, of in parts.items():
            with noted.noting():
                try:
                    _try(of, scheme, p.seed, study, noted)
                except SplitError as error:
                    where = (
                        f"split '{part}', without the {count_text(len(aside), 'recording')} to be set aside" if aside else f"split '{part}'"
                    )
                    raise SplitError(within(error.faults, where)) from error


def _file(scheme: SchemeParams) -> str | None:
    if isinstance(scheme, OfficialParams):
        return scheme.videos
    return scheme.extends if isinstance(scheme, BalancedParams) else None


def _try(of: Cohort, scheme: SchemeParams, seed: int, study: ListedStudy, noted: Findings) -> None:
    """Go as far with a split as the lists allow.

    Raises
    ------
    SplitError
        When there is no such split.
    """
    if isinstance(scheme, BalancedParams):
        subsets, place_of = list(scheme.subsets), {}
        if scheme.extends is not None:
            rows = read_released(study.raw / scheme.extends)
            _name_unknown(set(rows.id), scheme.extends, study, noted)
            placed = extension(of, rows[rows.id.isin(of.people.id)], subsets).placed
            place_of = {who: subsets.index(subset) for who, subset in placed.items()}
        check_possible(groups(of.people, of.measures(), place_of, seed), subsets)
    elif isinstance(scheme, KFoldParams | DifficultyFoldsParams):
        check_enough(of, scheme.folds)
    elif isinstance(scheme, LeaveOutParams):
        leave_n_participants_out(of, scheme.participants, 1, seed)
    else:
        _name_unknown(set(read(study.raw / scheme.videos).filled("recording")), scheme.videos, study, noted)
        published(of, scheme.split, study.raw / scheme.videos)


def _name_unknown(named: set[str], file: str, study: ListedStudy, noted: Findings) -> None:
    known = {*study.recordings, *study.set_aside, *study.ids.values()}
    unknown = {name for name in named - known if name not in study.withdrawn}
    if unknown:
        noted.remark(f"it names {names(unknown)}, which recordings.csv does not", "correct them, or remove their rows", file)
