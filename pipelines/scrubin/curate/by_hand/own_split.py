"""A split of somebody's own table: read as a cohort, made or extended, written as a CSV, told with its proof."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import files
from scrubin.base.errors import ArgumentsError, ParamsError, SplitError
from scrubin.base.faults import Fault, within
from scrubin.base.text.csv_rows import csv_of
from scrubin.base.text.csv_text import NUMBER, has_comma, is_missing, number, shown
from scrubin.base.text.naming import ONE_PERSON, SPELT, of_several, spelling
from scrubin.public_splits.compare import folder_of, told_apart
from scrubin.public_splits.sheet import ROLES, folded
from scrubin.stages.splits import registry
from scrubin.stages.splits.assessment import balance
from scrubin.stages.splits.best_split import Effort, Progress
from scrubin.stages.splits.cohort import FALSE, LARGEST, TRUE, Cohort, Column, cohort, column
from scrubin.stages.splits.recording_sheet import RecordingSheet, read, read_released
from scrubin.stages.splits.released_splits import extension
from scrubin.stages.splits.schemes import balanced
from scrubin.stages.splits.split import Split
from scrubin.stages.splits.split_params import (
    KINDS,
    MOST_WORK,
    BalancedParams,
    DifficultyFoldsParams,
    KFoldParams,
    LeaveOutParams,
    SchemeParams,
    check_shares,
)

TASK = "task"
"""A column of this name is the task; everything is then balanced within each task."""


@dataclass(frozen=True)
class Roles:
    """The columns of a table by their roles."""

    group: str
    balance: tuple[str, ...] | None
    pin_train: str | None
    difficulty: str | None


def cohort_of(sheet: RecordingSheet, roles: Roles) -> Cohort:
    """Return the cohort of a table.

    Raises
    ------
    SplitError
        Names file, row and value of what cannot be used.
    """
    ids = sheet.ids()
    SplitError.raise_any(_repeated(sheet, ids))
    tasks = sheet.filled(TASK) if TASK in sheet.frame.columns else pd.Series("", index=ids.index)
    groups = sheet.groups(roles.group)
    of_people = (*_spelt_alike(sheet, groups, roles.group), *_of_several(sheet, groups, roles.group))
    SplitError.raise_any([*of_people, *_one_of_two(sheet, ids, groups, roles.group)])
    people = pd.DataFrame({"id": ids, "task": tasks, "participant": groups, "pinned": _pinned(sheet, roles.pin_train)})
    return cohort(people, _columns(sheet, roles))


def _repeated(sheet: RecordingSheet, ids: pd.Series[str]) -> Iterator[Fault]:
    first: dict[str, int] = {}
    for i, id_ in enumerate(ids):
        before = first.setdefault(id_, i)
        if before != i:
            what = f"recording '{shown(id_)}' (column '{sheet.id_column}') stands twice, first in line {sheet.lines[before]}"
            yield sheet.fault(i, "recording-repeated", what, "every recording has one row: remove one")


def _one_of_two(sheet: RecordingSheet, ids: pd.Series[str], groups: pd.Series[str], column: str) -> Iterator[Fault]:
    """Yield each recording whose name is another spelling of one of somebody else: if they are one, it could come into two subsets."""
    by = next((str(name) for name in sheet.frame.columns if folded(str(name)) in ROLES["dataset"]), None)
    datasets = [""] * len(ids) if by is None else sheet.column(by).fillna("").astype("str").to_list()
    told = told_apart(zip(datasets, ids, strict=True))
    first: dict[str, int] = {}
    for i, id_ in enumerate(ids):
        before = min(first.setdefault(key, i) for key in (spelling(id_), told.key(datasets[i], id_)))
        if spelling(groups.iloc[before]) != spelling(groups.iloc[i]):
            what = (
                f"recording {id_!a} of {column} '{shown(groups.iloc[i])}' differs from {ids.iloc[before]!a} in line {sheet.lines[before]}"
            )
            is_spelt = spelling(ids.iloc[before]) == spelling(id_)
            public = None if is_spelt else told.public(datasets[i], id_)
            otherwise = f"how a video of a public data set, {public.dataset}, is called" if public else "how its path is written"
            how = SPELT if is_spelt else otherwise
            more = "more than their folder" if public and folder_of(id_) != folder_of(ids.iloc[before]) else "more"
            fix = f"if they are one, give it one {column} and one row; if not, use names that differ in {more}"
            yield sheet.fault(i, "recording-spelt", f"{what} of '{shown(groups.iloc[before])}' in {how} only", fix)


def _spelt_alike(sheet: RecordingSheet, groups: pd.Series[str], column: str) -> Iterator[Fault]:
    """Yield the first row of each second spelling of a name: taken for two people, one could come into two subsets."""
    first: dict[str, tuple[str, int]] = {}
    noted: set[str] = set()
    for i, name in enumerate(groups):
        before, where = first.setdefault(spelling(name), (name, i))
        if before != name and name not in noted:
            noted.add(name)
            # As ASCII, because two forms of a letter, or two kinds of space, look the same.
            what = f"{column} {name!a} differs from {before!a} in line {sheet.lines[where]} in {SPELT} only"
            yield sheet.fault(i, "group-spelt", what, "if they are one, write one name; if not, names that differ in more")


def _of_several(sheet: RecordingSheet, groups: pd.Series[str], column: str) -> Iterator[Fault]:
    """Yield the first row of each cell that names several people, of whom one stands elsewhere, too."""
    first: dict[str, int] = {}
    for i, name in enumerate(groups):
        first.setdefault(name, i)
    for name, (part, other) in of_several(list(groups)).items():
        what = f"{column} '{shown(name)}' names several: '{shown(part)}' stands in line {sheet.lines[first[other]]}, too"
        yield sheet.fault(first[name], "group-joined", what, ONE_PERSON)


def _columns(sheet: RecordingSheet, roles: Roles) -> list[Column]:
    names = roles.balance if roles.balance is not None else _default(sheet, roles)
    named = [_named(sheet, name) for name in names]
    columns = [_column(sheet, column, kind) for column, kind in named if column != roles.difficulty]
    if roles.difficulty is not None:
        columns.append(_difficulty(sheet, roles.difficulty))
    column_names = [column for column, _ in named]
    repeated = sorted({name for name in column_names if column_names.count(name) > 1})
    if repeated:
        raise ArgumentsError(f"--balance names '{repeated[0]}' twice; name it once")
    return columns


def _default(sheet: RecordingSheet, roles: Roles) -> tuple[str, ...]:
    named = {sheet.id_column, roles.group, roles.pin_train, TASK}
    others = [str(name) for name in sheet.frame.columns if name not in named]
    return tuple(name for name in others if name == "GRS" or _is_flag(sheet.frame[name]))


def _is_flag(values: pd.Series[Any]) -> bool:
    # A single other word does not make it another column: it is a typo, which is said.
    return not {"true", "false"}.isdisjoint(str(value).lower() for value in values.dropna())


def _named(sheet: RecordingSheet, name: str) -> tuple[str, str | None]:
    """Return column and kind; a column may have a colon in its own name."""
    if name in sheet.frame.columns or ":" not in name:
        return name, None
    of, kind = name.rsplit(":", 1)
    if kind not in KINDS:
        msg = f"--balance: '{kind}' of '{name}' is no kind; kinds are {', '.join(f'{kind} ({means})' for kind, means in KINDS.items())}"
        raise ArgumentsError(msg)
    return of, kind


def _column(sheet: RecordingSheet, name: str, kind: str | None) -> Column:
    values = sheet.column(name)
    if kind != "category":
        _refuse_commas(sheet, name)
    if kind is None:
        _refuse_mixed(sheet, name)
        kind = "number" if name == "GRS" else None
    try:
        return column(name, values, kind)
    except SplitError as error:
        raise SplitError(within(error.faults, sheet.file)) from error


_CLOCK = re.compile(r"(?:([0-9]{1,6}):(?=[0-5][0-9]:))?([0-9]{1,6}):([0-5][0-9](?:\.[0-9]*)?)")
"""A time as LASANA's files have it, hours before minutes where there are two colons."""


