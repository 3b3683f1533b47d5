"""Ground truth from whatever the organiser has: our own, labels in any format, images, or a list of frames."""

from __future__ import annotations

import csv
import re
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path

import numpy as np

from scrubin.errors import AnnotationError
from scrubin.evaluation.submission import own_truth
from scrubin.evaluation.submission.truth import GroundTruth, TrueVideo
from scrubin.labels import detect, policy, reader
from scrubin.labels.export import span_frames, timing
from scrubin.labels.formats.submission.detections import Boxes
from scrubin.labels.formats.submission.frame_keys import PLAIN
from scrubin.labels.model import BOX, Labels, Layer
from scrubin.labels.reader import Options
from scrubin.labels.registry import WRITERS, format_of
from scrubin.labels.verdict import verdict_of
from scrubin.vocabulary import vocabulary
from scrubin.vocabulary.vocabulary import Vocabulary

DEFAULT = "cholect50"
SPANS_FPS = Fraction(1)
IMAGE = re.compile(r"[0-9]{1,15}\.(?:png|jpe?g)", re.IGNORECASE)
KNOWN = (
    "labels in any format that `scrubin convert` reads, our own ground truth (<vocabulary>/recognition/<video>.npz), "
    "images (<video>/000000.png) or a CSV with the columns video,frame"
)


def read(path: Path, *, form: str | None = None, words: str | None = None, only: Sequence[str] = ()) -> GroundTruth:
    """Return a ground truth.

    Parameters
    ----------
    path
        Folder or file.
    form
        Format of labels, as `scrubin convert` names them; None: told from what is there.
    words
        Name of the vocabulary; None: that of the labels, else CholecT50's.
    only
        Names of the videos that count; none: all.

    Raises
    ------
    AnnotationError
        When it cannot be read, is of no known kind, has no frames, or lacks a video that was asked for.
    """
    truth = _read(path, form, words)
    videos = {name: truth.videos[name] for name in sorted(truth.videos)}
    unknown = sorted(set(only) - set(videos))
    if unknown:
        msg = f"{path}: there is no video {unknown[0]} in it; there are {', '.join(list(videos)[:10])}{' ...' if len(videos) > 10 else ''}"
        raise AnnotationError(msg)
    kept = {name: video for name, video in videos.items() if not only or name in only}
    if not any(len(frames) for video in kept.values() for frames in (video.frames, video.phase_frames) if frames is not None):
        msg = f"{path}: the ground truth has no frames; name a folder or file with {KNOWN}"
        raise AnnotationError(msg)
    return GroundTruth(truth.vocabulary, kept, truth.verdict)


def _read(path: Path, form: str | None, words: str | None) -> GroundTruth:
    if form is None:
        own = own_truth.folder_in(path, words)
        if own is not None:
            return own_truth.read(own, words)
        if _is_frame_list(path):
            return _frame_list(path, words)
    try:
        return _labels(path, form, words)
    except AnnotationError as error:
        # Only where nothing is a label file can images be what is meant.
        images = _images(path, words) if form is None and error.faults[0].rule in ("format-unknown", "no-files") else None
        if images is None:
            raise
        return images


def _is_frame_list(path: Path) -> bool:
    if not path.is_file() or path.suffix != ".csv":
        return False
    with path.open("rb") as opened:
        header = opened.readline().removeprefix(b"\xef\xbb\xbf").replace(b'"', b"").strip().split(b",")
    return b"frame" in header and set(header) <= {b"video", b"id", b"frame"} and len(header) == 2


def _labels(path: Path, form: str | None, words: str | None) -> GroundTruth:
    known = format_of(form) if form is not None else detect.detected(path)
    names_its_own = known.by_hand.names_vocabulary or (known.by_hand.vocabulary_of is not None and not known.by_hand.vocabulary)
    # The vocabulary of labels is that of the file, unless another one is asked for.
    reading = reader.read_path(path, known.name, Options(None if names_its_own or words is None else vocabulary.load(words)))
    policy.enforce("rank", reading.faults)
    recordings = [_by_frame(labels, known.by_hand.fps) for labels in reading.collection.recordings]
    vocabularies = {labels.vocabulary.name: labels.vocabulary for labels in recordings}
    if len(vocabularies) != 1:
        names = ", ".join(sorted(vocabularies)) or "none"
        msg = f"{path}: the labels must be of one vocabulary, but there are {names}; name one folder per vocabulary"
        raise AnnotationError(msg)
    (used,) = vocabularies.values()
    return GroundTruth(used, {labels.recording: _video(labels, used) for labels in recordings}, verdict_of(reading))


