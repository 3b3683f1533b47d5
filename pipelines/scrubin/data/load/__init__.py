"""The tables of a release as its users read them, each when it is first asked for, with the subsets that they name."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

import pandas as pd
import pyarrow as pa
from pyarrow import csv

from scrubin.base import strangers, unpacking
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import hint
from scrubin.base.tables import Table
from scrubin.base.tables.public import public_tables
from scrubin.data.load.place import InFolder, Place


def damaged(folder: Path, says: str) -> ReleaseError:
    """Return the error of a release of which something is missing or was changed.

    Parameters
    ----------
    folder
        The release folder.
    says
        File and fault, without a full stop.
    """
    return ReleaseError(f"{folder}: {says}, so something was changed or is not whole; run 'scrubin verify {folder}'")


TABLES_FOLDER = "tables"


class ReleasedTables(Mapping[str, pd.DataFrame]):
    """All tables of a release by name, as data frames in the order of their keys.

    Columns that this version of Scrub-in does not know stay: a newer release may have some.

    Parameters
    ----------
    place
        Where the release lies, or its folder.
    """

    def __init__(self, place: Place | Path) -> None:
        self.place = InFolder(place) if isinstance(place, Path) else place
        self.folder = self.place.folder
        self._read: dict[str, pd.DataFrame] = {}
        self._declared = public_tables(())
        self._names = _stems(self.place)

    def __getitem__(self, name: str) -> pd.DataFrame:
        """Return a table; changing it changes nobody else's.

        Raises
        ------
        KeyError
            When the release has no such table.
        ReleaseError
            When the file cannot be read or breaks the declaration.
        """
        if name not in self._read:
            if name not in self._names:
                raise KeyError(f"the release has no table '{name}': {hint(name, self._names)}")
            self._read[name] = self._checked(name, None)
        return self._read[name].copy(deep=False)

    def __iter__(self) -> Iterator[str]:
        """Yield the names, sorted."""
        return iter(self._names)

    def __len__(self) -> int:
        """Return the number of tables."""
        return len(self._names)

    def __repr__(self) -> str:
        return f"ReleasedTables({', '.join(self._names)})"

    def whole(self, name: str) -> pd.DataFrame:
        """Return a table that every release has.

        Raises
        ------
        ReleaseError
            When the file is not there, cannot be read or breaks the declaration.
        """
        self._require(name)
        return self[name]

    def _require(self, name: str) -> None:
        if name not in self._names:
            raise damaged(self.folder, f"{TABLES_FOLDER}/{name}.parquet is missing")

    def columns(self, name: str, columns: Sequence[str]) -> pd.DataFrame:
        """Return some columns of a table, which must be there; a table that was not read yet is read no further than that.

        Raises
        ------
        ReleaseError
            When the file is not there, cannot be read or breaks the declaration.
        """
        self._require(name)
        if name not in self._read:
            return self._checked(name, columns)
        return self._read[name][list(columns)].copy(deep=False)

    def _checked(self, name: str, columns: Sequence[str] | None) -> pd.DataFrame:
        path = f"{TABLES_FOLDER}/{name}.parquet"
        table = self._declared.get(name)
        wanted = columns if columns is not None else table.column_names if table else ()
        self.place.hold(path)
        try:
            names = unpacking.parquet_schema(self.folder / path, inside=self.folder).names
            if len(set(names)) < len(names):
                raise damaged(self.folder, f"{path} has a column twice")
            missing = sorted(set(wanted) - set(names))
            if missing:
                raise damaged(self.folder, f"{path} has no column {', '.join(missing)}")
            arrow = unpacking.parquet(self.folder / path, path, columns, inside=self.folder)
        except OSError as error:
            raise damaged(self.folder, f"{path} cannot be read as parquet ({str(error).splitlines()[0]})") from error
        frame = pd.DataFrame({column: _values(arrow.column(column)) for column in arrow.column_names})
        if table is not None:
            self._hold(path, table, frame)
        return frame

    def _hold(self, path: str, table: Table, frame: pd.DataFrame) -> None:
        for column in table.columns:
            if column.name in frame and column.dtype not in str(frame[column.name].dtype).lower():
                raise damaged(self.folder, f"{path} has no {column.dtype} in column {column.name}")
            if column.name in frame and not column.nullable and frame[column.name].isna().any():
                raise damaged(self.folder, f"{path} misses values in column {column.name}")
        twice = frame[frame.duplicated(list(table.key), keep=False)] if set(table.key) <= set(frame) else frame[:0]
        if len(twice):
            row = twice.iloc[0]
            same = twice[(twice[list(table.key)] == row[list(table.key)]).all(axis=1)].drop(columns=list(table.key))
            others = [f"{name} {' and '.join(map(str, same[name]))}" for name in same if len(set(same[name])) > 1]
            key = ", ".join(f"{name} {row[name]}" for name in table.key)
            raise damaged(self.folder, f"{path} has {len(same)} rows of {key}" + (f": {', '.join(others)}" if others else ""))


def _stems(place: Place) -> list[str]:
    paths = map(PurePosixPath, place.names(f"{TABLES_FOLDER}/"))
    return sorted(path.stem for path in paths if path.suffix == ".parquet" and path.parent.name == TABLES_FOLDER)


def _values(column: pa.ChunkedArray) -> pd.Series:
    """Return a column in pandas; numbers and truth values with gaps stay what they are."""
    nullable = {pa.int64(): pd.Int64Dtype(), pa.bool_(): pd.BooleanDtype()} if column.null_count else {}
    values: pd.Series = column.to_pandas(types_mapper=nullable.get)
    # Where every text is missing, pandas does not know that they are texts.
    return values.astype("str") if pa.types.is_string(column.type) else values


SPLITS_FOLDER = "splits"
Key = tuple[str, int, str]


class ReleasedSplits:
    """Which recordings each subset has.

    Parameters
    ----------
    tables
        The tables of the release.

    Raises
    ------
    ReleaseError
        When a recording is in two subsets of one fold, or ``splits/*.csv`` say other than the table.
    """

    def __init__(self, tables: ReleasedTables) -> None:
        self._place, self._folder = tables.place, tables.folder
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
            raise ValueError(f"'{name}': the scheme '{parts[0]}' has the folds {', '.join(map(str, folds))}; name one, such as '{one}'")
        all_names = self.names
        known = f" (known are {', '.join(all_names)})" if (near := hint(name, all_names)).startswith("did") else ""
        raise ValueError(f"there is no split '{name}': {near}{known}" if all_names else f"there is no split '{name}': the release has none")

    def _refuse_other_sheet(self, scheme: str, rows: pd.DataFrame) -> None:
        """Hold the CSV of a scheme, if it is there, to the table."""
        name = f"{SPLITS_FOLDER}/{scheme}.csv"
        self._place.hold(name)
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


GROUND_TRUTH_FOLDER = "groundtruth"
LIST = "files.json"


@dataclass(frozen=True)
class GroundTruth:
    """Where the ground truth of a subset lies.

    Parameters
    ----------
    folder
        What the subset has in one file: recognition and boxes per vocabulary, sheets of skill and errors.
    files
        Per recording the files of its own, such as ``cholect50/phases/<id>.csv``; whole paths, sorted.
    score_arguments
        What ``scrubin score METRIC`` is given, for any metric, beside ``--predictions``.
    """

    folder: Path
    files: Mapping[str, tuple[Path, ...]]
    score_arguments: tuple[str, ...]


def of_split(release: Path, key: Key, ids: frozenset[str], *, several_folds: bool) -> GroundTruth:
    """Return the ground truth of a subset.

    Raises
    ------
    ReleaseError
        When it is not there, or is of other recordings.
    """
    scheme, fold, subset = key
    inside = f"{GROUND_TRUTH_FOLDER}/splits/{scheme}/{fold}/{subset}"
    try:
        recordings = strangers.read_json(release / inside / LIST, inside=release)["recordings"]
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise damaged(release, f"{inside}/{LIST} cannot be read ({error})") from error
    if set(recordings) != ids:
        strange = min(set(recordings) ^ ids)
        raise damaged(release, f"{inside}/{LIST} and tables/splits.parquet differ in '{strange}'")
    files = {id_: tuple(sorted(release / GROUND_TRUTH_FOLDER / name for name in one["files"])) for id_, one in sorted(recordings.items())}
    videos = ("--videos", str(release / SPLITS_FOLDER / f"{scheme}.csv"), "--subset", f"{fold}/{subset}" if several_folds else subset)
    return GroundTruth(release / inside, files, ("--ground-truth", str(release), *videos))