def _difficulty(sheet: RecordingSheet, name: str) -> Column:
    """Return the column by which recordings are sorted: numbers, or times such as ``0:01:05`` in seconds, none missing.

    Raises
    ------
    SplitError
        With every cell that is neither, by its line.
    """
    cells = ["" if cell is None or is_missing(str(cell)) else str(cell) for cell in sheet.column(name)]
    numbers = [_in_seconds(cell) for cell in cells]
    fix = (
        "every recording is sorted by it: write a number such as 65.0, or a time such as 0:01:05, or name another column with --difficulty"
    )
    SplitError.raise_any(
        sheet.fault(i, "cell-value", f"'{name}' is '{shown(cell)}'" if cell else f"the cell '{name}' is empty", fix)
        for i, (cell, value) in enumerate(zip(cells, numbers, strict=True))
        if not _is_number(value) or abs(number(value)) > LARGEST
    )
    return column(name, pd.Series(numbers), "number")


def _in_seconds(cell: str) -> str:
    """Return a time as its number of seconds, and any other cell as it is.

    >>> _in_seconds("0:01:05"), _in_seconds("75:30.5"), _in_seconds("65"), _in_seconds("1:5")
    ('65.0', '4530.5', '65', '1:5')
    """
    clock = _CLOCK.fullmatch(cell)
    if clock is None:
        return cell
    hours, minutes, seconds = clock.groups("0")
    return str(3600 * int(hours) + 60 * int(minutes) + float(seconds))


