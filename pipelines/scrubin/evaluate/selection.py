"""Which videos count: a list of names, or one subset of a split."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, Faults, error
from scrubin.base.text import csv_text
from scrubin.public_splits import sheet as split_sheet

ID, FOLD = "id", "fold"
SUBSETS = ("split", "subset")
"""Names of the column of subsets, the first one that a header has."""
_EXPECTED = "give a list of videos or a split"


def read(path: Path, subset: str | None) -> dict[str, int]:
    """Return the names of the videos that count, with their lines.

    Parameters
    ----------
    path
        A line per video; or a CSV with the columns ``id`` and ``split`` (or ``subset``), as our splits are.
    subset
        Which subset of it, of several folds as ``0/test``; None: every video listed. It is read as
        ``scrubin splits check`` reads it: ``Test`` is ``test``.

    Raises
    ------
    MetricsError
        When the file cannot be read, has no such subset, or has subsets and none is named.
    """
    data, unreadable = csv_text.data_of(path, str(path))
    MetricsError.raise_any(replace(fault, fix=_EXPECTED) if fault.rule == "file-missing" else fault for fault in unreadable)
    cells = csv_text.grid(str(path), data)
    MetricsError.raise_any(cells.faults)
    header = {cell.strip().casefold() for cell in cells.lines[0].cells}
    if header.isdisjoint({ID, *SUBSETS}):
        return _listed(cells, subset)
    return _of_split(csv_text.sheet_of(cells), subset)


def _listed(cells: csv_text.Grid, subset: str | None) -> dict[str, int]:
    """Return the names of a list without header."""
    faults = Faults()
    if subset is not None:
        faults.extend([_without_subsets(cells.file, subset)])
    for line in cells.lines:
        if not line.cells[0].strip() or any(cell.strip() for cell in line.cells[1:]):
            what = f"expected the name of a video, but got {len(line.cells)} cells"
            fix = "write one name per line, or a header with the columns id and split"
            faults.error(cells.file, "layout", what, fix, place=f"line {line.number}")
    MetricsError.raise_any(faults)
    return {line.cells[0].strip(): line.number for line in cells.lines}


def _of_split(sheet: csv_text.Sheet, subset: str | None) -> dict[str, int]:
    """Return the names of one subset; without a column of subsets those of all rows."""
    faults = Faults()
    faults.extend(sheet.faults)
    columns = {name.casefold(): name for name in reversed(sheet.columns)}
    if ID not in columns:
        faults.extend(csv_text.missing_columns(sheet.file, f"line {sheet.header_line}", sheet.columns, (ID,)))
    of_subset = next((columns[name] for name in SUBSETS if name in columns), None)
    if subset is not None and of_subset is None:
        faults.extend([_without_subsets(sheet.file, subset)])
    MetricsError.raise_any(faults)
    by_subset: dict[str, dict[str, int]] = {}
    for row in sheet.rows:
        name = row.cells[columns[ID]]
        if not name:
            faults.error(
                sheet.file, "cell-empty", f"the cell '{columns[ID]}' is empty", "name the video, or remove the row", place=row.place
            )
        fold = split_sheet.fold(row.cells[columns[FOLD]]) if FOLD in columns else None
        named = split_sheet.subset(row.cells[of_subset]) if of_subset is not None else None
        by_subset.setdefault("/".join(part for part in (fold, named) if part is not None), {})[name] = row.line
    MetricsError.raise_any(faults)
    names = ", ".join(sorted(by_subset))
    if subset is None and len(by_subset) > 1:
        raise MetricsError([error(sheet.file, "subset", f"lists the subsets {names}", "name one by --subset")])
    wanted = list(by_subset) if subset is None else [name for name in _meant(subset, has_folds=FOLD in columns) if name in by_subset]
    videos = {name: line for one in wanted for name, line in by_subset[one].items()}
    if not videos:
        what = "no video is listed" + (f" in the subset '{subset}'" if subset is not None else "")
        raise MetricsError([error(sheet.file, "subset", what, f"there are {names}" if subset is not None and names else _EXPECTED)])
    return videos


def _meant(asked: str, *, has_folds: bool) -> list[str]:
    """Return the subsets that a name may mean; a fold and a subset may both be written with a slash, as in ``train/val``.

    >>> _meant("Validation", has_folds=False), _meant("01/Test", has_folds=True)
    (['val'], ['1/test'])
    """
    if not has_folds:
        return [split_sheet.subset(asked)]
    parts = asked.split("/")
    cuts = [("/".join(parts[:at]), "/".join(parts[at:])) for at in range(1, len(parts))]
    return [f"{split_sheet.fold(fold)}/{split_sheet.subset(name)}" for fold, name in cuts]


def _without_subsets(file: str, subset: str) -> Fault:
    return error(
        file,
        "column-missing",
        f"there is no column 'split', so no subset '{subset}'",
        "leave --subset out, or give a split: a CSV with the columns 'id' and 'split'",
    )
