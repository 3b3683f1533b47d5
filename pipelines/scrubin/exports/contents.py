"""What is exported: the recordings of a release, and the rows of each frame with all labels that it has.

A frame that nobody labelled has null where its labels would be; one labelled as "no instrument" has an empty list. Hidden frames
are black and dropped ones have no picture: both are left out and counted. Boxes were drawn in the picture of one camera; frames of
the other camera of a pair have the same labels without boxes.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from scrubin.core import unpacking
from scrubin.core.errors import ReleaseError
from scrubin.frames.reading import picture
from scrubin.load.release import Release
from scrubin.tables import io
from scrubin.tables.cameras import of_reference_camera

FRAME_COLUMNS = ("id", "camera", "frame", "source_frame", "time_s", "width", "height")
INSTANCE_COLUMNS = (
    "instance",
    *("instrument", "instrument_id", "verb", "verb_id", "target", "target_id", "triplet", "triplet_id"),
    *("x", "y", "w", "h", "score"),
)
BOX = ("x", "y", "w", "h")
LABEL_COLUMNS = ("phase", "phase_id", "phase_vocabulary", "instances", "instances_vocabulary", "instances_detail")
HIDDEN, DROPPED = "hidden frames, which are black", "dropped frames, which have no picture"
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
        self._opened = Release(release, errata="ignore")
        self._opened.splits  # noqa: B018 - a recording in two subsets, or lists that differ, is an error before anything is written

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
        phases, instances = self._phases(id_), self._instances(id_)
        kept = own[own["path"].notna() & ~own["redacted"]]
        for path, seen, row in zip(kept["path"], kept["of_labels"], io.records(kept[list(FRAME_COLUMNS)]), strict=True):
            labels = dict.fromkeys(LABEL_COLUMNS) | phases.get(row["frame"], {}) | instances.get(row["frame"], {})
            if labels["instances"] and not seen:
                labels["instances"] = [one | dict.fromkeys(BOX) for one in labels["instances"]]
            yield Frame({"task": self.tasks[id_]} | row | labels, path)

    def source_frames(self, id_: str, camera: str) -> frozenset[int]:
        """Return the numbers in the video of the frames of a camera that were extracted."""
        own = self._frames_of.get(id_, self._frames.iloc[:0])
        return frozenset(own.loc[own["camera"] == camera, "source_frame"].tolist())

    def picture(self, frame: Frame) -> bytes:
        """Return the bytes of a frame's file, as they are in the release."""
        return picture(self.release, frame.path)

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

    @cached_property
    def _frames(self) -> pd.DataFrame:
        frames = self.table("frames").sort_values(["id", "camera", "frame"], ignore_index=True)
        return frames.assign(of_labels=frames.index.isin(of_reference_camera(frames).index))

    @cached_property
    def _frames_of(self) -> Mapping[str, pd.DataFrame]:
        return {str(id_): own for id_, own in self._frames.groupby("id")}

    @cached_property
    def _rows_of(self) -> Mapping[str, Mapping[str, pd.DataFrame]]:
        tables = {name: self.table(name) for name in ("labelled", "triplets", "phases")}
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
        looked_at = io.records(labelled[labelled["layer"] == "instances"])
        of_frame: dict[int, Row] = {
            row["frame"]: {"instances": [], "instances_vocabulary": row["vocabulary"], "instances_detail": row["detail"]}
            for row in looked_at
        }
        for row in [] if triplets is None else io.records(triplets.sort_values(["frame", "instance"])):
            if row["frame"] not in of_frame:
                msg = f"{self.release}/tables: {id_}, frame {row['frame']} has a row in 'triplets', but is not in 'labelled'"
                raise ReleaseError(msg)
            of_frame[row["frame"]]["instances"].append({name: row[name] for name in INSTANCE_COLUMNS})
        return of_frame
