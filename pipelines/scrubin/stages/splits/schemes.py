"""The kinds of splits: balanced, folds, one out, official.

Source: LASANA, section LASANA benchmark.

The first repetition is searched for like a balanced split, with its bound; the others start from
another random deal each and are improved until no move or exchange makes them better, because
the best split is the best one every time.

Source: CholecT50 (Nwoye and Padoy 2022), section on cross-validation: sorted by the duration of
the procedure, cut into clusters of as many as there are folds, and each cluster dealt at random.
Here participants are dealt, so that those with several recordings stay whole; a participant is as
difficult as its recordings are on average.

With n = 1 it is leave-one-user-out as JIGSAWS defines it. Such folds tell which recordings are of
one person: do not publish them where that is private. So do other folds, once nobody else is in the
same subset of all of them (`scrubin.stages.splits.split.alone`).

Every repetition deals those anew who are alike in all that is balanced, or equally difficult.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pandas as pd

from scrubin.base.errors import SplitError
from scrubin.base.text.csv_text import shown
from scrubin.public_splits import catalogue
from scrubin.public_splits.catalogue import Official, load
from scrubin.public_splits.datasets import dataset
from scrubin.stages.splits.best_split import Effort, Progress, drawn, solve
from scrubin.stages.splits.cohort import Cohort, Group, fraction, groups
from scrubin.stages.splits.program import Counts, Program
from scrubin.stages.splits.recording_sheet import RecordingSheet, ids_by_name, read
from scrubin.stages.splits.split import Proof, Split, obstacles, proof, rows_of


def folds(parts: Sequence[Sequence[str]], first: int, *, validation: bool) -> list[tuple[int, str, str]]:
    """Return rows (fold, subset, id): fold ``first + i`` tests part i, and validates on the next one when asked to.

    Raises
    ------
    SplitError
        When nothing would be left for training.

    >>> folds([["a"], ["b"], ["c"]], 0, validation=True)[:3]
    [(0, 'test', 'a'), (0, 'val', 'b'), (0, 'train', 'c')]
    """
    if len(parts) < (3 if validation else 2):
        msg = f"{len(parts)} folds leave nothing to train on; ask for more folds" + (", or for no validation" if validation else "")
        raise SplitError(msg)
    rows = []
    for i in range(len(parts)):
        for j, part in enumerate(parts):
            subset = "test" if j == i else "val" if validation and j == (i + 1) % len(parts) else "train"
            rows += [(first + i, subset, id_) for id_ in part]
    return rows


def shares(n_folds: int, *, validation: bool) -> dict[str, float]:
    """Return the share of each subset of a fold, the one for training first.

    >>> shares(5, validation=False)
    {'train': 0.8, 'test': 0.2}
    """
    tested = {"val": 1 / n_folds, "test": 1 / n_folds} if validation else {"test": 1 / n_folds}
    return {"train": (n_folds - len(tested)) / n_folds, **tested}


def balanced(
    cohort: Cohort,
    subsets: Mapping[str, float],
    seed: int,
    effort: Effort,
    placed: Mapping[str, str] | None = None,
    progress: Progress | None = None,
) -> Split:
    """Return the balanced split of a cohort: everything in its columns is balanced.

    Parameters
    ----------
    cohort
        The recordings; participants with a pinned one are in the first subset.
    subsets
        Share by name; the first is the one for training.
    seed
        Decides between equally good splits.
    effort
        How long to search.
    placed
        Subset by participant, for those who have one already.

    Raises
    ------
    SplitError
        When there is no such split: too few participants, or too many with a fixed place.
    """
    names = list(subsets)
    pinned = dict.fromkeys(cohort.people.participant[cohort.people.pinned], 0)
    place_of = {**pinned, **{who: names.index(subset) for who, subset in (placed or {}).items()}}
    people_groups = groups(cohort.people, cohort.measures(), place_of, seed)
    check_possible(people_groups, names)
    program = Program(people_groups, cohort.measures(), tuple(subsets.values()), seed)
    solution = solve(program, effort, progress)
    rows = [(0, names[s], id_) for s, ids in enumerate(deal(people_groups, solution.counts)) for id_ in ids]
    participant_of = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    return Split(rows_of(rows), tuple(names), (proof(solution),), obstacles(program, names, participant_of), shares=dict(subsets))


def deal(people_groups: list[Group], counts: Counts) -> list[list[str]]:
    """Return the recordings of each subset, given how many members of each group go there."""
    dealt: list[list[str]] = [[] for _ in range(counts.shape[1])]
    for group, row in zip(people_groups, counts, strict=True):
        for member, s in zip(group.members, np.repeat(np.arange(len(row)), row), strict=True):
            dealt[s] += member
    return dealt


def shuffled(people_groups: list[Group], seed: int, repeat: int) -> list[Group]:
    """Return the groups with their members in an order of this repetition: how many of a group go where may be the same every time."""
    return [
        replace(group, members=tuple(sorted(group.members, key=lambda member: fraction(seed, "repetition", str(repeat), *member))))
        for group in people_groups
    ]


def same_again(repetitions: Sequence[Sequence[Sequence[str]]]) -> tuple[str, ...]:
    """Return a note when repetitions test the same people together; parts of each repetition as recordings.

    >>> same_again([[["a"], ["b"]], [["b"], ["a"]]])
    ('1 of 2 repetitions tests the same people together as an earlier one: it adds nothing',)
    """
    different = len({frozenset(frozenset(part) for part in parts) for parts in repetitions})
    again = len(repetitions) - different
    if not again:
        return ()
    what = (
        "tests the same people together as an earlier one: it adds"
        if again == 1
        else "test the same people together as earlier ones: they add"
    )
    return (f"{again} of {len(repetitions)} repetitions {what} nothing",)


def check_possible(people_groups: list[Group], subsets: list[str]) -> None:
    """Refuse more subsets than participants can fill.

    Raises
    ------
    SplitError
        Names the numbers.
    """
    everyone = sum(len(group.members) for group in people_groups)
    free = sum(len(group.members) for group in people_groups if group.place is None)
    if everyone < len(subsets):
        msg = (
            f"{everyone} participants cannot fill {len(subsets)} subsets ({', '.join(subsets)}), because each stays whole; "
            "release more recordings or name fewer subsets"
        )
        raise SplitError(msg)
    empty = [subset for s, subset in enumerate(subsets) if all(group.place != s for group in people_groups)]
    if free < len(empty):
        msg = (
            f"{everyone - free} of {everyone} participants have a fixed place: in '{subsets[0]}', because one of their recordings is "
            f"pinned to it, or where they were released; {free} are not enough for {', '.join(empty)}; pin fewer recordings "
            "(a study pins those on which raters strongly disagree: raise 'scores.strong_percentile'), or name fewer subsets"
        )
        raise SplitError(msg)


def k_fold(
    cohort: Cohort, n_folds: int, repeats: int, seed: int, effort: Effort, *, validation: bool, progress: Progress | None = None
) -> Split:
    """Return k folds per repetition, numbered on: those of repetition r are r x k to r x k + k - 1.

    Raises
    ------
    SplitError
        With fewer participants than folds.
    """
    check_enough(cohort, n_folds)
    people_groups = groups(cohort.people, cohort.measures(), {}, seed)
    program = Program(people_groups, cohort.measures(), (1 / n_folds,) * n_folds, seed)
    solution = solve(program, effort, progress)
    repetitions, proofs = [deal(people_groups, solution.counts)], [proof(solution)]
    for repeat in range(1, repeats):
        counts = drawn(program, seed, repeat)
        repetitions.append(deal(shuffled(people_groups, seed, repeat), counts))
        proofs.append(Proof(program.objective(counts), solution.bound, "sampled"))
    rows = [row for r, parts in enumerate(repetitions) for row in folds(parts, r * n_folds, validation=validation)]
    participant_of = dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    names = [f"fold {i}" for i in range(n_folds)]
    share_of = shares(n_folds, validation=validation)
    told = obstacles(program, names, participant_of)
    return Split(rows_of(rows), tuple(share_of), tuple(proofs), told, same_again(repetitions), share_of)


def check_enough(cohort: Cohort, n_folds: int) -> None:
    """Refuse more folds than participants.

    Raises
    ------
    SplitError
        Names both numbers.
    """
    participants = len(cohort.participants)
    if participants < n_folds:
        raise SplitError(f"{participants} participants cannot fill {n_folds} folds, because each stays whole; ask for fewer folds")


def difficulty_folds(cohort: Cohort, difficulty: str, n_folds: int, repeats: int, seed: int, *, validation: bool) -> Split:
    """Return k folds per repetition; each fold tests exactly one of each cluster.

    The last cluster has fewer members when participants cannot be divided by k: it is the one of
    the least difficult, and which folds get one of it is random.

    Raises
    ------
    SplitError
        With fewer participants than folds, or when the difficulty of a recording is no number.
    """
    check_enough(cohort, n_folds)
    ids = {str(who): list(rows.id) for who, rows in cohort.people.groupby("participant")}
    rows: list[tuple[int, str, str]] = []
    repetitions = []
    for repeat in range(repeats):
        parts: list[list[str]] = [[] for _ in range(n_folds)]
        for number, cluster in enumerate(clusters(cohort, difficulty, n_folds, seed, repeat)):
            order = sorted(range(n_folds), key=lambda fold: fraction(seed, str(repeat), str(number), str(fold)))
            for who, fold in zip(cluster, order, strict=False):
                parts[fold] += ids[who]
        rows += folds(parts, repeat * n_folds, validation=validation)
        repetitions.append(parts)
    share_of = shares(n_folds, validation=validation)
    return Split(rows_of(rows), tuple(share_of), notes=same_again(repetitions), shares=share_of)


def clusters(cohort: Cohort, difficulty: str, size: int, seed: int, repeat: int = 0) -> list[list[str]]:
    """Return the participants in clusters of equal difficulty, the most difficult first; who is equal changes places in a repetition."""
    column = cohort.column(difficulty)
    values = pd.to_numeric(column.values, errors="coerce")
    if values.isna().any():
        id_ = cohort.people.id[values.isna()].iloc[0]
        msg = f"recording '{id_}' has no number in column '{difficulty}', so it cannot be sorted; fill it in, or choose another column"
        raise SplitError(msg)
    rows = cohort.people.assign(value=values.astype(float))
    difficulty_of = {str(who): (math.fsum(group.value) / len(group), min(group.id)) for who, group in rows.groupby("participant")}
    # Equal difficulties are ordered by chance, not by a name.
    draw = ("repetition", str(repeat)) if repeat else ()
    ranked = sorted(difficulty_of, key=lambda who: (-difficulty_of[who][0], fraction(seed, *draw, difficulty_of[who][1])))
    return [ranked[i : i + size] for i in range(0, len(ranked), size)]


SINGLE = "each fold tests a single participant, so that the folds tell which recordings are of one person"


def leave_n_participants_out(cohort: Cohort, n: int, repeats: int, seed: int) -> Split:
    """Return as many folds per repetition as there are n participants; the last may test fewer.

    Raises
    ------
    SplitError
        When n participants are all there are.
    """
    ids = {str(who): list(rows.id) for who, rows in cohort.people.groupby("participant")}
    if n >= len(ids):
        raise SplitError(f"leaving {n} of {len(ids)} participants out leaves nobody to train on; leave fewer out")
    rows: list[tuple[int, str, str]] = []
    repetitions, first = [], 0
    for repeat in range(repeats):
        order = sorted(ids, key=lambda who: fraction(seed, str(repeat), min(ids[who])))
        parts = [[id_ for who in order[i : i + n] for id_ in ids[who]] for i in range(0, len(order), n)]
        rows += folds(parts, first, validation=False)
        repetitions.append(parts)
        first += len(parts)
    return Split(rows_of(rows), ("train", "test"), notes=(*((SINGLE,) if n == 1 else ()), *same_again(repetitions)))


ORDER = ("train", "val", "test")


def published(cohort: Cohort, split: str, videos: Path) -> Split:
    """Return an official split in the study's own ids.

    Parameters
    ----------
    cohort
        The recordings; ``people`` has a column ``recording``, the curator's name.
    split
        Name of the official split.
    videos
        CSV ``recording,video``: which recording is which video of the dataset.

    Raises
    ------
    SplitError
        For an unknown split, and with every row that names no video of it or a recording again; when no recording is released.
    """
    sheet, official = read(videos), load(split)
    id_of = ids_by_name(cohort.people)
    named = list(zip(sheet.filled("recording"), sheet.filled("video"), strict=True))
    row_of = _released_rows(sheet, named, id_of, official)
    if not row_of:
        raise SplitError(f"{videos}: none of its {len(named)} recordings is released; name recordings of the manifest")
    video_of = {id_: named[i][1] for id_, i in row_of.items()}
    rows, missing = catalogue.rows(split, video_of), catalogue.missing(split, video_of)
    notes = [official.people] if official.people else []
    if unknown := len({name for name, _ in named} - set(id_of)):
        notes.append(f"{unknown} recordings of {videos.name} are not released")
    if missing:
        notes.append(f"{len(missing)} of {len(official.videos)} videos of {split} are missing: {', '.join(missing[:20])}")
    if left := len(cohort.people) - len(video_of):
        notes.append(f"{left} recordings of the study are no video of {split}")
    # All subsets of the split, also those of which the study has no video: training must not be taken for another one.
    names = {subset for fold in official.folds for subset in official.subset_of(fold).values()}
    subsets = tuple(name for name in ORDER if name in names) + tuple(sorted(names - set(ORDER)))
    doubts = tuple(_one_video_of_several(sheet, named, row_of, official, cohort))
    return Split(rows_of(list(zip(rows.fold, rows.subset, rows.id, strict=True))), subsets, notes=tuple(notes), doubts=doubts)


def _released_rows(sheet: RecordingSheet, named: Sequence[tuple[str, str]], id_of: Mapping[str, str], official: Official) -> dict[str, int]:
    """Return by released id the place of its row, which names a recording and its video.

    Raises
    ------
    SplitError
        With every row that names a recording again, or no video of the split.
    """
    home, used, row_of = dataset(official.dataset), set(official.videos), dict[str, int]()
    faults = []
    for i, (name, text) in enumerate(named):
        if name not in id_of:
            continue
        first = row_of.setdefault(id_of[name], i)
        if first != i:
            what = f"recording '{shown(name)}' stands already in line {sheet.lines[first]}"
            faults.append(sheet.fault(i, "recording-repeated", what, "name its video once: remove one of the rows"))
        if home.video(text) not in used:
            what = f"recording '{shown(name)}' is of '{shown(text)}', which is no video of {official.name}"
            fix = f"correct it, or remove the row; 'scrubin splits show {official.name}' lists its videos"
            faults.append(sheet.fault(i, "video-unknown", what, fix))
    SplitError.raise_any(faults)
    return row_of


def _one_video_of_several(
    sheet: RecordingSheet, named: Sequence[tuple[str, str]], row_of: Mapping[str, int], official: Official, cohort: Cohort
) -> Iterator[str]:
    """Yield the rows that name one video for recordings of several participants, by their lines: it cannot show both."""
    home, participant_of = dataset(official.dataset), dict(zip(cohort.people.id, cohort.people.participant, strict=True))
    ids_of: dict[str | None, list[str]] = {}
    for id_, i in sorted(row_of.items(), key=lambda item: item[1]):
        ids_of.setdefault(home.video(named[i][1]), []).append(id_)
    for video, ids in ids_of.items():
        if len({participant_of[id_] for id_ in ids}) > 1:
            lines = [str(sheet.lines[row_of[id_]]) for id_ in ids]
            where = f"lines {', '.join(lines[:-1])} and {lines[-1]} of {Path(sheet.file).name}"
            what = f"{where} name the same video, {video} of {official.dataset}, for recordings of several participants"
            yield f"{what}; correct them: they go into one subset, and another video is missing"
