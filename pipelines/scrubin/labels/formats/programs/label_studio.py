"""Label Studio's JSON of videos: a list of tasks, in each the boxes and the timeline that people made of one video.

``videorectangle`` is a track: key frames in percent of the picture, numbered from 1, so that frame 1 is position 0. From one with
``enabled`` the boxes up to the next one lie on a line, after the last one up to ``framesCount`` they stay; one without is the last frame of
its span of life (``label_studio_sdk`` 2.1.2, ``postprocessing/video.py``). They are counted, and ``interpolated`` is 1 for each.
``timelinelabels`` have first and last frame, from 1, both included. They are phases or steps as the name of their control says
(``from_name``), else phases, where the vocabulary has them. Where two overlap, the later one counts, and it is said.

Frames are counted at the ``framerate`` of the tag, whatever the video has. Tracks state it, as the ``time`` of a key frame is frame /
framerate, all of a task together, though some tracks may begin at 0 s; timelines do not. The recording is called like the video, an
upload without the eight letters that it got. One annotation of a task is read: the only one, or the only one marked as ground truth.
Predictions, cancelled ones and results of other types are counted.
"""

from __future__ import annotations

import itertools
import json
import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path, PurePosixPath
from typing import Any

import numpy as np

from scrubin.base.faults import Faults
from scrubin.base.vocabulary import own_categories
from scrubin.base.vocabulary.vocabulary import Naming, Vocabulary
from scrubin.labels import registry, tracks
from scrubin.labels.formats.programs import named_spans
from scrubin.labels.formats.programs.named_spans import INSTRUMENT, NamedSpan
from scrubin.labels.model import (
    BOX,
    SOURCE_FRAMES,
    Clock,
    Collection,
    LabelFiles,
    Labels,
    Layer,
    by_position,
    detailed_rows,
    layer_of_phases,
    phase_of,
    segment_rows,
)
from scrubin.labels.parse import documents, fields
from scrubin.labels.parse.columns import one_vocabulary
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.labels.timing import of_phases

NAME = "label-studio"
FILE = "label_studio.json"
VOCABULARY, FRAMES = "scrubin_vocabulary", "scrubin_frames"
"""Data of a task, which Label Studio keeps: the vocabulary, and how many frames from the first one on are labelled; 0: those with a box."""
BOXES, TIMELINE = "videorectangle", "timelinelabels"
INTERPOLATED = "interpolated"
DETAILS = {tracks.ONLY: "Int64", INTERPOLATED: "Int64"}
UPLOADED = re.compile(r"(?:[^?#]*/)?data/upload/|[^?#]*\?filepath=upload/[0-9]+/")
"""How the address of an uploaded file begins, here or in its cloud; a folder of one's own stands behind ``?d=``."""
UPLOAD = re.compile(r"^[0-9a-f]{8}-(?=.)")
SAVE_AGAIN = "save the annotation again in Label Studio, and export it"
RATE_IS = "Label Studio counts at the framerate of its tag <Video>, 24 where that says none, whatever rate the video has"
OWN_TRACK = re.compile(r"track_([0-9]{1,9})")
MOST_FRAMES, MOST_BOXES = 2_000_000, 5_000_000
SIDES = ("x", "y", "width", "height")
DIGITS = 8
"""Of percents."""
AS_DRAWN = 1e-7
KINDS: tuple[Naming, ...] = ("phase", "step")


@dataclass
class _Task:
    """What was read of a task so far."""

    where: Where
    vocabulary: Vocabulary
    tolerance: float
    rows: list[dict[str, Any]] = field(default_factory=list)
    spans: list[tuple[str, int, int, int]] = field(default_factory=list)
    timed: list[list[tuple[int, float]]] = field(default_factory=list)
    counts: set[tuple[int, float]] = field(default_factory=set)
    frames: int = 0
    drawn: int = 0
    has_boxes: bool = False
    unkept: Counter[str] = field(default_factory=Counter)


def _is_export(path: Path) -> bool:
    tasks = registry.document(path)
    return isinstance(tasks, list) and bool(tasks) and all(_is_task(task) for task in tasks)


