"""CholecTrack20 JSON: one file per video; annotations by 25 fps frame, one object per tool.

A tool has ``instrument``, ``verb``, ``target``, ``triplet`` and ``phase`` (-1 is null, -2 occurs and is
null too), ``tool_bbox`` as top-left corner and size in 0..1, ``operator``, three track ids and flags of
visibility. What our tables do not have is a detail of the instance and written back.

**Which frame is key 1?** The authors do not say. All numbers that are to be seen are 1, or 1 and a multiple of 25: frame 11851 in their own
example (``utils/visualize.py``, CAMMA-public/cholectrack20 3968eee, 2025-06-17), where the key is also the name of the picture, 006701.png
and 095701.png elsewhere. That is how ffmpeg names pictures from the first one on, so that key 1 is probably frame 0. Keys are read as they
stand, a warning says it, and ``--first-frame 1`` takes key 1 as the first frame; at one label per second that is the same.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from fractions import Fraction
from functools import partial
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np
import pandas as pd

from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import PARTS, Vocabulary
from scrubin.labels import registry, tracks
from scrubin.labels.model import (
    BOX,
    SOURCE_FRAMES,
    Collection,
    LabelFiles,
    Labels,
    Layer,
    by_position,
    detailed_rows,
    layer_of_phases,
    phase_of,
)
from scrubin.labels.parse import documents, fields, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes

NULLS = (-1, -2)
IDS = ("instrument", "verb", "target", "triplet")
TRACKS = ("visibility_track", "intracorporeal_track", "intraoperative_track")
FLAGS = ("visibility", "crowded", "visible", "occluded", "bleeding", "smoke", "blurred", "undercoverage", "reflection", "stainedlens")
WHOLE = ("operator", *TRACKS, *FLAGS, "iscrowd")
DETAILS = {**dict.fromkeys(WHOLE, "Int64"), "area": "float64", **{f"raw_{kind}": "Int64" for kind in (*IDS, "phase")}}
SHARES = ("area", "score")
KNOWN = {*IDS, *DETAILS, "phase", "tool_bbox", "score"}
OF_OTHERS = {"categories", "fps", "num_frames"}


def _has_tools(path: Path) -> bool:
    """Return whether frames have lists of objects; in videos without any tool only the other keys tell."""
    document = registry.document(path)
    frames = document.get("annotations") if isinstance(document, Mapping) else None
    if not isinstance(frames, Mapping):
        return False
    tools = [tool for of_frame in frames.values() if isinstance(of_frame, list) for tool in of_frame]
    if tools:
        return all(isinstance(tool, Mapping) for tool in tools)
    is_bare = "video" not in document and not OF_OTHERS & set(document)
    return bool(frames) and (is_bare or isinstance(document.get("video"), Mapping))


@dataset_format(
    "cholectrack20",
    pattern=r"[^/]+\.json",
    expected="<video>.json with annotations by frame",
    title="CholecTrack20 JSON: boxes, tracks, operators, triplets; a file per video, frames at 25 fps",
    by_hand=ByHand(vocabulary="cholectrack20", fps=Fraction(25), evidence=_has_tools),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the videos without an error; all faults are in ``Collection.faults``."""
    names = {file: PurePosixPath(file).stem for file in source.files}
    return video_files.collection_of(source, names, partial(_labels, source))


