"""Recognition of triplets, or of instruments where only these are labelled: AP and top-k accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, cast

import numpy as np

from scrubin.errors import MetricsError
from scrubin.evaluation.class_names import of_vocabulary
from scrubin.evaluation.computation import Choice, Computation, Computed
from scrubin.evaluation.series import Track, join
from scrubin.evaluation.tasks.recognition_files import Truth
from scrubin.metrics import ensembles
from scrubin.metrics.bootstrap import IntArray, drawn
from scrubin.metrics.recognition import compat, top_k
from scrubin.metrics.recognition.components import COMPONENTS, Component, TripletMap
from scrubin.metrics.recognition.global_wise import Table, pooled, tables
from scrubin.metrics.recognition.video_wise import of_per_video, per_video
from scrubin.metrics.recognition.videos import TripletVideo
from scrubin.metrics.result import Result

Ensemble = Literal["mean", "weighted", "soft-vote"]
SCOPES = ("both", "video-wise", "global")
CHOICES: Mapping[str, Mapping[str, Choice]] = {
    "paper": {
        "component": Choice(("all", *COMPONENTS), "all", "instrument, verb, target, their pairs, or the triplet"),
        "scope": Choice(SCOPES, "both", "mean over videos, or frames of all videos pooled"),
        "null": Choice(("both", "counted", "left-out"), "both", "whether null triplets count in ivt"),
        "k": Choice((), "5,10,20", "of top-k accuracy, whole numbers with commas"),
    },
    "compat": {
        "component": Choice(("all", *COMPONENTS), "all", "as ivtmetrics names them"),
        "scope": Choice(SCOPES, "both", "compute_video_AP or compute_global_AP"),
        "null": Choice(("both", "counted", "left-out"), "both", "ignore_null"),
        "k": Choice((), "5,10,20", "of topK, whole numbers with commas"),
        "scikit-learn": Choice(("<=1.5", ">=1.6"), "<=1.5", "the release that ivtmetrics ran with: from 1.6 on, absent classes count as 0"),
    },
}


def computed(truth: Truth, predictions: Mapping[str, Track], semantics: str, choice: Mapping[str, str]) -> tuple[list[Computed], list[str]]:
    """Return what is to be computed of truth and predictions, and what the user should know.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the labels.
    """
    joined = join(truth.tracks, predictions)
    videos = [
        TripletVideo(name, truth.tracks[name].values[pair.truth], predictions[name].values[pair.prediction])
        for name, pair in joined.pairs.items()
    ]
    components = _components(truth, choice["component"])
    make = _paper if semantics == "paper" else _compat
    # The published program numbers classes by their position.
    names = of_vocabulary(truth.words, by_position=semantics == "compat")
    results = make(videos, truth.triplets, components, choice)
    return [Computed(tuple(joined.pairs), results, names, joined.frames, truth.words.name)], joined.notes


def combined(predictions: Sequence[Mapping[str, Track]], how: Ensemble, weights: Sequence[float]) -> dict[str, Track]:
    """Return an ensemble of predictions.

    Raises
    ------
    MetricsError
        When the models predict other videos or frames, or weights do not fit.
    """
    first = predictions[0]
    for number, one in enumerate(predictions):
        for name in sorted({*first, *one}):
            if name not in one or name not in first or not np.array_equal(one[name].frames, first[name].frames):
                msg = f"model {number}: video {name} is not predicted at the same frames as by model 0; predict the same with all"
                raise MetricsError(msg)
    found = {}
    for name, track in first.items():
        models = [one[name].values for one in predictions]
        if how == "weighted":
            values = ensembles.weighted(models, list(weights))
        else:
            values = ensembles.mean(models) if how == "mean" else ensembles.soft_vote(models)
        found[name] = Track(track.frames, values, track.numbering)
    return found


def _paper(videos: Sequence[TripletVideo], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]) -> Computation:
    scopes = _both(choice["scope"], SCOPES[1:])
    wanted = [(name, ignore) for name in components for ignore in _nulls(name, choice, triplets)]
    by_video = per_video(videos, triplets, components) if "video-wise" in scopes else {}
    whole = {(name, ignore): pooled(videos, triplets, [name], ignore_null=ignore)[name] for name, ignore in wanted if "global" in scopes}
    hits = top_k.hits_by_video(videos, triplets, _ks(choice["k"]), components[-1])
    classes = len(triplets.grouping(components[-1]).ids)
    pools: dict[tuple[Component, bool], Table] = {}

    def results(draw: IntArray | None) -> list[Result]:
        if draw is not None and not pools:
            # Only draws need what the pool is made of.
            pools.update({one: tables(videos, triplets, [one[0]], ignore_null=one[1])[one[0]] for one in whole})
        found: list[Result] = []
        for name, ignore in wanted:
            if "video-wise" in scopes:
                table = by_video[name] if draw is None else by_video[name].take(draw)
                found.append(of_per_video(table, triplets, name, ignore_null=ignore))
            if "global" in scopes:
                found.append(whole[name, ignore] if draw is None else pools[name, ignore].take(draw))
        for k, of_k in hits.items():
            one = of_k if draw is None else drawn(of_k, draw)
            found.append(top_k.accuracy(one, k, components[-1], classes).result)
        return found

    return results


def _compat(
    videos: Sequence[TripletVideo], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]
) -> Computation:
    scopes, ks = _both(choice["scope"], SCOPES[1:]), _ks(choice["k"])
    release = cast("compat.ScikitLearn", choice["scikit-learn"])
    whole = compat.of_videos(videos, triplets, scikit_learn=release)

    def results(draw: IntArray | None) -> list[Result]:
        published = whole if draw is None else whole.take(draw)
        found = []
        for name in components:
            for ignore in _nulls(name, choice, triplets):
                found += [published.compute_video_ap(name, ignore)] if "video-wise" in scopes else []
                found += [published.compute_global_ap(name, ignore)] if "global" in scopes else []
        return [*found, *(published.top_k(k, components[-1]) for k in ks)]

    return results


def _components(truth: Truth, wanted: str) -> tuple[Component, ...]:
    if not truth.whole and wanted not in ("all", "i"):
        msg = f"component {wanted}: only instruments are labelled; choose component=i"
        raise MetricsError(msg)
    every: tuple[Component, ...] = COMPONENTS if truth.whole else ("i",)
    return every if wanted == "all" else (cast("Component", wanted),)


def _nulls(name: Component, choice: Mapping[str, str], triplets: TripletMap) -> tuple[bool, ...]:
    if name != "ivt":
        return (False,)
    if choice["null"] == "both":
        return (False, True) if triplets.null else (False,)
    return (choice["null"] == "left-out",)


def _both(wanted: str, every: tuple[str, ...]) -> tuple[str, ...]:
    return every if wanted == "both" else (wanted,)


def _ks(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        msg = f"--variant k={text}: give whole numbers from 1 with commas, such as 5,10"
        raise MetricsError(msg)
    return tuple(dict.fromkeys(map(int, parts)))
