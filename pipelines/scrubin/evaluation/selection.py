"""Which videos count: a list of names, or one subset of a split."""

from __future__ import annotations

import csv
from pathlib import Path

from scrubin.errors import MetricsError
from scrubin.labels import documents


def read(path: Path, subset: str | None) -> dict[str, int]:
    """Return the names of the videos that count, with their lines.

    Parameters
    ----------
    path
        A line per video; with a header ``id`` and a column ``split`` (or ``subset``) as in our splits, separated by ; or , .
    subset
        Which subset of it, of several folds as ``0/test``; None: every video listed.

    Raises
    ------
    MetricsError
        When the file cannot be read, has no such subset, or has subsets and none is named.
    """
    if not path.is_file():
        msg = f"{path}: there is no such file; give a list of videos or a split"
        raise MetricsError(msg)
    lines = documents.text(path.name, path.read_bytes()).splitlines()
    sign = next((sign for sign in (";", ",", "\t") if any(sign in line for line in lines[:1])), None)
    rows = [[cell.strip() for cell in row] for row in csv.reader(lines, delimiter=sign or ";") if any(cell.strip() for cell in row)]
    header = [cell.casefold() for cell in rows[0]] if rows else []
    has_header = "id" in header
    subset_at = next((header.index(name) for name in ("split", "subset") if name in header), None)
    if subset is not None and subset_at is None:
        msg = f"{path}: there is no column 'split', so no subset '{subset}'; leave --subset out, or give a split"
        raise MetricsError(msg)
    id_at, fold_at = header.index("id") if has_header else 0, header.index("fold") if "fold" in header else None
    found: dict[str, int] = {}
    subsets = set()
    for number, row in enumerate(rows[has_header:], start=1 + has_header):
        if len(row) < len(header) and has_header:
            msg = f"{path}, line {number}: {len(row)} cells for {len(header)} columns; give one per column"
            raise MetricsError(msg)
        of = "/".join(row[at] for at in (fold_at, subset_at) if at is not None)
        subsets.add(of)
        if subset in (None, of):
            found[row[id_at]] = number
    if subset is None and len(subsets) > 1:
        msg = f"{path}: lists the subsets {', '.join(sorted(subsets))}; name one by --subset"
        raise MetricsError(msg)
    if not found:
        msg = f"{path}: no video is listed" + (f" in the subset '{subset}'; there are {', '.join(sorted(subsets))}" if subset else "")
        raise MetricsError(msg)
    return found
