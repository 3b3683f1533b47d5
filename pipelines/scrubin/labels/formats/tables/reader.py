"""Our own tables to labels and scores, and what the tables do not say, from ``labels.json``.

The table ``labelled`` says which frames somebody looked at; without it, those with rows. ``labels.json`` has the rate, the
size of the images and the names of vocabularies that no data file has; without it, there is 1 frame per second.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from scrubin.core.errors import AnnotationError
from scrubin.core.faults import Faults
from scrubin.labels import evidence
from scrubin.labels.formats.tables import labelled, names, notes
from scrubin.labels.formats.tables.files import declared, table_of
from scrubin.labels.formats.tables.notes import NOTES, Note, Notes
from scrubin.labels.model import (
    ERROR_COLUMNS,
    INSTANCE_COLUMNS,
    RATING_COLUMNS,
    SEGMENT_COLUMNS,
    Clock,
    Collection,
    Detail,
    LabelFiles,
    Labels,
    Layer,
    Scores,
    instance_rows,
    phase_rows,
    rating_rows,
    segment_rows,
)
from scrubin.labels.parse import documents
from scrubin.labels.parse.where import Where
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.tables import io
from scrubin.tables.declare import Table
from scrubin.tables.facts import FACTS
from scrubin.tables.labelled import LABELLED
from scrubin.tables.phases import PHASES
from scrubin.tables.segments import SEGMENTS
from scrubin.tables.spans import SPANS
from scrubin.tables.triplets import TRIPLETS
from scrubin.vocabulary.vocabulary import Vocabulary, known, load

NAMES = ("labelled", "triplets", "phases", "segments", "ratings", "skill", "errors", "facts")
OF_LABELS = (LABELLED, TRIPLETS, PHASES, SEGMENTS)


def _is_table(path: Path) -> bool:
    # labels.json and segments.csv are names that others have, too.
    if path.suffix.lower() == ".json":
        return evidence.keys("recordings")(path)
    return evidence.is_table(path, SPANS if path.stem == SPANS.name else declared(path.stem, []))


@dataset_format(
    "tables",
    pattern=rf"(?:{'|'.join((*NAMES, SPANS.name))})\.(?:parquet|csv)|{NOTES}",
    expected="labelled, triplets, phases, segments, ratings, skill, errors or facts, each .parquet or .csv, and labels.json",
    title="our own tables as parquet (or, written as tables-csv, CSV)",
    by_hand=ByHand(names_vocabulary=True, evidence=_is_table),
)
def read(source: LabelFiles) -> Collection:
    """Return what the tables of a folder say of the recordings without an error; all faults are in ``Collection.faults``.

    Raises
    ------
    AnnotationError
        With the first fault of every table that breaks its declaration.
    """
    faults = Faults()
    files: dict[str, str] = {}
    frames: dict[str, pd.DataFrame] = {}
    stated = Notes()
    for file, data in sorted(source.files.items()):
        table = PurePosixPath(file).stem
        if table == SPANS.name:
            continue  # of the triplets, and written anew
        if files.setdefault(table, file) != file:
            faults.error(
                file, "file-repeated", f"the same is also in {files[table]}", "keep one of them, or convert the folders one by one"
            )
        elif PurePosixPath(file).name == NOTES:
            stated = documents.opened(notes.read, file, data, faults) or stated
        else:
            frame = documents.opened(functools.partial(table_of, table=table), file, data, faults)
            frames |= {} if frame is None else {table: frame}
    AnnotationError.raise_any(faults)
    recordings = _recordings(files, frames, stated, faults)
    if LABELLED.name not in frames and any(one.instances is not None for one in recordings):
        what = "no table labelled says which frames somebody labelled; a frame without a row does not count"
        faults.warning(min(source.files), "labelled-unstated", what, "")
    if recordings and not stated.recordings:
        what = f"no {NOTES} says the rate; frames are read as 1 per second"
        faults.warning(min(source.files), "rate-unstated", what, "")
    return Collection(recordings, _scores(frames), faults.all())


def _recordings(files: Mapping[str, str], frames: Mapping[str, pd.DataFrame], stated: Notes, faults: Faults) -> tuple[Labels, ...]:
    rows_of = {table.name: _by_id(table, frames) for table in OF_LABELS}
    recordings = []
    for id_ in sorted({*(id_ for of_table in rows_of.values() for id_ in of_table), *stated.recordings}):
        of_recording = Faults()
        rows = {table.name: rows_of[table.name].get(id_, io.frame_of(table, [])) for table in OF_LABELS}
        note = stated.recordings.get(id_, Note())
        vocabulary = _vocabulary(Where(of_recording, "", id_), {files.get(name, ""): of for name, of in rows.items()}, note, stated)
        if vocabulary is not None:
            _check(files, rows, vocabulary, of_recording)
            if LABELLED.name in frames:
                labelled.check(files, rows, id_, of_recording)
            else:
                rows[LABELLED.name] = labelled.of_rows(id_, rows)
            if not of_recording.errors():
                recordings.append(_labels(id_, rows, vocabulary, note))
        faults.extend(of_recording.all())
    return tuple(recordings)


def _by_id(table: Table, frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {str(id_): rows for id_, rows in frames[table.name].groupby("id")} if table.name in frames else {}


def _vocabulary(where: Where, rows: Mapping[str, pd.DataFrame], note: Note, stated: Notes) -> Vocabulary | None:
    """Return the vocabulary of a recording; None after noting several, or an unknown one.

    Parameters
    ----------
    rows
        Of the recording, by file.
    """
    of_files = {file: set(of["vocabulary"]) for file, of in rows.items()}
    said = set().union(*of_files.values()) or {str(note.vocabulary)}
    several = next((file for file, of in of_files.items() if len(of) > 1), None)
    file = several or " and ".join(file for file, of in of_files.items() if of) or NOTES
    if len(said) != 1:
        what = f"it has {len(said)} vocabularies, {', '.join(sorted(said))}"
        where.faults.error(file, "vocabularies-differ", what, "a recording must have one", place=where.place)
        return None
    (name,) = said
    if name in stated.vocabularies:
        return stated.vocabularies[name]
    if name in known():
        return load(name)
    fix = f"vocabularies of their own stand in {NOTES}"
    where.faults.error(file, "vocabulary-unknown", f"'{name}' is no vocabulary", fix, place=where.place)
    return None


def _check(files: Mapping[str, str], rows: Mapping[str, pd.DataFrame], vocabulary: Vocabulary, faults: Faults) -> None:
    """Note rows whose names and ids disagree, and spans of time that are none."""
    triplets, phases, segments = (files.get(table.name, "") for table in (TRIPLETS, PHASES, SEGMENTS))
    names.check(triplets, rows["triplets"], vocabulary, names.IN_TRIPLETS, faults)
    names.check_triplets(triplets, rows["triplets"], vocabulary, faults)
    names.check(phases, rows["phases"], vocabulary, names.IN_PHASES, faults)
    names.check_segments(segments, rows["segments"], vocabulary, faults)


def _labels(id_: str, rows: Mapping[str, pd.DataFrame], vocabulary: Vocabulary, note: Note) -> Labels:
    instances = rows["triplets"].sort_values(["frame", "instance"]).rename(columns={"frame": "position"})[list(INSTANCE_COLUMNS)]
    looked_at = rows["labelled"][rows["labelled"]["layer"] == "instances"]
    positions = np.sort(looked_at["frame"].to_numpy(np.int64))
    layer = Layer(id_, positions, instance_rows(io.records(instances)))
    phases, segments = rows["phases"], rows["segments"].sort_values("number")
    at = phases["frame"].tolist()
    detail: Detail = "instrument" if set(looked_at["detail"]) == {"instrument"} else "triplet"
    size = note.image_size
    frames = None if size is None else pd.DataFrame({"position": sorted({*positions.tolist(), *at}), "width": size[0], "height": size[1]})
    spans = segment_rows([tuple(row) for row in segments[list(SEGMENT_COLUMNS)].itertuples(index=False)])
    return Labels(
        recording=id_,
        format="tables",
        vocabulary=vocabulary,
        clock=Clock(1 / note.fps),
        phases=Layer(id_, np.array(at, np.int64), phase_rows(at, phases["phase_id"].tolist())) if at else None,
        instances=layer if len(positions) else None,
        detail=detail,
        frames=frames,
        segments=spans if len(spans) else None,
        segments_clock=Clock(1 / Fraction(segments["per_second"].iloc[0])) if len(spans) else None,
    )


def _scores(frames: Mapping[str, pd.DataFrame]) -> Scores | None:
    if not {"ratings", "errors", "skill"} & set(frames):
        return None
    ratings = frames.get("ratings", rating_rows([]))[list(RATING_COLUMNS)]
    errors = frames.get("errors", pd.DataFrame(columns=list(ERROR_COLUMNS)))[list(ERROR_COLUMNS)]
    skills = frames.get("skill", pd.DataFrame(columns=["id", "task"]))
    long = frames.get("facts", io.frame_of(FACTS, []))
    pairs = pd.concat([frame[["id", "task"]] for frame in (ratings, errors, skills, long)]).drop_duplicates().reset_index(drop=True)
    return Scores(ratings, _facts(pairs, long), errors, skills)


def _facts(pairs: pd.DataFrame, long: pd.DataFrame) -> pd.DataFrame:
    """Return what is said of each recording, a column per fact."""
    if not len(long):
        return pairs
    by_key: dict[tuple[str, str, str | None], dict[str, str]] = {}
    for row in io.records(long):
        by_key.setdefault((row["id"], row["task"], row["rater"]), {})[row["fact"]] = row["value"]
    wide = pd.DataFrame([{"id": id_, "task": task, "rater": rater, **facts} for (id_, task, rater), facts in by_key.items()])
    return pairs.merge(wide if wide["rater"].notna().any() else wide.drop(columns="rater"), on=["id", "task"], how="left")