def _refuse_commas(sheet: RecordingSheet, name: str) -> None:
    """Refuse numbers with commas in a column of numbers: they would be taken for words."""
    cells = _filled(sheet, name)
    commas = [(i, cell) for i, cell in cells if has_comma(cell)]
    others = [cell for _, cell in cells if _is_number(cell)]
    if 2 * (len(commas) + len(others)) > len(cells):
        fix = f"write numbers with a decimal point, or balance words: {name}:category"
        SplitError.raise_any(sheet.fault(i, "cell-comma", f"'{name}' is '{shown(cell)}'", fix) for i, cell in commas)


def _refuse_mixed(sheet: RecordingSheet, name: str) -> None:
    """Refuse a column of numbers, or of True and False, in which a cell is something else: it would be taken for words.

    Raises
    ------
    SplitError
        Names file, line and value.
    """
    for what, fits in (("True or False", _is_truth), ("a number", _is_number)):
        cells = _filled(sheet, name)
        others = [(i, cell) for i, cell in cells if not fits(cell)]
        if 2 * len(others) < len(cells):
            fix = f"correct it, leave it empty, or balance words: {name}:category"
            SplitError.raise_any(
                sheet.fault(i, "cell-value", f"'{name}' is '{shown(cell)}', not {what} as most are", fix) for i, cell in others
            )


def _filled(sheet: RecordingSheet, name: str) -> list[tuple[int, str]]:
    return [(i, str(cell)) for i, cell in enumerate(sheet.column(name)) if cell is not None and not is_missing(str(cell))]


def _is_truth(cell: str) -> bool:
    return cell.lower() in {"true", "false"}


def _is_number(cell: str) -> bool:
    return NUMBER.fullmatch(cell.strip()) is not None


def _pinned(sheet: RecordingSheet, name: str | None) -> pd.Series[bool]:
    if name is None:
        return pd.Series(data=False, index=sheet.frame.index)
    marks = sheet.column(name).map(lambda cell: "false" if cell is None or is_missing(str(cell)) else str(cell).lower())
    SplitError.raise_any(
        sheet.fault(i, "cell-value", f"'{name}' is '{shown(mark)}'", "--pin-train needs a column of True and False")
        for i, mark in enumerate(marks)
        if mark not in TRUE | FALSE
    )
    return marks.isin(TRUE)


GAP = 0.0005
"""Imbalance that is not worth a longer search."""