def _is_task(task: Any) -> bool:
    return isinstance(task, Mapping) and isinstance(task.get("annotations"), list) and isinstance(task.get("data"), Mapping)


def _results(annotation: Any) -> list[Any]:
    results = annotation.get("result") if isinstance(annotation, Mapping) else None
    return results if isinstance(results, list) else []


def _named(result: Any) -> Iterator[NamedSpan]:
    """Yield the labels of a result."""
    value = result.get("value") if isinstance(result, Mapping) else None
    if not isinstance(value, Mapping) or result.get("type") not in (BOXES, TIMELINE):
        return
    is_box = result["type"] == BOXES
    kind = INSTRUMENT if is_box else named_spans.kind_of(str(result.get("from_name", ""))) or "phase"
    names = value.get("labels" if is_box else TIMELINE)
    for name in names if isinstance(names, list) else []:
        if isinstance(name, str):
            yield NamedSpan(kind, kind, name, 0, 1)


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the vocabulary that tasks name, or that of their labels; None where they have none."""
    spans: list[NamedSpan] = []
    for file, data in sorted(files.items()):
        tasks = documents.opened(documents.json_value, file, data, Faults())
        for task in tasks if isinstance(tasks, list) else []:
            if _is_task(task):
                if VOCABULARY in task["data"]:
                    return own_categories.of_reference(file, task["data"][VOCABULARY])
                spans += [span for one in task["annotations"] for result in _results(one) for span in _named(result)]
    return named_spans.vocabulary_of(min(files), spans) if spans else None


@dataset_format(
    NAME,
    pattern=r"[^/]+\.json",
    expected="<any name>.json, Label Studio's export as JSON, of videos",
    title="Label Studio JSON of videos: tracks by key frames in percent, and timelines; frames from 1 at the rate of its tag",
    by_hand=ByHand(
        named_spans.PREFERRED, vocabulary_of, fps_unstated=True, rate_is=RATE_IS, first=1, evidence=_is_export, holds=("segments",)
    ),
)
def read(source: LabelFiles) -> Collection:
    """Return the labels of the videos without an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    found: dict[str, Labels] = {}
    for file, data in sorted(source.files.items()):
        of_file = Faults()
        # In a list, so that "null" in the file is not taken for a file that cannot be read.
        (tasks,) = documents.opened(lambda *of: (documents.json_value(*of),), file, data, of_file) or ((),)
        if tasks != () and not (isinstance(tasks, list) and tasks):
            fix = "put the task between [ and ]" if _is_task(tasks) else "export it as JSON"
            Where(of_file, file).error("value-type", f"expected a list of tasks, but got {documents.shown(tasks)}", fix)
        for at, task in enumerate(tasks if isinstance(tasks, list) else []):
            of_task = Where(Faults(), file, f"task {at}")
            name = _read_task(source, of_task, task, found)
            if name is not None and of_task.faults.errors():
                found.pop(name, None)
            of_file.extend(of_task.faults.all())
        faults.extend(of_file.all())
    return Collection(tuple(labels for _, labels in sorted(found.items())), faults=faults.all())


def _read_task(source: LabelFiles, where: Where, task: Any, found: dict[str, Labels]) -> str | None:
    """Add the labels of a task; return the name of its recording."""
    if not _is_task(task):
        where.error("value-type", f"expected data and annotations, but got {documents.shown(task)}", "export it as JSON, not as JSON-MIN")
        return None
    name = _recording(task["data"])
    if name is None or name in found:
        what = "names no video" if name is None else f"is of '{name}', as another one"
        where.error("task-name", f"its data {what}", "give each task one video, and each video one task")
        return None
    named = task["data"].get(VOCABULARY)
    if named is not None and own_categories.of_reference(where.file, named).name != source.vocabulary.name:
        where.error("vocabularies-differ", f"it names another vocabulary than '{source.vocabulary.name}'", "read the file with its own")
    one = _Task(where, source.vocabulary, source.box_tolerance)
    annotation = _chosen(one, task)
    if annotation is None:
        return name
    used: set[int] = set()
    for at, result in enumerate(_results(annotation)):
        _read_result(one, where.at(f"{where.place}, result {at}"), result, used)
    stated = task["data"].get(FRAMES, one.frames)
    if not fields.is_whole(stated) or not 0 <= stated <= MOST_FRAMES:
        where.error("frame-range", f"'{FRAMES}' is {documents.shown(stated)}", "export the labels again")
        stated = 0
    found[name] = _labels(one, name, int(stated), boxes=one.has_boxes or FRAMES in task["data"])
    return name


