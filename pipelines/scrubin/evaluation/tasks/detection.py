"""Detection of triplets or instruments: average precision, best confidence, association."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, cast

import numpy as np
import numpy.typing as npt
import pandas as pd

from scrubin.errors import MetricsError
from scrubin.evaluation.class_names import of_vocabulary
from scrubin.evaluation.computation import Choice, Computation, Computed
from scrubin.evaluation.series import join
from scrubin.evaluation.tasks.detection_files import Side
from scrubin.labels.model import BOX
from scrubin.metrics.bootstrap import IntArray
from scrubin.metrics.detection import compat_ivtdmetrics, compat_ivtmetrics, matching
from scrubin.metrics.detection.association import association
from scrubin.metrics.detection.average_precision import average_precision, average_precision_range
from scrubin.metrics.detection.confidence import at_best_confidence
from scrubin.metrics.detection.precision_recall import INTERPOLATIONS
from scrubin.metrics.detection.rows import BoxRows, BoxStudy, Scene, checked
from scrubin.metrics.result import Result

COMPONENTS = ("ivt", "i", "v", "t")
ID_OF = {"ivt": "triplet_id", "i": "instrument_id", "v": "verb_id", "t": "target_id"}
SCOPES = ("both", "video-wise", "global")
PROGRAMS = ("ivtmetrics-0.1.5", "ivtmetrics-0.1.2", "ivtdmetrics-0.1")
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "component": Choice(("all", *COMPONENTS), "all", "whose class must be right"),
        "scope": Choice(SCOPES, "both", "mean over videos, or all frames together"),
        "iou": Choice((), "0.5", "least IoU of a true detection, in 0..1"),
        "interpolation": Choice(INTERPOLATIONS, "step", "how the area under the curve is taken"),
    },
    "compat": {
        "program": Choice(PROGRAMS, PROGRAMS[0], "which published program"),
        "component": Choice(("all", *COMPONENTS), "all", "as the program names them"),
        "scope": Choice(SCOPES, "both", "compute_video_AP or compute_global_AP, where the program has it"),
        "iou": Choice((), "0.5", "threshold of the program"),
        "style": Choice(("coco", "11point"), "coco", "of ivtdmetrics"),
    },
}


def computed(truth: Side, predictions: Side, semantics: str, choice: Mapping[str, str]) -> tuple[list[Computed], list[str]]:
    """Return what is to be computed of truth and predictions, and what the user should know.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the boxes.
    """
    joined = join(truth.tracks, predictions.tracks, every_frame=predictions.every_frame)
    names = tuple(joined.pairs)
    lengths = [len(joined.pairs[name].frames) for name in names]
    at_truth = {name: truth.tracks[name].frames[pair.truth] for name, pair in joined.pairs.items()}
    at_found = {
        name: np.where(
            pair.prediction < 0, -1, predictions.tracks[name].frames[pair.prediction] if len(predictions.tracks[name].frames) else -1
        )
        for name, pair in joined.pairs.items()
    }
    study = BoxStudy(names, lengths, truth.sizes, _rows(truth, names, at_truth), _rows(predictions, names, at_found))
    scene = checked(study)
    components = _components(truth, choice["component"])
    threshold = _iou(choice["iou"])
    make = _paper if semantics == "paper" else _compat
    results = make(scene, components, threshold, choice)
    return [Computed(names, results, of_vocabulary(truth.words), joined.frames, truth.words.name)], joined.notes


def _paper(scene: Scene, components: Sequence[str], threshold: float, choice: Mapping[str, str]) -> Computation:
    area = cast("Any", choice["interpolation"])

    def results(draw: IntArray | None) -> list[Result]:
        of = scene if draw is None else matching.draw(scene, draw)
        found: list[Result] = []
        for scope in cast("Any", _scopes(choice)):
            for name in components:
                found.append(average_precision(of, name, threshold=threshold, interpolation=area, scope=scope))
                found.append(average_precision_range(of, name, interpolation=area, scope=scope))
                best = at_best_confidence(of, name, threshold=threshold, scope=scope)
                found += [best.precision, best.recall, best.f1]
            if "ivt" in components:
                found += association(of, threshold=threshold, scope=scope).values()
        return found

    return results


def _compat(scene: Scene, components: Sequence[str], threshold: float, choice: Mapping[str, str]) -> Computation:
    program = choice["program"]
    if "ivt" not in scene.sizes:
        msg = f"{program} needs triplets and instruments, but only instruments are labelled; use the semantics 'paper'"
        raise MetricsError(msg)
    if program == "ivtdmetrics-0.1":
        return _ivtdmetrics(compat_ivtdmetrics.of_videos(scene, threshold), components, choice)
    release = cast("Any", program.removeprefix("ivtmetrics-"))
    published = compat_ivtmetrics.of_videos(scene, threshold, program=release)
    # For v and t ivtmetrics returns the numbers of i, and 0.1.5 has no global ones: only asked for by name.
    own = [name for name in components if name in ("ivt", "i") or choice["component"] != "all"]
    scopes = [scope for scope in _scopes(choice) if scope == "video-wise" or release != "0.1.5" or choice["scope"] == "global"]

    def results(draw: IntArray | None) -> list[Result]:
        of = published if draw is None else published.take(draw)
        found: list[Result] = []
        for name in own:
            found += of.compute_video_ap(name).values() if "video-wise" in scopes else ()
            found += of.compute_global_ap(name).values() if "global" in scopes else ()
        return found

    return results


def _ivtdmetrics(published: compat_ivtdmetrics.Detection, components: Sequence[str], choice: Mapping[str, str]) -> Computation:
    style, scopes = cast("Any", choice["style"]), _scopes(choice)

    def results(draw: IntArray | None) -> list[Result]:
        of = published if draw is None else published.take(draw)
        found: list[Result] = []
        for name in components:
            found += of.compute_video_ap(name, style).values() if "video-wise" in scopes else ()
            found += of.compute_global_ap(name, style).values() if "global" in scopes else ()
        return found

    return results


def _scopes(choice: Mapping[str, str]) -> tuple[str, ...]:
    return SCOPES[1:] if choice["scope"] == "both" else (choice["scope"],)


def _components(truth: Side, wanted: str) -> tuple[str, ...]:
    if wanted == "all":
        return tuple(truth.sizes)
    if wanted not in truth.sizes:
        msg = f"component {wanted}: only instruments are labelled; choose component=i"
        raise MetricsError(msg)
    return (wanted,)


def _iou(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = -1.0
    if not 0 < value <= 1:
        msg = f"--variant iou={text}: give a number above 0, up to 1, such as 0.5"
        raise MetricsError(msg)
    return value


def _rows(side: Side, names: Sequence[str], frames: Mapping[str, npt.NDArray[Any]]) -> BoxRows:
    videos, places, parts = [], [], []
    for number, name in enumerate(names):
        place_of = {frame: place for place, frame in enumerate(frames[name].tolist()) if frame >= 0}
        rows = side.rows[name]
        rows = rows[rows["position"].isin(list(place_of))]
        videos.append(np.full(len(rows), number, np.int64))
        places.append(np.array([place_of[frame] for frame in rows["position"].tolist()], np.int64))
        parts.append(rows)
    every = pd.concat(parts, ignore_index=True)
    classes = {name: every[column].to_numpy(np.int64) for name, column in ID_OF.items() if name in side.sizes}
    scores = every["score"].fillna(1.0).to_numpy(np.float64)
    return BoxRows(np.concatenate(videos), np.concatenate(places), classes, every[list(BOX)].to_numpy(np.float64), scores)