def _labels(source: LabelFiles, where: Where, recording: str, data: bytes) -> Labels | None:
    document = documents.opened(documents.json_object, where.file, data, where.faults)
    annotations = None if document is None else document.get("annotations")
    if document is None:
        return None
    if not isinstance(annotations, Mapping):
        where.at("annotations").error("value-type", "expected an object, frame to list of tools", "export the file again")
        return None
    rows: list[dict[str, Any]] = []
    phases: dict[int, int] = {}
    positions: set[int] = set()
    unknown: set[str] = set()
    for key, tools in annotations.items():
        frame = documents.frame_number(key)
        if frame is None:
            where.at(f"frame '{key}'").error("frame-key", "the key is no frame number", "keys are whole numbers from 0")
            continue
        if not isinstance(tools, list):
            what = f"expected a list of tools, but got {documents.shown(tools)}"
            where.at_frame(frame).error("value-type", what, "give one list per frame, [] for none")
            continue
        if frame in positions:
            where.at_frame(frame).error("frame-repeated", "the frame stands twice", "give one list per frame")
            continue
        positions.add(frame)
        for i, tool in enumerate(tools):
            at = where.at_frame(frame, f"tool {i}")
            if not isinstance(tool, Mapping):
                at.error("value-type", f"expected an object, but got {documents.shown(tool)}", "export the file again")
                continue
            unknown |= set(tool) - KNOWN
            row = _tool(at, tool, source)
            if row is not None:
                _note_phase(where.at_frame(frame), frame, row.pop("phase"), phases)
                rows.append({"position": frame, **row})
    where.faults.extend(fields.unkept(where.file, unknown))
    instances = detailed_rows(sorted(rows, key=lambda row: int(row["position"])), DETAILS)
    for column in TRACKS:
        tracks.note(where.file, column, instances, source.vocabulary, where.faults)
    return Labels(
        recording,
        "cholectrack20",
        source.vocabulary,
        SOURCE_FRAMES,
        layer_of_phases(where.file, phases) if phases else None,
        Layer(where.file, np.array(sorted(positions), np.int64), instances),
        frames=_sizes(document.get("video"), sorted(positions)),
        about={"cholectrack20": {key: value for key, value in document.items() if key != "annotations"}},
    )


def _sizes(video: Any, positions: list[int]) -> pd.DataFrame | None:
    sides = [video.get(name) for name in ("width", "height")] if isinstance(video, Mapping) else []
    known = [side for side in sides if isinstance(side, int) and fields.is_whole(side) and 0 < side < fields.LARGEST]
    return pd.DataFrame({"position": positions, "width": known[0], "height": known[1]}) if len(known) == 2 else None


def _note_phase(where: Where, frame: int, phase: int | None, phases: dict[int, int]) -> None:
    if phase is not None and phases.setdefault(frame, phase) != phase:
        where.error("phases-differ", f"its tools have the phases {phases[frame]} and {phase}", "a frame has one phase")


def _tool(where: Where, tool: Mapping[str, Any], source: LabelFiles) -> dict[str, Any] | None:
    """Return the row of a tool; None when anything of it cannot be used."""
    of_tool = Faults()
    at = Where(of_tool, where.file, where.place, where.frames)
    vocabulary = source.vocabulary
    parts: dict[str, int] = {kind: len(vocabulary.names(kind)) for kind in PARTS}
    sizes = {**parts, "triplet": len(vocabulary.triplets), "phase": len(vocabulary.phases)}
    ids: dict[str, int | None] = {}
    row: dict[str, Any] = {}
    for kind, size in sizes.items():
        value = tool.get(kind, -1) if kind != "instrument" else tool.get(kind)
        if fields.is_whole(value) and value in NULLS:
            ids[kind] = None
            row[f"raw_{kind}"] = value if value != -1 else None
        else:
            ids[kind] = fields.whole(at, {kind: value}, kind, high=size - 1)
    row |= _parts(at, ids, vocabulary)
    box = tool.get("tool_bbox")
    if box is not None and list(box if isinstance(box, list) else [0]) != [-1] * 4:
        shares = fields.share_box(at, box, source.box_tolerance)
        row |= {} if shares is None else dict(zip(BOX, shares, strict=True))
    row |= _details(at, tool)
    where.faults.extend(of_tool.all())
    return None if of_tool.errors() else {**row, "phase": ids["phase"]}