def _recording(data: Mapping[str, Any]) -> str | None:
    """Return what the video of a task is called."""
    texts = {key: value for key, value in data.items() if isinstance(value, str) and value and not key.startswith("scrubin")}
    named = next((texts[key] for key in sorted(texts, key=lambda key: ("video" not in key.casefold(), key))), "")
    stem = PurePosixPath(named.rsplit("/", 1)[-1].removeprefix("?d=")).stem
    return (UPLOAD.sub("", stem) if UPLOADED.match(named) else stem) or None


def _chosen(one: _Task, task: Mapping[str, Any]) -> Mapping[str, Any] | None:
    """Return the annotation that is read; None where there is none, or after noting that several are."""
    every = [annotation for annotation in task["annotations"] if isinstance(annotation, Mapping)]
    made = [annotation for annotation in every if not annotation.get("was_cancelled")]
    predictions = task.get("predictions")
    one.unkept["predictions"] += len(predictions) if isinstance(predictions, list) else 0
    one.unkept["cancelled annotations"] += len(every) - len(made)
    true = [annotation for annotation in made if annotation.get("ground_truth") is True]
    chosen = made if len(made) == 1 else true
    if len(chosen) == 1:
        one.unkept["annotations that are not the ground truth"] += len(made) - 1
        return chosen[0]
    what = f"{len(made)} annotations, of which {len(true)} are marked as ground truth"
    fix = "label it, or remove the task" if not made else "mark one of them as ground truth in Label Studio, or remove the others"
    one.where.error("several-annotations" if made else "no-labels", what, fix)
    return None


def _read_result(one: _Task, where: Where, result: Any, used: set[int]) -> None:
    value = result.get("value") if isinstance(result, Mapping) else None
    if not isinstance(value, Mapping):
        where.error("value-type", f"expected a result with a value, but got {documents.shown(result)}", "export it again")
    elif result.get("type") == TIMELINE:
        _read_timeline(one, where, result, value)
    elif result.get("type") == BOXES:
        match = OWN_TRACK.fullmatch(str(result.get("id", "")))
        id_ = int(match[1]) if match else next(number for number in itertools.count() if number not in used)
        if id_ in used:
            where.error("track-repeated", f"two results have the id 'track_{id_}'", tracks.ONE_BOX)
        used.add(id_)
        _read_boxes(one, where, value, None if str(result.get("id", "")).startswith("box_") else id_)
    else:
        one.unkept[f"results of type '{str(result.get('type'))[:40]}'"] += 1


def _read_timeline(one: _Task, where: Where, result: Mapping[str, Any], value: Mapping[str, Any]) -> None:
    kind = named_spans.kind_of(str(result.get("from_name", "")))
    names, ranges = value.get(TIMELINE), value.get("ranges")
    if not isinstance(names, list) or len(names) != 1 or not isinstance(names[0], str) or not isinstance(ranges, list):
        where.error("value-type", f"expected one label with ranges, but got {documents.shown(value)}", "give a span one label")
        return
    if (kind is not None and kind not in KINDS) or (kind is None and one.vocabulary.find("phase", names[0]) is None):
        one.unkept[f"spans of '{str(result.get('from_name'))[:40]}'"] += len(ranges)
        return
    id_ = where.id_of(one.vocabulary, kind or "phase", names[0])
    for span in ranges:
        edges: list[Any] = [span.get(edge) for edge in ("start", "end")] if isinstance(span, Mapping) else []
        if not all(fields.is_whole(edge) for edge in edges) or len(edges) != 2 or not 1 <= edges[0] <= edges[1] <= MOST_FRAMES:
            where.error("span-form", f"a range is {documents.shown(span)}", "give first and last frame, from 1")
        elif id_ is not None:
            one.spans.append((kind or "phase", edges[0] - 1, edges[1], id_))


