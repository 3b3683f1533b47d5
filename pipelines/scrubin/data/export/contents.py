"""What is exported: the recordings of a release, alone or in groups, with the rows of each frame.

Files hold one group each, and a subset is a list of files: pictures are written once, however many schemes there are.

A frame that nobody labelled has null where its labels would be; one labelled as "no instrument" has an empty list. Hidden frames
are black and dropped ones have no picture: both are left out and counted. Boxes were drawn in the picture of one camera; frames of
the other camera of a pair have the same labels without boxes, masks and points.
"""

from __future__ import annotations

import hashlib
import re
import shutil
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from scrubin.base import file_lists, pixels, strangers, unpacking
from scrubin.base.errors import ReleaseError
from scrubin.base.faults import printable
from scrubin.base.files import sha256_of
from scrubin.base.tables import io
from scrubin.base.tables.public import of_reference_camera
from scrubin.data.load import damaged
from scrubin.data.load.release import Release
from scrubin.data.load.sources import decoded
from scrubin.media.released.frame_files import SHARD, picture
from scrubin.media.rigs.written_rig import FOLDER

ALL, EVERYTHING = "all", "full"
"""Where all recordings are, and its only subset."""


@dataclass(frozen=True, order=True)
class Subset:
    """One subset of one fold of a scheme."""

    scheme: str
    fold: int
    name: str


@dataclass(frozen=True)
class Group:
    """Recordings that are in the same subsets.

    Parameters
    ----------
    name
        Of its files, such as ``group-003``.
    ids
        Its recordings, sorted.
    subsets
        Where they are.
    """

    name: str
    ids: tuple[str, ...]
    subsets: frozenset[Subset]


def groups(ids: Sequence[str], splits: pd.DataFrame) -> list[Group]:
    """Return the groups of all recordings, numbered in the order of their first recording."""
    of_id: dict[str, set[Subset]] = {id_: set() for id_ in sorted(ids)}
    for scheme, fold, subset, id_ in zip(splits["scheme"], splits["fold"], splits["subset"], splits["id"], strict=True):
        if id_ in of_id:
            of_id[id_].add(Subset(str(scheme), int(fold), str(subset)))
    together: dict[frozenset[Subset], list[str]] = {}
    for id_, subsets in of_id.items():
        together.setdefault(frozenset(subsets), []).append(id_)
    return [Group(f"group-{number:03d}", tuple(own), subsets) for number, (subsets, own) in enumerate(together.items())]


def folds(every: Sequence[Group]) -> Mapping[str, Mapping[str, list[Group]]]:
    """Return the groups of each subset, by fold: ``balanced``, or ``five_folds_2`` where a scheme has several folds; ``all`` is everything.

    Raises
    ------
    ReleaseError
        When two folds would have the same name.
    """
    subsets = sorted({subset for group in every for subset in group.subsets})
    numbers: dict[str, set[int]] = {}
    for subset in subsets:
        numbers.setdefault(subset.scheme, set()).add(subset.fold)
    named: dict[str, dict[str, list[Group]]] = {}
    owners: dict[str, tuple[str, int]] = {}
    for subset in subsets:
        name = f"{subset.scheme}_{subset.fold}" if len(numbers[subset.scheme]) > 1 else subset.scheme
        if owners.setdefault(name, (subset.scheme, subset.fold)) != (subset.scheme, subset.fold) or name == ALL:
            raise ReleaseError(f"two splits of the release would be called '{name}' in the export; rename one of them")
        named.setdefault(name, {})[subset.name] = [group for group in every if subset in group.subsets]
    return named | {ALL: {EVERYTHING: list(every)}}