def _by_frame(labels: Labels, source_fps: Fraction | None) -> Labels:
    """Return labels by frame, where a format has spans of time: one frame a second."""
    tables = WRITERS["tables"]
    if labels.spans is not None:
        labels = span_frames.with_frames(labels, tables, source_fps, None, 0, Counter())
    if labels.segments is not None:
        labels = timing.retimed(labels, tables, source_fps, SPANS_FPS, Counter())
    return labels


def _video(labels: Labels, words: Vocabulary) -> TrueVideo:
    layer, phases = labels.instances, labels.phases
    truth = TrueVideo(labels.recording, None) if layer is None else _triplets(labels.recording, layer, words)
    if phases is None:
        return truth
    ids = dict(zip(phases.rows["position"].tolist(), phases.rows["phase_id"].tolist(), strict=True))
    frames = np.array(sorted(ids), np.int64)
    in_order = np.array([ids[frame] for frame in frames.tolist()], np.int64)
    return TrueVideo(truth.name, truth.frames, truth.targets, truth.boxed_frames, truth.boxes, frames, in_order)


def _triplets(name: str, layer: Layer, words: Vocabulary) -> TrueVideo:
    """Return triplets and boxes; without the triplet of an instance neither can be scored, so both are None then."""
    rows, frames = layer.rows, layer.positions
    if not words.triplets or bool(rows["triplet_id"].isna().any()):
        return TrueVideo(name, frames)
    targets = np.zeros((len(frames), len(words.triplets)), np.bool_)
    targets[np.searchsorted(frames, rows["position"].to_numpy(np.int64)), rows["triplet_id"].to_numpy(np.int64)] = True
    if not rows["x"].notna().any():
        return TrueVideo(name, frames, targets)
    # A box that is not drawn would make a right detection a false alarm.
    whole = rows[list(BOX)].notna().all(axis=1)
    boxed = np.setdiff1d(frames, rows.loc[~whole, "position"].to_numpy(np.int64))
    kept = rows[rows["position"].isin(boxed)]
    boxes = Boxes(
        kept["position"].to_numpy(np.int64),
        kept["triplet_id"].to_numpy(np.int64),
        kept["instrument_id"].to_numpy(np.int64),
        kept[list(BOX)].to_numpy(np.float64),
        np.ones(len(kept)),
    )
    return TrueVideo(name, frames, targets, boxed, boxes)


def _frame_list(path: Path, words: str | None) -> GroundTruth:
    """Return the frames of a CSV with ``video`` (or ``id``) and ``frame``: what can be published without the labels."""
    try:
        rows = list(csv.DictReader(path.read_text(encoding="utf-8-sig").splitlines(), strict=True))
    except (OSError, UnicodeDecodeError, csv.Error) as error:
        msg = f"{path}: cannot be read as CSV: {error}; give the columns video,frame"
        raise AnnotationError(msg) from error
    column = next((name for name in ("video", "id") if rows and name in rows[0]), None)
    if column is None or "frame" not in rows[0]:
        msg = f"{path}: has no columns video,frame; give one line per frame to be predicted"
        raise AnnotationError(msg)
    frames: dict[str, set[int]] = {}
    for line, row in enumerate(rows, start=2):
        name, key = row[column], row["frame"] or ""
        if not name or not PLAIN.fullmatch(key) or int(key) in frames.get(name, set()):
            msg = f"{path}, line {line}: video {name!r}, frame {key!r}; give a video and a whole number from 0, each pair once"
            raise AnnotationError(msg)
        frames.setdefault(name, set()).add(int(key))
    return _only_frames(frames, words)


def _images(path: Path, words: str | None) -> GroundTruth | None:
    """Return the frames of ``<video>/000000.png`` or ``videos/<video>/000000.png``; None where there are no such images."""
    for folder in (path, path / "videos", path / "frames"):
        found = {
            one.name: {int(image.stem) for image in one.iterdir() if IMAGE.fullmatch(image.name)}
            for one in (sorted(folder.iterdir()) if folder.is_dir() else [])
            if one.is_dir()
        }
        kept = {name: frames for name, frames in found.items() if frames}
        if kept:
            return _only_frames(kept, words)
    return None


def _only_frames(frames: dict[str, set[int]], words: str | None) -> GroundTruth:
    arrays = {name: np.array(sorted(of), np.int64) for name, of in frames.items()}
    return GroundTruth(
        vocabulary.load(words or DEFAULT), {name: TrueVideo(name, of, phase_frames=of) for name, of in sorted(arrays.items())}
    )
