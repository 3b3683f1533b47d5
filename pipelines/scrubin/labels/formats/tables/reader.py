"""Our own tables to labels or scores, held to each other, to ``labels.json``, to the vocabulary.

The table ``labelled`` says which frames somebody looked at; without it, those with rows. ``labels.json`` has the rate, the
size of the images and the names of vocabularies that no data file has; without it, there is 1 frame per second.
"""

from __future__ import annotations

import functools
from collections.abc import Hashable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any, Literal

import numpy as np
import pandas as pd

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults
from scrubin.base.tables import Table, io
from scrubin.base.tables.public import FACTS, LABELLED, PHASES, SEGMENTS, SPANS, TRIPLETS, LayerName
from scrubin.base.text import csv_text, naming
from scrubin.base.vocabulary.vocabulary import PARTS, Naming, Vocabulary, fold, known, load
from scrubin.labels import registry
from scrubin.labels.formats.tables import beyond_boxes, stored, table_files
from scrubin.labels.formats.tables.table_files import NOTES, Note, Notes, declared, rate, table_of
from scrubin.labels.model import (
    BOX,
    ERROR_COLUMNS,
    IDS,
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
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.fields import Where
from scrubin.labels.rates import NS
from scrubin.labels.registry import ByHand, dataset_format
from scrubin.labels.rows import triplet_names

TABLE_OF: Mapping[LayerName, str] = {"instances": "triplets", "phases": "phases", "marks": "marks"}
ADD = "add them to the table labelled, or take the rows away"


def check_labelled(files: Mapping[str, str], rows: Mapping[str, pd.DataFrame], id_: str, faults: Faults) -> None:
    """Note rows of frames that nobody labelled, labelled frames without a phase, and details that differ.

    Parameters
    ----------
    files, rows
        Name of the file, and rows of this recording, by table.
    """
    file = files[LABELLED.name]
    for layer, table in TABLE_OF.items():
        labelled = rows[LABELLED.name][rows[LABELLED.name]["layer"] == layer]
        looked_at, with_rows = (np.unique(of["frame"].to_numpy(np.int64)) for of in (labelled, rows[table]))
        if len(outside := np.setdiff1d(with_rows, looked_at)):
            what = "has rows for frames that the table labelled does not name"
            faults.error(files.get(table, ""), "frame-unlabelled", what, ADD, place=id_, frames=outside.tolist())
        if layer == "phases" and len(without := np.setdiff1d(looked_at, with_rows)):
            what = "the phase was labelled, but there is none"
            faults.error(file, "phase-missing", what, "add it to the table phases", place=id_, frames=without.tolist())
        details = labelled["detail"].drop_duplicates()
        if len(details) > 1 or details.notna().any() != (layer == "instances" and len(details) > 0):
            what = f"{layer} have the details {', '.join(sorted(map(str, details.fillna('none'))))}"
            fix = "instances of a recording have one, triplet or instrument; phases and marks have none"
            faults.error(file, "detail-form", what, fix, place=id_)


def of_rows(id_: str, rows: Mapping[str, pd.DataFrame]) -> pd.DataFrame:
    """Return the table of one recording of which nobody said it: frames with rows are the labelled ones."""
    parts = []
    for layer, table in TABLE_OF.items():
        of_table = rows[table]
        if len(of_table) and layer != "marks":  # they name no vocabulary
            whole = layer == "instances" and bool(of_table["verb_id"].notna().any())
            detail = None if layer == "phases" else "triplet" if whole else "instrument"
            frames = of_table[["frame", "vocabulary"]].drop_duplicates("frame")
            parts.append(frames.assign(id=id_, layer=layer, detail=detail))
    return io.conform(LABELLED, pd.concat(parts)) if parts else io.frame_of(LABELLED, [])


def check_names(
    file: str, rows: pd.DataFrame, vocabulary: Vocabulary, kinds: Sequence[Naming | Literal["triplet"]], faults: Faults
) -> None:
    """Note the first row of each kind whose id the vocabulary does not have, or has with another name."""
    for named in kinds:
        ids = f"{named}_id"
        names = triplet_names(vocabulary) if named == "triplet" else vocabulary.names(named)
        pairs = rows[[ids, named]].drop_duplicates().astype(object)
        wrong = [pair for pair in pairs.where(pairs.notna(), None).itertuples(index=False, name=None) if _what(vocabulary, names, pair)]
        if not wrong:
            continue
        id_, name = min(wrong, key=str)
        these = rows[ids].isna() if id_ is None else (rows[ids] == id_).fillna(value=False)
        row = rows[these & (rows[named].isna() if name is None else rows[named] == name)].iloc[0]
        rule, fix = "name-of-id", "correct one of them"
        if id_ is not None and _is_name(names, id_ - 1, name):
            rule, fix = "id-from-one", fields.FROM_ZERO
        elif id_ is not None and not 0 <= id_ < len(names):
            rule = "id-range"
        _where(faults, file, row).error(rule, f"{ids} {id_}: {_what(vocabulary, names, (id_, name))}", fix)


def check_triplets(file: str, rows: pd.DataFrame, vocabulary: Vocabulary, faults: Faults) -> None:
    """Note the first triplet that does not have its parts, and the first box of which a side is missing."""
    for row in rows[rows["triplet_id"].notna()].drop_duplicates(list(IDS)).to_dict("records"):
        parts = tuple(None if pd.isna(row[column]) else int(row[column]) for column in IDS[:3])
        triplet = int(row["triplet_id"])
        if triplet < len(vocabulary.triplets) and parts != vocabulary.triplets[triplet]:
            fields.note_other_parts(_where(faults, file, row), vocabulary, ("triplet_id", triplet), "the row", parts)
            break
    sides = rows[list(BOX)].notna().sum(axis=1)
    for row in rows[(sides != 0) & (sides != len(BOX))].head(1).to_dict("records"):
        _where(faults, file, row).error("box-form", "a box lacks some of x, y, w, h", "give all four, or none")


def _counts_time(per_second: str) -> bool:
    """Return whether it is a rate of frames, or the nanoseconds of files that state times."""
    return rate(per_second) is not None or per_second == str(NS)


def check_segments(file: str, rows: pd.DataFrame, vocabulary: Vocabulary, faults: Faults) -> None:
    """Note the first span of time whose label disagrees with its id, that ends before it starts, or that is counted otherwise."""
    for row in io.records(rows):
        names = vocabulary.names(row["kind"])
        where = Where(faults, file, f"{row['id']}, span {row['number']}")
        wrong = _what(vocabulary, names, (row["label_id"], row["label"]))
        if wrong:
            where.error("name-of-id", f"label_id {row['label_id']}: {wrong}", "correct one of them")
        elif row["end"] <= row["start"]:
            where.error("span-order", f"it ends at {row['end']}, but starts at {row['start']}", "give the end after the start")
        elif row["per_second"] != rows["per_second"].iloc[0] or not _counts_time(row["per_second"]):
            what = f"per_second is '{row['per_second']}'"
            where.error("rate", what, 'give the spans of a recording one rate, such as "1000" or "30000/1001"')
        else:
            continue
        return


def _where(faults: Faults, file: str, row: Mapping[Hashable, Any] | pd.Series[Any]) -> Where:
    return Where(faults, file, str(row["id"]), (int(row["frame"]),))


def _is_name(names: tuple[str, ...], id_: Any, name: Any) -> bool:
    return 0 <= id_ < len(names) and name is not None and fold(names[id_]) == fold(name)


def _what(vocabulary: Vocabulary, names: tuple[str, ...], pair: tuple[Any, ...]) -> str:
    """Return what is wrong with an id and its name; "" for nothing."""
    id_, name = pair
    if id_ is None:
        return "" if name is None else f"the name is '{name}', but there is no id"
    if not 0 <= id_ < len(names):
        return f"it is not in 0..{len(names) - 1} of '{vocabulary.name}'"
    is_name = name is None or _is_name(names, id_, name)
    return "" if is_name else f"it is '{names[id_]}' in '{vocabulary.name}', but the name is '{name}'"


NAMES = ("labelled", "triplets", "phases", "segments", "masks", "tracks", "points", "marks", "ratings", "skill", "errors", "facts")
OF_LABELS = (LABELLED, TRIPLETS, PHASES, SEGMENTS, *beyond_boxes.TABLES)


def _is_table(path: Path) -> bool:
    # labels.json and segments.csv are names that others have, too.
    if path.suffix.lower() == ".json":
        return registry.keys("recordings")(path)
    return stored.is_table(path, SPANS if path.stem == SPANS.name else declared(path.stem, []))


@dataset_format(
    "tables",
    pattern=rf"(?:{'|'.join((*NAMES, SPANS.name))})\.(?:parquet|csv)|{NOTES}",
    expected=f"{', '.join(NAMES[:-1])} or {NAMES[-1]}, each .parquet or .csv, and labels.json",
    title="our own tables as parquet (or, written as tables-csv, CSV)",
    by_hand=ByHand(names_vocabulary=True, first=0, evidence=_is_table, is_whole=stored.lie_at),
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
            stated = documents.opened(table_files.read, file, data, faults) or stated
        else:
            frame = documents.opened(functools.partial(table_of, table=table), file, data, faults)
            if frame is not None:
                frames[table] = frame
                _check_written(Where(faults, file), frame)
    AnnotationError.raise_any(faults)
    recordings = _recordings(files, frames, stated, faults)
    if LABELLED.name not in frames and any(one.instances is not None for one in recordings):
        what = "no table labelled says which frames somebody labelled; a frame without a row does not count"
        faults.warning(min(source.files), "labelled-unstated", what, "")
    if recordings and not stated.recordings:
        what = f"no {NOTES} says the rate; frames are read as 1 per second"
        faults.warning(min(files[table.name] for table in OF_LABELS if table.name in files), "rate-unstated", what, "")
    return Collection(recordings, _scores(frames), faults.all())


def _check_written(where: Where, rows: pd.DataFrame) -> None:
    """Note the names of recordings and raters that hold what no name has, such as a line break in quotation marks."""
    for column in sorted({"id", "rater"} & set(rows.columns)):
        for name in rows[column].dropna().unique():
            if held := naming.control(name):
                where.error("name", f"{column} {csv_text.shown(name)!r} holds {held}", "write the name on one line")


def _recordings(files: Mapping[str, str], frames: Mapping[str, pd.DataFrame], stated: Notes, faults: Faults) -> tuple[Labels, ...]:
    rows_of = {table.name: _by_id(table, frames) for table in OF_LABELS}
    recordings = []
    for id_ in sorted({*(id_ for of_table in rows_of.values() for id_ in of_table), *stated.recordings}):
        of_recording = Faults()
        rows = {name: of_table[id_] if id_ in of_table else nothing_of(name) for name, of_table in rows_of.items()}
        note = stated.recordings.get(id_, Note())
        vocabulary = _vocabulary(Where(of_recording, "", id_), {files.get(name, ""): of for name, of in rows.items()}, note, stated)
        if vocabulary is not None:
            _check(files, rows, vocabulary, of_recording)
            beyond_boxes.check(files, rows, id_, of_recording)
            if LABELLED.name in frames:
                check_labelled(files, rows, id_, of_recording)
            else:
                rows[LABELLED.name] = of_rows(id_, rows)
            if not of_recording.errors():
                recordings.append(_labels(id_, rows, vocabulary, note))
        faults.extend(of_recording.all())
    return tuple(recordings)


@functools.cache
def nothing_of(table: str) -> pd.DataFrame:
    """Return a table of labels without a row."""
    (declared_so,) = (one for one in OF_LABELS if one.name == table)
    return io.frame_of(declared_so, [])


def _by_id(table: Table, frames: Mapping[str, pd.DataFrame]) -> dict[str, pd.DataFrame]:
    return {str(id_): rows for id_, rows in frames[table.name].groupby("id")} if table.name in frames else {}


def _vocabulary(where: Where, rows: Mapping[str, pd.DataFrame], note: Note, stated: Notes) -> Vocabulary | None:
    """Return the vocabulary of a recording; None after noting several, or an unknown one.

    Parameters
    ----------
    rows
        Of the recording, by file.
    """
    # Names of criteria are in none: that of their frames is the vocabulary only where nothing else has one.
    beside = {file: of if "layer" not in of else of[of["layer"] != "marks"] for file, of in rows.items()}
    rows = beside if any("vocabulary" in of and len(of) for of in beside.values()) else rows
    of_files = {file: set(of["vocabulary"]) for file, of in rows.items() if "vocabulary" in of}
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
    check_names(triplets, rows["triplets"], vocabulary, (*PARTS, "triplet"), faults)
    check_triplets(triplets, rows["triplets"], vocabulary, faults)
    check_names(phases, rows["phases"], vocabulary, ("phase",), faults)
    check_segments(segments, rows["segments"], vocabulary, faults)


def _labels(id_: str, rows: Mapping[str, pd.DataFrame], vocabulary: Vocabulary, note: Note) -> Labels:
    numbered = rows["triplets"].sort_values(["frame", "instance"])
    instances = instance_rows(io.records(numbered.rename(columns={"frame": "position"})[list(INSTANCE_COLUMNS)]))
    looked_at = rows["labelled"][rows["labelled"]["layer"] == "instances"]
    positions = np.sort(looked_at["frame"].to_numpy(np.int64))
    layer = Layer(id_, positions, instances.assign(**beyond_boxes.details(rows, numbered)))
    phases, segments = rows["phases"], rows["segments"].sort_values("number")
    at = phases["frame"].tolist()
    detail: Detail = "instrument" if set(looked_at["detail"]) == {"instrument"} else "triplet"
    everywhere = {} if note.image_size is None else dict.fromkeys([*positions.tolist(), *at], note.image_size)
    sized = [(position, *size) for position, size in sorted((everywhere | beyond_boxes.sizes(rows)).items())]
    judged, marks = beyond_boxes.marks(rows)
    spans = segment_rows([tuple(row) for row in segments[list(SEGMENT_COLUMNS)].itertuples(index=False)])
    return Labels(
        recording=id_,
        format="tables",
        vocabulary=vocabulary,
        clock=Clock(1 / note.fps),
        phases=Layer(id_, np.array(at, np.int64), phase_rows(at, phases["phase_id"].tolist())) if at else None,
        instances=layer if len(positions) else None,
        detail=detail,
        frames=pd.DataFrame(sized, columns=["position", "width", "height"]) if sized else None,
        marks=Layer(id_, judged, marks) if len(judged) else None,
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