def _read_boxes(one: _Task, where: Where, value: Mapping[str, Any], track: int | None) -> None:
    names, sequence, count = value.get("labels"), value.get("sequence"), value.get("framesCount")
    if not isinstance(names, list) or len(names) != 1 or not isinstance(names[0], str):
        where.error("label-missing", f"labels are {documents.shown(names)}", "give a track one label")
        return
    if not isinstance(sequence, list) or not fields.is_whole(count) or not 0 <= int(count or 0) <= MOST_FRAMES:
        what = f"expected a sequence and framesCount, but got {documents.shown(value)}"
        where.error("value-type", what, "export it again")
        return
    one.frames, one.has_boxes = max(one.frames, int(count or 0)), True
    keys_of: list[tuple[Any, Any]] = [(key.get("frame"), key.get("time")) for key in sequence if isinstance(key, Mapping)]
    one.timed.append([(at, time) for at, time in keys_of if fields.is_whole(at) and at >= 1 and fields.is_number(time) and time > 0])
    length_s: Any = value.get("duration")
    if count and fields.is_number(length_s) and length_s > 0:
        one.counts.add((int(count), float(length_s)))
    id_ = where.id_of(one.vocabulary, INSTRUMENT, names[0])
    keys: list[tuple[int, bool, bool, tuple[float, ...]]] = []
    for key in sequence:
        frame = key.get("frame") if isinstance(key, Mapping) else None
        sides: list[Any] = [key.get(side) for side in SIDES] if isinstance(key, Mapping) else []
        if frame is None or not fields.is_whole(frame) or not 1 <= frame <= MOST_FRAMES or not all(map(fields.is_number, sides)):
            where.error("key-frame", f"a key frame is {documents.shown(key)}", f"give frame, from 1, and {', '.join(SIDES)} in percent")
            continue
        if key.get("rotation") not in (None, 0):
            where.error("box-turned", f"the box of frame {frame} is turned by {documents.shown(key['rotation'])}", "turn it back")
            continue
        box = fields.share_box(where, [side / 100 for side in sides], one.tolerance)
        if box is not None:
            keys.append((frame - 1, key.get("enabled", True) is True, key.get("auto") is True, box))
    keys.sort(key=lambda key: key[0])
    twice = [a[0] for a, b in itertools.pairwise(keys) if a[0] == b[0]]
    if twice:
        where.error("key-frame", f"frame {twice[0] + 1} stands twice", "keep one of its key frames")
    elif keys and id_ is not None:
        ids = {"instrument_id": id_, "score": 1.0, tracks.ONLY: track}
        one.rows += [
            {"position": frame, **ids, **dict(zip(BOX, box, strict=True)), INTERPOLATED: 1 if auto else None}
            for frame, _, auto, box in keys
        ]
        for first, last in itertools.pairwise([*keys, (max(int(count or 0), keys[-1][0] + 1), False, False, keys[-1][3])]):
            if first[1]:
                _fill(one, where, ids, (first[0], np.array(first[3])), (last[0], np.array(last[3])))


def _stated_rate(one: _Task) -> tuple[Fraction | None, fields.RateRanges]:
    """Return as of `fields.rate_of_times` what all tracks together state; that nothing fits is noted."""
    rate, ranges = fields.rate_of_times(one.timed, one.counts)
    if not ranges and (any(one.timed) or one.counts):
        timed = sorted(itertools.chain(*one.timed), key=lambda key: key[0] / key[1])
        said = [f"of {count} frames in {length_s:g} s" for count, length_s in sorted(one.counts)[:2]]
        said += [f"frame {frame} is at {time:g} s" for frame, time in dict.fromkeys((*timed[:1], *timed[-1:]))]
        one.where.error("rate-contradicted", f"{', and '.join(said)}: no rate fits all", SAVE_AGAIN)
    return rate, ranges