@dataclass(frozen=True)
class SplitRequest:
    """What is asked of a split.

    Parameters
    ----------
    scheme
        A kind of split, such as ``balanced``.
    subsets
        ``NAME=SHARE,...``; the first is for training.
    seed
        Decides between equally good splits.
    work_limit
        How much is searched; 1 is about a second.
    per_task
        Split every task by itself.
    validation
        Of schemes with folds: each fold validates on the next.
    folds, repeats, leave_out
        Numbers of folds, of repetitions, of participants that each fold tests.
    """

    scheme: str
    subsets: str
    seed: int
    work_limit: float
    per_task: bool = False
    validation: bool = False
    folds: int = 5
    repeats: int = 1
    leave_out: int = 1

    def refuse_unusable(self, *, pins: bool) -> None:
        """Refuse what no table can be divided by.

        Parameters
        ----------
        pins
            Whether some recordings must be in the first subset.

        Raises
        ------
        ArgumentsError
            Names the option.
        """
        for name, low in (("folds", 2), ("repeats", 1), ("leave_out", 1)):
            if getattr(self, name) < low:
                raise ArgumentsError(f"--{name.replace('_', '-')} must be at least {low}, but is {getattr(self, name)}")
        if pins and self.scheme != "balanced":
            raise ArgumentsError(f"--pin-train is of balanced: in {self.scheme} every recording is tested once")
        self.effort()
        shares(self.subsets)

    def effort(self) -> Effort:
        """Return how long to search.

        Raises
        ------
        ArgumentsError
            For a limit that is none.
        """
        if not 0 <= self.work_limit <= MOST_WORK:
            raise ArgumentsError(f"--work-limit must lie in [0, {MOST_WORK:g}], but is {self.work_limit:g}")
        return Effort(GAP, self.work_limit)


@dataclass(frozen=True)
class OwnSplits:
    """Splits by name, each with whom it divides; by task there are several."""

    scheme: str
    split_of: Mapping[str, tuple[Split, Cohort]]

    def write(self, out: Path) -> None:
        """Write them as one CSV.

        Raises
        ------
        SplitError
            When it cannot be written.
        """
        try:
            files.write_text(out, _csv({name: one for name, (one, _) in self.split_of.items()}))
        except OSError as error:
            raise SplitError(f"--out {str(out)[:200]!r} cannot be written: {error.strerror}; name another file") from error

    def document(self, seed: int) -> dict[str, Any]:
        """Return everything that is known of them as plain values."""
        values = {name: _value(one, of_split) for name, (one, of_split) in self.split_of.items()}
        whole: Any = next(iter(values.values())) if len(values) == 1 else {"splits": values}
        return {"scheme": self.scheme, "seed": seed, **whole}

    def lines(self) -> Iterator[str]:
        """Yield what a person wants to know of them."""
        for name, (one, of_split) in self.split_of.items():
            folds = one.rows.fold.nunique()
            count = f"{len(of_split.people)} recordings of {len(of_split.participants)} participants"
            yield f"{name}: {count}, {folds} {'fold' if folds == 1 else 'folds'}"
            yield from _lines(_value(one, of_split), one)


def made(table: Path, roles: Roles, asked: SplitRequest, progress: Progress) -> OwnSplits:
    """Divide the recordings of a table.

    Raises
    ------
    SplitError
        When the table or its columns cannot be used.
    ArgumentsError
        When what is asked cannot be.
    """
    asked.refuse_unusable(pins=roles.pin_train is not None)
    if asked.scheme != "difficulty_folds":
        roles = replace(roles, difficulty=None)
    cohort = cohort_of(read(table), roles)
    if asked.per_task and cohort.tasks() == [""]:
        raise SplitError(f"{table}: --per-task needs a column 'task'")
    p = _params(asked, cohort.features, roles)
    split_of = registry.make(asked.scheme, cohort, p, registry.Setting(asked.seed, asked.effort(), table.parent, progress))
    return OwnSplits(asked.scheme, {name: (one, _of(cohort, name, asked)) for name, one in split_of.items()})


def _of(cohort: Cohort, name: str, asked: SplitRequest) -> Cohort:
    return registry.of_task(cohort, name.removeprefix(f"{asked.scheme}.")) if asked.per_task else cohort