FRAME_COLUMNS = ("id", "camera", "frame", "source_frame", "time_s", "width", "height")
INSTANCE_COLUMNS = (
    "instance",
    *("instrument", "instrument_id", "verb", "verb_id", "target", "target_id", "triplet", "triplet_id"),
    *("x", "y", "w", "h", "score"),
)
BOX = ("x", "y", "w", "h")
DETAILS: Mapping[str, tuple[str, ...]] = {
    "masks": ("width", "height", "counts"),
    "points": ("point", "x", "y", "visibility"),
    "tracks": ("kind", "track"),
}
"""Columns that an instance has beside its own, by table: one mask, several points and tracks."""
MARK_COLUMNS = ("mark", "rater", "value")
OF_ONE_CAMERA = (*BOX, "mask", "points")
"""What was drawn in the picture of one camera."""
LABEL_COLUMNS = ("phase", "phase_id", "phase_vocabulary", "instances", "instances_vocabulary", "instances_detail", "marks")
NO_DETAILS: dict[str, Any] = {"mask": None, "points": None, "tracks": None}
HIDDEN, DROPPED = "hidden frames, which are black", "dropped frames, which have no picture"
PLAIN_NAME = re.compile(r"(?!\.)[^/\\\x00-\x1f\x7f\ud800-\udfff]{1,200}")
Row = dict[str, Any]


@dataclass(frozen=True)
class Frame:
    """One frame: its row, and the path of its picture in the release."""

    row: Row
    path: str