def _fill(one: _Task, where: Where, ids: Mapping[str, Any], first: tuple[int, Any], last: tuple[int, Any]) -> None:
    """Add the boxes between two frames."""
    one.drawn += last[0] - first[0] - 1
    if one.drawn > MOST_BOXES:
        if one.drawn - (last[0] - first[0] - 1) <= MOST_BOXES:
            where.error(INTERPOLATED, f"more than {MOST_BOXES} boxes would have to be interpolated", "label shorter videos")
        return
    for frame in range(first[0] + 1, last[0]):
        box = first[1] + (last[1] - first[1]) * (frame - first[0]) / (last[0] - first[0])
        one.rows.append({"position": frame, **ids, **dict(zip(BOX, map(float, box), strict=True)), INTERPOLATED: 1})


def _labels(one: _Task, name: str, count: int, *, boxes: bool) -> Labels:
    where = one.where
    if one.drawn:
        where.warning(INTERPOLATED, f"{one.drawn} boxes stand between key frames: interpolated, as Label Studio does")
    listed = ", ".join(f"{what} ({number})" for what, number in sorted((+one.unkept).items()))
    if listed:
        where.warning("not-kept", f"not kept: {listed}")
    phases: dict[int, int] = {}
    overlaps = 0
    for _, start, end, id_ in sorted((span for span in one.spans if span[0] == "phase"), key=lambda span: span[1:]):
        overlaps += sum(phases.get(frame, id_) != id_ for frame in range(start, end))
        phases |= dict.fromkeys(range(start, end), id_)
    if overlaps:
        where.warning("span-overlap", f"{overlaps} frames have two phases: the one that starts later counts")
    rate, ranges = _stated_rate(one)
    steps = [span for span in one.spans if span[0] != "phase"]
    instances = None
    if boxes:
        rows = sorted(one.rows, key=lambda row: int(row["position"]))
        positions = np.array(sorted({*range(count), *(int(row["position"]) for row in rows)}), np.int64)
        instances = Layer(where.file, positions, detailed_rows(rows, DETAILS))
    if instances is None and not one.spans:
        where.error("no-labels", "it has no boxes of a video and no phases or steps", "these results cannot be read; label a video")
    return Labels(
        name,
        NAME,
        one.vocabulary,
        SOURCE_FRAMES if rate is None else Clock(1 / rate),
        phases=layer_of_phases(where.file, phases) if phases else None,
        instances=instances,
        detail="instrument",
        segments=segment_rows(steps) if steps else None,
        counts_time=rate is not None,
        program_fps=rate,
        fitting_fps=ranges,
    )


