"""Files of masks, points, tracks and marks: per vocabulary, per recording, for all or for a subset; nothing where none is labelled."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pandas as pd

from scrubin.base import files
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels.truth import detection, judgements, objects
from scrubin.labels.truth.judgements import Judgements
from scrubin.labels.truth.objects import Objects
from scrubin.stages.groundtruth import Stamps, Subset, compact, write_sidecar

MASKS, POINTS, TRACKS, MARKS = "masks", "points", "tracks", "marks"


@dataclass
class ObjectFiles:
    """What was written.

    Parameters
    ----------
    wholes
        COCO data sets of all recordings, by vocabulary and kind.
    vocabularies
        The vocabularies, by name.
    names
        By recording its own files, relative to the ground truth.
    counts
        By recording what of it can be scored.
    """

    wholes: dict[tuple[str, str], Mapping[str, Any]] = field(default_factory=dict)
    vocabularies: dict[str, Vocabulary] = field(default_factory=dict)
    names: dict[str, list[str]] = field(default_factory=dict)
    counts: dict[str, dict[str, Any]] = field(default_factory=dict)

    def add(self, id_: str, names: Iterable[str]) -> None:
        """Add files of a recording."""
        self.names.setdefault(id_, []).extend(names)

    def count(self, id_: str, **numbers: int) -> None:
        """Add numbers of frames of a recording; what is 0 is no kind of label there."""
        self.counts.setdefault(id_, {}).update({name: number for name, number in numbers.items() if number})


def write(folder: Path, stamps: Stamps, every: Sequence[Objects], judged: Sequence[Judgements], images: pd.DataFrame) -> ObjectFiles:
    """Write the files of all recordings.

    Parameters
    ----------
    folder
        The ground truth.
    every
        Recordings with masks, points or tracks, sorted by id.
    judged
        Recordings with marks, sorted by id.
    images
        Extracted frames, as `scrubin.stages.groundtruth.writing.images` returns them.
    """
    first = images.drop_duplicates("id")
    sizes = dict(zip(first["id"].tolist(), zip(first["width"].tolist(), first["height"].tolist(), strict=True), strict=True))
    written = ObjectFiles(vocabularies={one.vocabulary.name: one.vocabulary for one in every})
    for name, vocabulary in sorted(written.vocabularies.items()):
        own = [one for one in every if one.vocabulary.name == name]
        for kind, coco_of in ((MASKS, objects.masks_coco), (POINTS, objects.points_coco)):
            document = coco_of(vocabulary, own, images)
            if document is not None:
                written.wholes[name, kind] = document
        for one in own:
            _write_tracks(folder, name, one, sizes, written)
        if (folder / name / TRACKS).is_dir():
            write_sidecar(folder / name / TRACKS, stamps.of(TRACKS, vocabulary))
    _write_wholes(folder, stamps, written, written.wholes)
    for of_marks in judged:
        path = f"{MARKS}/{of_marks.id}.csv"
        files.write_text(folder / path, judgements.sheet(of_marks))
        written.add(of_marks.id, [path])
        written.count(of_marks.id, mark_frames=len(of_marks.frames), mark_frames_left_out=of_marks.dropped_frames)
    if judged:
        write_sidecar(folder / MARKS, stamps.of(MARKS, None))
    return written


def write_subset(folder: Path, stamps: Stamps, every: ObjectFiles, subset: Subset, ids: Set[str]) -> None:
    """Write masks and points of the recordings of a subset, into its folder; what is of one recording is listed there, and not repeated."""
    parts = {key: detection.only(document, ids) for key, document in every.wholes.items()}
    _write_wholes(folder, stamps, every, {key: part for key, part in parts.items() if part["images"]}, subset=subset)


def _write_tracks(folder: Path, name: str, one: Objects, sizes: Mapping[str, tuple[float, float]], written: ObjectFiles) -> None:
    width, height = sizes.get(one.id, (1, 1))
    for kind in one.kinds():
        texts = objects.track_files(one, kind, (int(width), int(height)))
        for file, text in texts.items():
            files.write_text(folder / name / TRACKS / kind / file, text)
        written.add(one.id, [f"{name}/{TRACKS}/{kind}/{file}" for file in texts])
    tracked = {frame for kind in one.kinds() for frame in one.tracked(kind)}
    written.count(one.id, mask_frames=len(one.masked()), point_frames=len(one.pointed()), track_frames=len(tracked))


def _write_wholes(
    folder: Path, stamps: Stamps, every: ObjectFiles, wholes: Mapping[tuple[str, str], Mapping[str, Any]], **subset: Any
) -> None:
    for (name, kind), document in wholes.items():
        vocabulary = every.vocabularies[name]
        stamp = stamps.of(kind, vocabulary, **subset)
        info = {"description": stamp["definition"], "version": vocabulary.version, "stamp": stamp}
        files.write_text(folder / name / f"{kind}.json", compact({"info": info, **document}))
