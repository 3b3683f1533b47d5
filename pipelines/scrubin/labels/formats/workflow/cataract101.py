"""Cataract-101: ``annotations.csv``, a line ``VideoID;FrameNo;Phase`` where a phase of a video begins; all videos in one file.

A phase lasts until the next line of its video, the last one until the end of the video: ``videos.csv`` beside it says how many
frames a video has, and how many a second. Frames are numbered from 0, phases from 1. What is before the first line of a video is
not labelled. ``phases.csv`` names the phases (``Phase;Meaning``); without it they are the ten that were published. Surgeon and
experience, which ``videos.csv`` may have, are not kept.
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from fractions import Fraction
from pathlib import Path, PurePosixPath

from scrubin.base.errors import AnnotationError
from scrubin.base.faults import Faults, error
from scrubin.base.text import csv_text
from scrubin.base.text.csv_rows import csv_of
from scrubin.base.vocabulary import own_categories, vocabulary
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.labels import registry
from scrubin.labels.model import Clock, Collection, LabelFiles, Labels, segment_rows
from scrubin.labels.parse import columns, documents, video_files
from scrubin.labels.parse.fields import Where
from scrubin.labels.registry import ByHand, Output, dataset_format, writes
from scrubin.labels.timing import BESIDE_PHASES

NAME = "cataract101"
ANNOTATIONS, VIDEOS, PHASES = "annotations.csv", "videos.csv", "phases.csv"
HEADERS: Mapping[str, tuple[str, ...]] = {
    ANNOTATIONS: ("VideoID", "FrameNo", "Phase"),
    VIDEOS: ("VideoID", "Frames", "FPS"),
    PHASES: ("Phase", "Meaning"),
}
FASTEST_FPS = 1000
Begin = tuple[int, int, int]  # line, frame, phase from 0


def vocabulary_of(files: Mapping[str, bytes]) -> Vocabulary | None:
    """Return the phases that ``phases.csv`` names; None where there is none, or it cannot be used, which the reader notes."""
    file = next((file for file in sorted(files) if PurePosixPath(file).name == PHASES), None)
    rows = [] if file is None else csv_text.read(file, files[file]).rows
    names = [row.cells.get("Meaning", "") for row in rows]
    numbers = [row.cells.get("Phase", "") for row in rows]
    if file is None or not names or not all(names) or numbers != [str(number + 1) for number in range(len(names))]:
        return None
    published = vocabulary.load(NAME)
    if [published.find("phase", name) for name in names] == list(range(len(published.phases))):
        return published
    try:
        return own_categories.known_or_own(file, {"phase": names})
    except AnnotationError:
        return None


def _begins_phases(path: Path) -> bool:
    return registry.known_name(path) == ANNOTATIONS and registry.columns_of(path) == tuple(HEADERS[ANNOTATIONS])


@dataset_format(
    NAME,
    pattern=r"(?:annotations|videos|phases)\.csv",
    expected=f"{ANNOTATIONS} and {VIDEOS}, with or without {PHASES}",
    title="Cataract-101: where phases begin, all videos in one file",
    by_hand=ByHand(vocabulary=NAME, vocabulary_of=vocabulary_of, evidence=_begins_phases),
)
def read(source: LabelFiles) -> Collection:
    """Return the phases of the videos as spans of frames, none where there is an error; all faults are in ``Collection.faults``."""
    faults = Faults()
    sheets: dict[str, csv_text.Sheet] = {}
    for file, data in sorted(source.files.items()):
        name, where = PurePosixPath(file).name, Where(faults, file)
        if name in sheets:
            where.error("file-repeated", f"there is also {sheets[name].file}", "convert the folders one by one")
            continue
        sheets[name] = video_files.table(where, data, HEADERS[name])
    if PHASES in sheets and not faults.errors():
        _check_names(Where(faults, sheets[PHASES].file), sheets[PHASES], source.vocabulary)
    for name in (ANNOTATIONS, VIDEOS):
        if name not in sheets:
            what = f"there is no {name} beside it" + (", which says the frames per second of each video" if name == VIDEOS else "")
            Where(faults, min(source.files)).error("file-missing", what, f"put {name} of the data set into the folder, and name the folder")
    if faults.errors():
        return Collection(faults=faults.all())
    videos = _videos(Where(faults, sheets[VIDEOS].file), sheets[VIDEOS])
    begins = _begins(Where(faults, sheets[ANNOTATIONS].file), sheets[ANNOTATIONS], source.vocabulary)
    where = Where(faults, sheets[ANNOTATIONS].file)
    recordings = [_labels(where, video, rows, videos, source.vocabulary) for video, rows in sorted(begins.items())]
    return Collection(() if faults.errors() else tuple(one for one in recordings if one is not None), faults=faults.all())


def _check_names(where: Where, sheet: csv_text.Sheet, phases: Vocabulary) -> None:
    for expected, row in enumerate(sheet.rows, start=1):
        at = where.at(row.place)
        if row.cells["Phase"] != str(expected):
            at.error("id-range", f"phase '{row.cells['Phase']}' where {expected} is expected", "number the phases from 1, in order")
        elif at.id_of(phases, "phase", row.cells["Meaning"], "choose another vocabulary") not in (None, expected - 1):
            at.error("name-of-id", f"'{row.cells['Meaning']}' is not phase {expected} of '{phases.name}'", "correct one of them")


def _videos(where: Where, sheet: csv_text.Sheet) -> dict[str, tuple[int, int]]:
    """Return the number of frames of each video, and of frames per second."""
    videos: dict[str, tuple[int, int]] = {}
    for row in sheet.rows:
        at, name = where.at(row.place), row.cells["VideoID"]
        frames, fps = (documents.frame_number(row.cells[column]) for column in ("Frames", "FPS"))
        if not name or not frames or not fps or fps > FASTEST_FPS:
            at.error("value-type", "it needs a video, its frames and its whole frames per second", "correct it")
        elif name in videos:
            at.error("id-repeated", f"the video {name} stands twice", "keep one of the rows")
        else:
            videos[name] = frames, fps
    return videos


def _begins(where: Where, sheet: csv_text.Sheet, phases: Vocabulary) -> dict[str, list[Begin]]:
    begins: dict[str, list[Begin]] = {}
    for row in sheet.rows:
        at, of_video = where.at(row.place), begins.setdefault(row.cells["VideoID"], [])
        frame, phase = (documents.frame_number(row.cells[column]) for column in ("FrameNo", "Phase"))
        if frame is None:
            at.error("frame-key", f"'{csv_text.shown(row.cells['FrameNo'])}' is no frame number", "frames are whole numbers from 0")
        elif phase is None or not 1 <= phase <= len(phases.phases):
            fix = "phases are numbered from 1; these look numbered from 0" if phase == 0 else "correct it"
            at.error("id-range", f"phase '{csv_text.shown(row.cells['Phase'])}' is not in 1..{len(phases.phases)}", fix)
        elif of_video and frame <= of_video[-1][1]:
            what = f"frame {frame} does not follow frame {of_video[-1][1]} of the video {row.cells['VideoID']}"
            at.error("frame-order", what, "sort the rows of a video by frame, each frame once")
        else:
            of_video.append((row.line, frame, phase - 1))
    return begins


def _labels(where: Where, video: str, begins: list[Begin], videos: Mapping[str, tuple[int, int]], phases: Vocabulary) -> Labels | None:
    if not begins:
        return None
    line, last, _ = begins[-1]
    if video not in videos:
        where.at(f"line {begins[0][0]}").error(
            "video-unknown", f"the video '{csv_text.shown(video)}' is not in {VIDEOS}", "add its row there"
        )
        return None
    frames, fps = videos[video]
    if last >= frames:
        where.at(f"line {line}").error(
            "frame-range", f"frame {last} is beyond the {frames} frames that {VIDEOS} says", "correct one of them"
        )
        return None
    ends = [*(frame for _, frame, _ in begins[1:]), frames]
    rows = [("phase", start, end, phase) for (_, start, phase), end in zip(begins, ends, strict=True)]
    return Labels(video, NAME, phases, Clock(Fraction(1, fps)), segments=segment_rows(rows))


@writes(NAME, holds=("phases", "segments"), takes=lambda vocabulary: bool(vocabulary.phases), phases_as_spans=True)
def write(collection: Collection, out: Output) -> None:
    """Write ``annotations.csv``, ``videos.csv`` and ``phases.csv``.

    Raises
    ------
    AnnotationError
        For several vocabularies, a rate that is not whole, and phases that overlap or have a gap between them.
    """
    recordings = [labels for labels in collection.recordings if labels.segments is not None]
    if not recordings:
        return
    phases = columns.one_vocabulary(recordings)
    begins: list[tuple[object, ...]] = []
    videos: list[tuple[object, ...]] = []
    faults = Faults()
    for labels in recordings:
        rows = _phases_in_order(labels, out, faults)
        per_second = 1 / (labels.clock.period_s or Fraction(1))
        if per_second.denominator != 1 or per_second > FASTEST_FPS:
            fix = "give a whole rate by --to-fps"
            faults.extend([error(labels.recording, "rate", f"{NAME} has whole frames per second, not {per_second}", fix)])
        begins += [(labels.recording, start, id_ + 1) for start, _, id_ in rows]
        videos += [(labels.recording, rows[-1][1], per_second)] if rows else []
    AnnotationError.raise_any(faults)
    names: list[tuple[object, ...]] = list(enumerate(phases.phases, start=1))
    tables = {ANNOTATIONS: begins, VIDEOS: videos, PHASES: names}
    out.files.update({name: csv_of([HEADERS[name], *rows], ";").encode() for name, rows in tables.items()})


def _phases_in_order(labels: Labels, out: Output, faults: Faults) -> list[tuple[int, int, int]]:
    """Return start, end and id of each phase."""
    if labels.segments is None:
        return []
    for kind, what in BESIDE_PHASES.items():
        out.lose(what, int((labels.segments["kind"] == kind).sum()), rows_of="span")
    spans = labels.segments[labels.segments["kind"] == "phase"].sort_values("start", kind="stable")
    rows = list(zip(spans["start"].tolist(), spans["end"].tolist(), spans["label_id"].tolist(), strict=True))
    for (_, end, _), (start, _, _) in itertools.pairwise(rows):
        if start != end:
            what = f"{NAME} needs phases without gap or overlap, but one ends at frame {end}, and the next begins at {start}"
            faults.extend([error(labels.recording, "gap", what, "label every frame from the first phase to the last, each once")])
            break
    return rows