@writes(NAME, holds=("phases", "instances", "boxes", "repeats", "partial", "details", "empty frames"), needs=("instrument_id",))
def write(collection: Collection, out: Output) -> None:
    """Write ``label_studio.json``: a task per recording, with one annotation; a box in no track has a result of its own."""
    vocabulary = own_categories.reference(one_vocabulary(collection.recordings))
    tasks = []
    rates = {(1 / one.clock.period_s, one.instances is not None) for one in collection.recordings if one.clock.period_s}
    for rate, is_stated in sorted(rates):
        asked = "" if is_stated else f", and read timelines without boxes, which do not state it, with --fps {rate}"
        out.notes.append(f"{NAME}: frames are numbered at {rate} per second: set this framerate in the tag <Video>{asked}")
    for number, labels in enumerate(collection.recordings, start=1):
        period_s = labels.clock.period_s or Fraction(0)
        results = [*_boxes(labels, period_s, out), *_timeline(labels)]
        frames = {} if labels.instances is None else {FRAMES: _count(labels.instances, out)}
        data = {"video": f"{labels.recording}.mp4", VOCABULARY: vocabulary, **frames}
        tasks.append({"id": number, "data": data, "annotations": [{"id": number, "result": results}]})
    out.files[FILE] = (json.dumps(tasks, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _count(layer: Layer, out: Output) -> int:
    """Return how many frames from the first one on are labelled; 0 where others are, whose empty ones are lost."""
    positions = layer.positions.tolist()
    if positions == list(range(len(positions))):
        return len(positions)
    out.lose("frames labelled as empty", sum(not rows for rows in by_position(layer).values()))
    return 0


def _timeline(labels: Labels) -> Iterator[dict[str, Any]]:
    phases = phase_of(labels.phases)
    frames = np.array(sorted(phases), np.int64)
    spans = of_phases(frames, np.array([phases[frame] for frame in frames.tolist()], np.int64))
    for number, (start, end, id_) in enumerate(spans[["start", "end", "label_id"]].itertuples(index=False, name=None)):
        value = {"ranges": [{"start": start + 1, "end": end}], TIMELINE: [labels.vocabulary.phases[id_]]}
        yield {"id": f"phase_{number}", "type": TIMELINE, "from_name": "phase", "to_name": "video", "value": value}


def _boxes(labels: Labels, period_s: Fraction, out: Output) -> Iterator[dict[str, Any]]:
    layer = labels.instances
    if layer is None:
        return
    column = tracks.written_column(layer.rows)
    out.lose_details(layer.rows, {column, INTERPOLATED})
    by_track: dict[tuple[bool, int, int], list[dict[str, Any]]] = {}
    for at, row in enumerate(row for rows in by_position(layer).values() for row in rows):
        id_ = row.get(column)
        key = (True, at, 0) if id_ is None or id_ < 0 else (False, int(id_), int(row["instrument_id"]))
        by_track.setdefault(key, []).append(row)
    ids = Counter(id_ for is_single, id_, _ in by_track if not is_single)
    out.lose("ids of tracks whose boxes have several instruments", sum(count for count in ids.values() if count > 1))
    count = int(layer.positions[-1]) + 1
    for (is_single, id_, instrument), rows in sorted(by_track.items()):
        text = f"box_{id_}" if is_single or ids[id_] == 1 else f"box_{id_}_{instrument}"
        value = {
            "framesCount": count,
            "duration": float(count * period_s),
            "sequence": _sequence(rows, period_s),
            "labels": [labels.vocabulary.instruments[rows[0]["instrument_id"]]],
        }
        yield {
            "id": text if is_single or ids[id_] > 1 else f"track_{id_}",
            "type": BOXES,
            "from_name": "box",
            "to_name": "video",
            "value": value,
        }


def _sequence(rows: Sequence[Mapping[str, Any]], period_s: Fraction) -> list[dict[str, Any]]:
    """Return the key frames of a track: of what was interpolated all, too, where Label Studio would draw other boxes."""
    keys = {at for at, row in enumerate(rows) if row.get(INTERPOLATED) != 1} | {0, len(rows) - 1}
    ends = {at for at in range(len(rows)) if at + 1 == len(rows) or rows[at + 1]["position"] != rows[at]["position"] + 1}
    stated = sorted(keys | ends | {at + 1 for at in ends if at + 1 < len(rows)})
    kept = set(stated)
    for first, last in itertools.pairwise(stated):
        if not all(_is_drawn(rows[first], rows[at], rows[last]) for at in range(first + 1, last)):
            kept |= set(range(first, last))
    return [
        {
            "frame": rows[at]["position"] + 1,
            "enabled": at not in ends,
            "rotation": 0,
            "time": float((rows[at]["position"] + 1) * period_s),
            **{name: round(rows[at][side] * 100, DIGITS) for name, side in zip(SIDES, BOX, strict=True)},
        }
        for at in sorted(kept)
    ]


def _is_drawn(first: Mapping[str, Any], row: Mapping[str, Any], last: Mapping[str, Any]) -> bool:
    share = (row["position"] - first["position"]) / (last["position"] - first["position"])
    return all(abs(first[side] + (last[side] - first[side]) * share - row[side]) <= AS_DRAWN for side in BOX)