def _details(where: Where, tool: Mapping[str, Any]) -> dict[str, Any]:
    row: dict[str, Any] = {}
    for key in (*WHOLE, "area", "score"):
        value = tool.get(key)
        if value is not None and not (fields.is_number(value) if key in SHARES else fields.is_whole(value)):
            number = "a number" if key in SHARES else "a whole number"
            where.error("value-type", f"'{key}' is {documents.shown(value)}, expected {number}", "export it again")
        row[key] = None if key == "score" and value == -1 else value
    if row["score"] is not None and fields.is_number(row["score"]) and not 0 <= row["score"] <= 1:
        where.error("score-range", f"score {row['score']} is not in 0..1", "ground truth has 1")
    return row


def _parts(where: Where, ids: Mapping[str, int | None], vocabulary: Vocabulary) -> dict[str, int | None]:
    triplet, parts = ids["triplet"], [ids["instrument"], ids["verb"], ids["target"]]
    row: dict[str, int | None] = {}
    if triplet is not None:
        wanted = vocabulary.triplets[triplet]
        if any(got is not None and got != want for got, want in zip(parts, wanted, strict=True)):
            fields.note_other_parts(where, vocabulary, ("triplet", triplet), "the tool", parts)
        parts = list(wanted)
    elif all(part is not None for part in parts):
        triplet = vocabulary.triplet_id(*(part or 0 for part in parts))
        if triplet is not None:
            row["raw_triplet"] = -1  # ours names it, so that ids and names agree; the file did not
    return {**row, "instrument_id": parts[0], "verb_id": parts[1], "target_id": parts[2], "triplet_id": triplet}


@writes(
    "cholectrack20",
    holds=(
        "phases",
        "instances",
        "actions",
        "boxes",
        "boxless",
        "partial",
        "repeats",
        "scores",
        "details",
        "empty frames",
    ),
    fps=Fraction(25),
    vocabulary="cholectrack20",
    takes=lambda vocabulary: False,
    nameless=True,
)
def write(collection: Collection, out: Output) -> None:
    """Write ``<recording>.json`` per recording, as Python's ``json`` spells it; a phase needs a tool in its frame."""
    for labels in collection.recordings:
        phases, instances = phase_of(labels.phases), by_position(labels.instances)
        if labels.instances is None:
            out.lose("phases of recordings without tools", len(phases), rows_of="phase")
            continue
        for column in (name for name in labels.instances.rows if str(name).endswith(tracks.ONLY) and name not in TRACKS):
            out.lose(f"'{column}' of instances", int(labels.instances.rows[column].notna().sum()))
        out.lose("phases of frames without a tool", len([frame for frame in phases if not instances.get(frame)]), rows_of="phase")
        annotations = {str(frame): [_object(row, phases.get(frame)) for row in instances[frame]] for frame in sorted(instances)}
        about = dict(labels.about.get("cholectrack20", {})) or _about(labels, len(annotations))
        out.files[f"{labels.recording}.json"] = json.dumps({**about, "annotations": annotations}, allow_nan=False).encode()


def _about(labels: Labels, n_frames: int) -> dict[str, Any]:
    lists = own_categories.as_categories(labels.vocabulary)
    keys = {"instrument": "tools", "verb": "verbs", "target": "targets", "triplet": "triplets", "phase": "phases"}
    categories = {key: [{"id": i, "name": name} for i, name in enumerate(lists.get(kind, []))] for kind, key in keys.items()}
    size = {} if labels.frames is None or not len(labels.frames) else labels.frames.iloc[0][["width", "height"]].astype(int).to_dict()
    return {"video": {"name": labels.recording, "num_frames": n_frames, **size}, "categories": categories}


def _object(row: Mapping[str, Any], phase: int | None) -> dict[str, Any]:
    ids = {kind: row[f"{kind}_id"] for kind in IDS} | {"phase": phase}
    for kind in ids:
        raw = row.get(f"raw_{kind}")
        ids[kind] = raw if raw is not None else (-1 if ids[kind] is None else ids[kind])
    box = [-1.0] * 4 if row["x"] is None else [row[side] for side in BOX]
    details = {key: row[key] for key in (*WHOLE, "area") if row.get(key) is not None}
    score = {} if row["score"] is None else {"score": row["score"]}
    return {**ids, "tool_bbox": box, **score, **details}