class Contents:
    """A release as it is exported.

    Parameters
    ----------
    release
        The release folder.

    Raises
    ------
    ReleaseError
        When it is none, or its tables cannot be read.
    """

    def __init__(self, release: Path) -> None:
        self.release = release
        self._sha256 = _listed(release)
        self._proven: set[str] = set()
        for path in sorted((release / "tables").glob("*.parquet")):
            self.stated(f"tables/{path.name}")
        self._opened = Release(release, errata="ignore")
        self._opened.splits  # noqa: B018 - a recording in two subsets, or lists that differ, is an error before anything is written

        self._refuse_names()

    def stated(self, name: str) -> Path:
        """Return where a file lies, once it is proven to be the one that the release lists; a list without a line proves nothing.

        Parameters
        ----------
        name
            Relative to the release.

        Raises
        ------
        ReleaseError
            When it is missing, leads out of the release, is not listed, or has other bytes.
        """
        try:
            path = strangers.refuse_unless_plain(self.release / name, inside=self.release)
            if name not in self._proven:
                self._refuse_other(name, sha256_of(path))
        except OSError as error:
            raise damaged(self.release, f"{name}: it cannot be read ({error.strerror or error})") from error
        self._proven.add(name)
        return path

    def table(self, name: str) -> pd.DataFrame:
        """Return a public table as the release has it; an empty one when the release has none."""
        return self._opened.tables[name] if name in self._opened.tables else pd.DataFrame()

    @property
    def metadata(self) -> Mapping[str, Any]:
        """What the release says of itself for machines."""
        return self._opened.metadata

    @cached_property
    def known_errors(self) -> Sequence[str]:
        """The known errors of this version, one sentence each."""
        sentences = []
        for one in self._opened.errata:
            where = ", ".join(map(str, one.get("recordings") or ())) or "all recordings"
            says = [str(one[key]) for key in ("what", "advice") if one.get(key)]
            sentences.append(f"{one.get('id', '')} ({one.get('severity', 'error')}), {where}: {' '.join(says)}")
        return sentences

    @cached_property
    def videos(self) -> pd.DataFrame:
        """The table ``videos``, sorted by id and camera."""
        return self.table("videos").sort_values(["id", "camera"], ignore_index=True)

    @cached_property
    def tasks(self) -> Mapping[str, str]:
        """The task of every recording, sorted by id."""
        return dict(sorted(zip(self.videos["id"], self.videos["task"], strict=True)))

    @cached_property
    def splits(self) -> pd.DataFrame:
        """The table ``splits``; without rows when the release has none."""
        table = self.table("splits")
        return table if len(table) else pd.DataFrame({name: [] for name in ("scheme", "fold", "subset", "id")})

    @cached_property
    def left_out(self) -> Mapping[str, int]:
        """How many frames are not exported, by reason."""
        frames = self._frames
        dropped = frames["path"].isna()
        counts = {HIDDEN: int((frames["redacted"] & ~dropped).sum()), DROPPED: int(dropped.sum())}
        return {reason: count for reason, count in counts.items() if count}

    def frames(self, id_: str) -> Iterator[Frame]:
        """Yield the frames of a recording with their labels, by camera and number."""
        own = self._frames_of.get(id_, self._frames.iloc[:0])
        phases, instances, marks = self._phases(id_), self._instances(id_), self._marks(id_)
        kept = own[own["path"].notna() & ~own["redacted"]]
        for path, seen, row in zip(kept["path"], kept["of_labels"], io.records(kept[list(FRAME_COLUMNS)]), strict=True):
            labels = (
                dict.fromkeys(LABEL_COLUMNS) | phases.get(row["frame"], {}) | instances.get(row["frame"], {}) | marks.get(row["frame"], {})
            )
            if labels["instances"] and not seen:
                labels["instances"] = [one | dict.fromkeys(OF_ONE_CAMERA) for one in labels["instances"]]
            yield Frame({"task": self.tasks[id_]} | row | labels, path)

    def source_frames(self, id_: str, camera: str) -> frozenset[int]:
        """Return the numbers in the video of the frames of a camera that were extracted."""
        own = self._frames_of.get(id_, self._frames.iloc[:0])
        return frozenset(own.loc[own["camera"] == camera, "source_frame"].tolist())

    def picture(self, frame: Frame) -> bytes:
        """Return the bytes of a frame's file, as they are in the release: what it lists, and a picture of the size that it states.

        Raises
        ------
        ReleaseError
            When it is missing, not what the release lists, or no such picture.
        """
        shard, inside, _ = frame.path.partition(SHARD)
        if inside:
            self.stated(f"{shard}.tar")
        data = picture(self.release, frame.path)
        if not inside:
            self._refuse_other(frame.path, hashlib.sha256(data).hexdigest())
        try:
            pixels.refuse_huge_picture(data, frame.path)
            size = pixels.picture_size(data)
            with suppress(ImportError):  # without a decoder, the header has to do
                height, width = decoded(data).shape[:2]
                size = width, height
        except ValueError as error:
            raise damaged(self.release, f"{frame.path}: {error}") from error
        if size != (frame.row["width"], frame.row["height"]):
            stated = f"{frame.row['width']}x{frame.row['height']}"
            what = f"{frame.path}: it is {'x'.join(map(str, size or ()))}, but the table 'frames' says {stated}"
            raise damaged(self.release, what)
        return data

    def scores(self, ids: Sequence[str]) -> Iterator[Row]:
        """Yield a row per recording: the columns of the table ``skill``, and its errors; null where nobody rated it or marked errors."""
        errors: dict[str, list[Row]] = {}
        for row in io.records(self.table("errors")):
            errors.setdefault(row["id"], []).append({"error": row["error"], "occurred": row["occurred"]})
        skill = {row["id"]: row for row in io.records(self.table("skill"))}
        nothing = dict.fromkeys(self.score_columns)
        for id_ in ids:
            scores = {name: value for name, value in skill.get(id_, {}).items() if name in self.score_columns}
            yield {"id": id_, "task": self.tasks[id_]} | nothing | scores | {"errors": errors.get(id_)}

    @cached_property
    def score_columns(self) -> Mapping[str, pa.DataType]:
        """The columns of the table ``skill`` that say something of a recording, with their types."""
        path = self.release / "tables/skill.parquet"
        schema = unpacking.parquet_schema(path, inside=self.release) if path.is_file() else pa.schema([])
        return {field.name: field.type for field in schema if field.name not in ("id", "task")}

    def _refuse_other(self, name: str, sha256: str) -> None:
        if self._sha256 and self._sha256.get(name) != sha256:
            what = "it has other bytes than" if name in self._sha256 else "it is not listed in"
            raise damaged(self.release, f"{name}: {what} {file_lists.CHECKSUMS}")

    def _refuse_names(self) -> None:
        """Refuse names of which files of the export could not be called: they would lie elsewhere."""
        named = {"ids": self.tasks.keys(), "cameras": self.videos["camera"]}
        named |= {f"{one}s": self.splits[one].astype(str) for one in ("scheme", "subset")}
        for kind, names in named.items():
            wrong = sorted(name for name in set(names) if not PLAIN_NAME.fullmatch(name))
            if wrong:
                raise damaged(self.release, f"the tables have {kind} that no file can be called, such as {printable(repr(wrong[0]))}")

    @cached_property
    def _frames(self) -> pd.DataFrame:
        frames = self.table("frames").sort_values(["id", "camera", "frame"], ignore_index=True)
        return frames.assign(of_labels=frames.index.isin(of_reference_camera(frames).index))

    @cached_property
    def _frames_of(self) -> Mapping[str, pd.DataFrame]:
        return {str(id_): own for id_, own in self._frames.groupby("id")}

    @cached_property
    def _rows_of(self) -> Mapping[str, Mapping[str, pd.DataFrame]]:
        tables = {name: self.table(name) for name in ("labelled", "triplets", "phases", "marks", *DETAILS)}
        return {name: {str(id_): own for id_, own in table.groupby("id")} if len(table) else {} for name, table in tables.items()}

    def _phases(self, id_: str) -> Mapping[int, Row]:
        rows = self._rows_of["phases"].get(id_)
        of_table = [] if rows is None else io.records(rows)
        return {
            row["frame"]: {"phase": row["phase"], "phase_id": row["phase_id"], "phase_vocabulary": row["vocabulary"]} for row in of_table
        }

    def _instances(self, id_: str) -> Mapping[int, Row]:
        labelled, triplets = self._rows_of["labelled"].get(id_), self._rows_of["triplets"].get(id_)
        if labelled is None:
            return {}
        details = self._details(id_)
        looked_at = io.records(labelled[labelled["layer"] == "instances"])
        of_frame: dict[int, Row] = {
            row["frame"]: {"instances": [], "instances_vocabulary": row["vocabulary"], "instances_detail": row["detail"]}
            for row in looked_at
        }
        for row in [] if triplets is None else io.records(triplets.sort_values(["frame", "instance"])):
            if row["frame"] not in of_frame:
                raise ReleaseError(f"{self.release}/tables: {id_}, frame {row['frame']} has a row in 'triplets', but is not in 'labelled'")
            own = {name: row[name] for name in INSTANCE_COLUMNS}
            of_frame[row["frame"]]["instances"].append(own | details.get((row["frame"], row["instance"]), NO_DETAILS))
        return of_frame

    def _details(self, id_: str) -> Mapping[tuple[int, int], Row]:
        """Return mask, points and tracks of instances, by frame and instance; null where there are none."""
        found: dict[tuple[int, int], Row] = {}
        for table, columns in DETAILS.items():
            rows = self._rows_of[table].get(id_)
            for row in [] if rows is None else io.records(rows):
                own = found.setdefault((row["frame"], row["instance"]), NO_DETAILS.copy())
                values = {name: row[name] for name in columns}
                if table == "masks":
                    own["mask"] = values
                else:
                    own[table] = [*(own[table] or []), values]
        return found

    def _marks(self, id_: str) -> Mapping[int, Row]:
        labelled, marks = self._rows_of["labelled"].get(id_), self._rows_of["marks"].get(id_)
        if labelled is None:
            return {}
        of_frame: dict[int, Row] = {frame: {"marks": []} for frame in labelled.loc[labelled["layer"] == "marks", "frame"].tolist()}
        for row in [] if marks is None else io.records(marks):
            if row["frame"] not in of_frame:
                raise ReleaseError(f"{self.release}/tables: {id_}, frame {row['frame']} has a row in 'marks', but is not in 'labelled'")
            of_frame[row["frame"]]["marks"].append({name: row[name] for name in MARK_COLUMNS})
        return of_frame


def _listed(release: Path) -> Mapping[str, str]:
    try:
        return file_lists.read_checksums(strangers.read_text(release / file_lists.CHECKSUMS, inside=release))[0]
    except FileNotFoundError:
        return {}
    except OSError as error:
        raise damaged(release, f"{file_lists.CHECKSUMS} cannot be read ({error.strerror or error})") from error


def copy(contents: Contents, folder: Path) -> int:
    """Copy the calibrations of a release into an export, and return how many there are."""
    files = [contents.stated(f"{FOLDER}/{file.name}") for file in sorted((contents.release / FOLDER).glob("*.yaml"))]
    for file in files:
        target = folder / FOLDER / file.name
        target.parent.mkdir(exist_ok=True)
        shutil.copyfile(file, target)
    return len(files)
