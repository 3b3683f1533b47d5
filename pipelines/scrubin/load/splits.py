"""The subsets of a release by name: ``balanced/train``, or ``five_folds/2/test`` where a scheme has several folds."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pandas as pd
import pyarrow as pa
from pyarrow import csv

from scrubin.core import strangers
from scrubin.core.suggest import hint
from scrubin.load.damage import damaged
from scrubin.load.tables import ReleasedTables

FOLDER = "splits"
Key = tuple[str, int, str]


class ReleasedSplits:
    """Which recordings each subset has.

    Parameters
    ----------
    folder
        The release folder.
    tables
        Its tables.

    Raises
    ------
    ReleaseError
        When a recording is in two subsets of one fold, or ``splits/*.csv`` say other than the table.
    """

    def __init__(self, folder: Path, tables: ReleasedTables) -> None:
        self._folder = folder
        rows = tables.columns("splits", ["scheme", "fold", "subset", "id"])
        for scheme, of_scheme in rows.groupby("scheme", sort=True):
            self._refuse_other_sheet(str(scheme), of_scheme)
        grouped = rows.groupby(["scheme", "fold", "subset"], sort=True)["id"]
        self._ids: dict[Key, frozenset[str]] = {(str(s), int(str(f)), str(n)): frozenset(ids) for (s, f, n), ids in grouped}
        self._folds: dict[str, list[int]] = {}
        for scheme, fold, _ in self._ids:
            if fold not in self._folds.setdefault(scheme, []):
                self._folds[scheme].append(fold)

    @property
    def names(self) -> tuple[str, ...]:
        """All names, sorted by scheme, fold and subset."""
        return tuple(f"{s}/{f}/{n}" if len(self._folds[s]) > 1 else f"{s}/{n}" for s, f, n in self._ids)

    def ids(self, name: str) -> frozenset[str]:
        """Return the ids of the recordings of a subset."""
        return self._ids[self.key(name)]

    def has_several_folds(self, scheme: str) -> bool:
        """Return whether the names of a scheme have a fold."""
        return len(self._folds[scheme]) > 1

    def key(self, name: str) -> Key:
        """Return scheme, fold and subset of a name.

        Raises
        ------
        ValueError
            For a name that there is not, with the nearest one and all.
        """
        parts = name.split("/")
        folds = self._folds.get(parts[0], [])
        if len(parts) == 2 and len(folds) == 1:
            parts.insert(1, str(folds[0]))
        key = (parts[0], int(parts[1]), parts[2]) if len(parts) == 3 and parts[1].isdecimal() else None
        if key is not None and key in self._ids:
            return key
        if len(parts) == 2 and len(folds) > 1 and (parts[0], folds[0], parts[1]) in self._ids:
            one = f"{parts[0]}/{folds[0]}/{parts[1]}"
            msg = f"'{name}': the scheme '{parts[0]}' has the folds {', '.join(map(str, folds))}; name one, such as '{one}'"
            raise ValueError(msg)
        all_names = self.names
        known = f"; known are {', '.join(all_names)}" if (near := hint(name, all_names)).startswith("did") else ""
        msg = f"there is no split '{name}': {near}{known}" if all_names else f"there is no split '{name}': the release has none"
        raise ValueError(msg)

    def _refuse_other_sheet(self, scheme: str, rows: pd.DataFrame) -> None:
        """Hold the CSV of a scheme, if it is there, to the table."""
        name = f"{FOLDER}/{scheme}.csv"
        path = self._folder / name
        if not path.is_file():
            return  # somebody got only the tables
        try:
            text = csv.ConvertOptions(column_types=dict.fromkeys(("fold", "id", "subset"), pa.string()))
            sheet = csv.read_csv(pa.BufferReader(strangers.read_bytes(path, inside=self._folder)), convert_options=text).to_pydict()
        except (OSError, pa.ArrowException) as error:
            raise damaged(self._folder, f"{name} cannot be read as CSV ({str(error).splitlines()[0]})") from error
        if not {"id", "subset"} <= set(sheet):
            raise damaged(self._folder, f"{name} has no column 'id' or no column 'subset'")
        folds = sheet.get("fold", ["0"] * len(sheet["id"]))
        in_sheet = Counter(zip(folds, sheet["id"], sheet["subset"], strict=True))
        single = "fold" not in sheet and len(set(rows["fold"])) == 1
        in_table = Counter(zip(["0"] * len(rows) if single else rows["fold"].astype(str), rows["id"], rows["subset"], strict=True))
        if in_sheet != in_table:
            fold, id_, subset = min((in_sheet - in_table) + (in_table - in_sheet))
            where = "only in the CSV" if (fold, id_, subset) in in_sheet else "only in the table"
            raise damaged(self._folder, f"{name} and tables/splits.parquet differ: {id_} in '{subset}' (fold {fold}) stands {where}")