def _params(asked: SplitRequest, balance: tuple[str, ...], roles: Roles) -> SchemeParams:
    joint = not asked.per_task
    if asked.scheme == "balanced":
        return BalancedParams(shares(asked.subsets), joint, None, "balanced", balance)
    if asked.scheme == "k_fold":
        return KFoldParams(joint, asked.validation, "k_fold", balance, asked.folds, asked.repeats)
    if roles.difficulty is not None:
        return DifficultyFoldsParams(roles.difficulty, joint, asked.validation, "difficulty_folds", asked.folds, asked.repeats)
    return LeaveOutParams(joint, "leave_n_participants_out", asked.leave_out, asked.repeats)


def extended(released: Path, table: Path, roles: Roles, asked: SplitRequest, progress: Progress) -> OwnSplits:
    """Add the new recordings of a table to a released split, without moving anybody.

    Raises
    ------
    SplitError
        When a file cannot be used, or a released recording is missing in the table.
    ArgumentsError
        When what is asked cannot be.
    """
    asked.refuse_unusable(pins=False)
    _refuse_several(released)
    subsets = shares(asked.subsets)
    cohort = cohort_of(read(table), roles)
    old = extension(cohort, read_released(released), list(subsets))
    if old.gone:
        msg = (
            f"{table}: recording '{old.gone[0]}' of the released split is missing ({len(old.gone)} are); without their participants "
            "nobody knows where new recordings may go: give all recordings, old and new; if somebody withdrew, take their rows out of "
            f"{released}"
        )
        raise SplitError(msg)
    split = balanced(old.cohort, subsets, asked.seed, asked.effort(), old.placed, progress)
    return OwnSplits("balanced", {"balanced": (registry.noted(replace(split, notes=old.notes()), old.cohort), old.cohort)})


def _refuse_several(released: Path) -> None:
    """Refuse a file of several folds or schemes: only one split can be extended."""
    frame = read(released).frame
    for name in frame.columns:
        if str(name).lower() in ("fold", "scheme") and frame[name].nunique() > 1:  # noqa: PD101  empty cells do not count
            several = f"column '{name}' has {frame[name].nunique()} different values"
            raise SplitError(f"{released}: {several}; only one split can be extended, without folds")


def refuse_target(out: Path, inputs: Sequence[Path], seed: int) -> None:
    """Refuse what cannot be written to, or must not be, before anything is searched for.

    Raises
    ------
    SplitError
        When --out is one of the inputs, no plain file, or in no folder.
    ArgumentsError
        For a seed that is none.
    """
    try:
        obstacle = "is a link" if out.is_symlink() else "is no plain file" if out.exists() and not out.is_file() else ""
        obstacle = obstacle or next(
            (f"is the same file as {path}" for path in inputs if out.exists() and path.exists() and out.samefile(path)), ""
        )
        folder = next((parent for parent in out.absolute().parents if parent.exists()), Path("/"))
        obstacle = obstacle or ("" if folder.is_dir() else f"lies below {folder}, which is no folder")
        part = out.with_name(f".part-{out.name}") if out.name else out
        obstacle = obstacle or (f"is written by way of {part}, which exists" if part.exists() else "")
    except OSError as error:
        obstacle = f"cannot be used: {error.strerror}"
    if obstacle:
        raise SplitError(f"--out {str(out)[:200]!r} {obstacle}; name another file")
    if seed < 0:
        raise ArgumentsError(f"--seed must be at least 0, but is {seed}")


def shares(text: str) -> dict[str, float]:
    """Return the shares of ``train=0.75,test=0.25``; whole numbers such as ``75:25`` in percent are none.

    Raises
    ------
    ArgumentsError
        When it is none of such a list.
    """
    share_of: dict[str, float] = {}
    for part in text.split(","):
        name, _, share = part.partition("=")
        try:
            value = number(share)
        except ValueError as error:
            raise ArgumentsError(f"--subsets: '{part}' is not NAME=SHARE, such as train=0.75") from error
        if name.strip() in share_of:
            raise ArgumentsError(f"--subsets: '{name.strip()}' stands twice")
        share_of[name.strip()] = value
    try:
        check_shares(share_of, "--subsets")
    except ParamsError as error:
        raise ArgumentsError(str(error)) from error
    if len(share_of) < 2:
        raise ArgumentsError("--subsets: name at least two")
    return share_of


