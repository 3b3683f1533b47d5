"""Our own tables as a format: triplets, phases, ratings, skill, errors as parquet or CSV, and what tables do not say.

``labels.json`` beside them has the rate, the labelled frames (a frame without instrument has no row),
the size of the images and the words of vocabularies that no data file has. Without it, frames with
rows are the labelled ones, at 1 per second.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path, PurePosixPath

import numpy as np
import pandas as pd

from scrubin.core.faults import Faults, warning
from scrubin.errors import AnnotationError
from scrubin.labels import documents, evidence
from scrubin.labels.formats.tables import names, notes
from scrubin.labels.formats.tables.files import table_of
from scrubin.labels.formats.tables.notes import NOTES, Note, Notes
from scrubin.labels.model import (
    ERROR_COLUMNS,
    INSTANCE_COLUMNS,
    RATING_COLUMNS,
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
)
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.tables import io
from scrubin.tables.phases import PHASES
from scrubin.tables.spans import SPANS
from scrubin.tables.triplets import TRIPLETS
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

NAMES = ("triplets", "phases", "ratings", "skill", "errors")


def _is_table(path: Path) -> bool:
    # labels.json is a name that other formats have, too.
    return path.is_file() and (path.suffix.lower() != ".json" or evidence.keys("recordings")(path))


@dataset_format(
    "tables",
    pattern=rf"(?:{'|'.join((*NAMES, SPANS.name))})\.(?:parquet|csv)|{NOTES}",
    expected="triplets, phases, ratings, skill or errors, each .parquet or .csv, and labels.json",
    title="our own tables as parquet (or, written as tables-csv, CSV)",
    by_hand=ByHand(brings_words=True, evidence=_is_table),
)
def read(source: LabelFiles) -> Collection:
    """Return what the tables of a folder say.

    Raises
    ------
    AnnotationError
        Names the first fault of every file, with its column and rows.
    """
    faults = Faults()
    found: dict[str, tuple[str, pd.DataFrame]] = {}
    seen: dict[str, str] = {}
    stated = Notes()
    for file, data in sorted(source.files.items()):
        table = PurePosixPath(file).stem
        if table == SPANS.name:
            continue  # made of the triplets, and made anew when written
        if seen.setdefault(table, file) != file:
            faults.error(file, "format", f"the same is also in {seen[table]}", "keep one of them, or convert the folders one by one")
        elif PurePosixPath(file).name == NOTES:
            stated = documents.opened(notes.read, file, data, faults) or stated
        else:
            frame = documents.opened(functools.partial(table_of, table=table), file, data, faults)
            found |= {} if frame is None else {table: (file, frame)}
    AnnotationError.raise_any(faults)
    recordings = _recordings(found, stated)
    scores = _scores({name: frame for name, (_, frame) in found.items()})
    what = f"no {NOTES} says the rate; frames are read as 1 per second"
    unstated = () if stated.recordings or not recordings else (warning(min(source.files), "rate-unstated", what),)
    return Collection(recordings, scores, unstated)


def _words(id_: str, names: Mapping[str, set[str]], note: Note, notes: Notes, faults: Faults) -> Vocabulary | None:
    """Return the vocabulary of a recording; ``names`` are those that each file says."""
    said = set().union(*names.values()) or {str(note.vocabulary)}
    file = next((file for file, of in names.items() if len(of) > 1), " and ".join(file for file, of in names.items() if of) or NOTES)
    if len(said) != 1:
        faults.error(file, "format", f"it has {len(said)} vocabularies, {', '.join(sorted(said))}", "a recording must have one", place=id_)
        return None
    (name,) = said
    try:
        return notes.vocabularies.get(name) or vocabulary.load(name)
    except AnnotationError as error:
        faults.error(file, "format", str(error), f"vocabularies of their own stand in {NOTES}", place=id_)
        return None


def _recordings(found: Mapping[str, tuple[str, pd.DataFrame]], notes: Notes) -> tuple[Labels, ...]:
    triplets = found.get("triplets", ("", io.frame_of(TRIPLETS, [])))
    phases = found.get("phases", ("", io.frame_of(PHASES, [])))
    ids = sorted({*triplets[1]["id"], *phases[1]["id"], *notes.recordings})
    by_id = dict(list(triplets[1].groupby("id"))), dict(list(phases[1].groupby("id")))
    faults = Faults()
    recordings = []
    for id_ in ids:
        rows, phase = by_id[0].get(id_, triplets[1].iloc[:0]), by_id[1].get(id_, phases[1].iloc[:0])
        note = notes.recordings.get(id_, Note())
        before = len(faults)
        words = _words(id_, {triplets[0]: set(rows["vocabulary"]), phases[0]: set(phase["vocabulary"])}, note, notes, faults)
        if words is None:
            continue
        names.check(triplets[0], rows, words, names.IN_TRIPLETS, faults)
        names.check_triplets(triplets[0], rows, words, faults)
        names.check(phases[0], phase, words, names.IN_PHASES, faults)
        if len(faults) == before:
            has_instances = "triplets" in found and (len(rows) > 0 or note.labelled is not None)
            recordings.append(_labels(id_, rows, phase, words, note, has_instances=has_instances))
    AnnotationError.raise_any(faults)
    return tuple(recordings)


def _labels(id_: str, rows: pd.DataFrame, phases: pd.DataFrame, words: Vocabulary, note: Note, *, has_instances: bool) -> Labels:
    instances = rows.sort_values(["frame", "instance"]).rename(columns={"frame": "position"})[list(INSTANCE_COLUMNS)]
    labelled = sorted({*instances["position"], *(frame for start, end in note.labelled or () for frame in range(start, end))})
    layer = Layer(id_, np.array(labelled, np.int64), instance_rows(io.records(instances)))
    at = phases["frame"].tolist()
    complete = not len(rows) or bool(rows["verb_id"].notna().any())
    detail: Detail = note.detail or ("triplet" if complete else "instrument")
    size = note.image_size
    frames = None if size is None else pd.DataFrame({"position": sorted({*labelled, *at}), "width": size[0], "height": size[1]})
    return Labels(
        recording=id_,
        format="tables",
        vocabulary=words,
        clock=Clock(1 / note.fps),
        phases=Layer(id_, np.array(at, np.int64), phase_rows(at, phases["phase_id"].tolist())) if at else None,
        instances=layer if has_instances else None,
        detail=detail,
        frames=frames,
    )


def _scores(found: Mapping[str, pd.DataFrame]) -> Scores | None:
    if not {"ratings", "errors", "skill"} & set(found):
        return None
    ratings = found.get("ratings", rating_rows([]))[list(RATING_COLUMNS)]
    errors = found.get("errors", pd.DataFrame(columns=list(ERROR_COLUMNS)))[list(ERROR_COLUMNS)]
    skills = found.get("skill", pd.DataFrame(columns=["id", "task"]))
    facts = pd.concat([frame[["id", "task"]] for frame in (ratings, errors, skills)]).drop_duplicates().reset_index(drop=True)
    return Scores(ratings, facts, errors, skills)