def _value(split: Split, cohort: Cohort) -> dict[str, Any]:
    value = balance(split, cohort)
    named = [one.sentence(named=True) for one in split.obstacles]  # whoever has the table knows the participants
    return {"recordings": len(cohort.people), "participants": len(cohort.participants), **value, "obstacles": named}


def _csv(split_of: dict[str, Split]) -> str:
    # Split by task, folds of the same number have nothing to do with each other: each task is a scheme of its own.
    by_task = any("." in name for name in split_of)
    several = any(one.rows.fold.nunique() > 1 for one in split_of.values())  # noqa: PD101  empty cells do not count
    header = [*(["scheme"] if by_task else []), *(["fold"] if several else []), "id", "subset"]
    rows = [one.rows.assign(scheme=name)[header] for name, one in split_of.items()]
    return csv_of([header, *sorted(row for part in rows for row in part.itertuples(index=False, name=None))])


ROUNDED = 12
"""Decimals beyond which a value is what is left of rounding."""
SHOWN = 60
"""So many measures are printed; --json has all."""


def _lines(value: dict[str, Any], split: Split) -> Iterator[str]:
    """Yield the lines: per measure what each subset has of what it should have, then the proof."""
    table = value["imbalance"]["measures"]
    folds = sorted({row["fold"] for row in table})
    yield from _subset_lines(table, split) if len(folds) == 1 else _fold_lines(table, len(folds))
    mean, worst = value["imbalance"]["mean"], value["imbalance"]["worst"]
    over = "" if len(folds) == 1 else f" over {len(folds)} folds"
    yield f"imbalance{over}: mean {mean:.2%}, worst {worst:.2%}"
    for proof in value["proofs"]:
        bound = f"no split has less than {proof['bound']:.6f}"
        yield f"objective {proof['objective']:.6f}, {bound}: proven gap {proof['gap']:.4%} ({proof['status']})"
    yield from (f"cannot be balanced: {one.sentence(named=True)}" for one in split.obstacles)
    yield from (f"note: {note}" for note in value["notes"])


def _cell(cell: dict[str, Any]) -> str:
    # A mean that is 0 but for how sums of floats are rounded is 0.
    return f" {round(cell['value'], ROUNDED) + 0.0:>9.4g} of {cell['wanted']:>6.1f} {cell['imbalance']:>6.1%}"


def _subset_lines(table: list[dict[str, Any]], split: Split) -> Iterator[str]:
    fine = [cell["imbalance"] for row in table if row["fine"] for cell in row["subsets"].values()]
    table = [row for row in table if not row["fine"]]
    head = "".join(f"{subset:>27}" for subset in split.subsets)
    yield f"{'':32}{head}"
    for row in table[:SHOWN]:
        cells = "".join(map(_cell, row["subsets"].values()))
        yield f"{_name(row):32}{cells}"
    yield from _more(table)
    if fine:
        yield f"finer parts of distributions, see --json: mean {math.fsum(fine) / len(fine):.1%}, worst {max(fine):.1%}"


def _fold_lines(table: list[dict[str, Any]], folds: int) -> Iterator[str]:
    of: dict[str, list[float]] = {}
    for row in (row for row in table if not row["fine"]):
        of.setdefault(_name(row), []).append(row["subsets"]["test"]["imbalance"])
    yield f"{'imbalance of the tested fold':40}{'mean':>9}{'worst':>9}"
    for name, values in list(of.items())[:SHOWN]:
        yield f"{name:40}{math.fsum(values) / folds:>9.1%}{max(values):>9.1%}"
    yield from _more(list(of))


def _more(rows: list[Any]) -> Iterator[str]:
    if len(rows) > SHOWN:
        yield f"... and {len(rows) - SHOWN} more, see --json"


def _name(row: dict[str, Any]) -> str:
    return " ".join(filter(None, (row["task"], row["measure"])))
