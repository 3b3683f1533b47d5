"""Recognition of triplets, or of instruments where only these are labelled: both sides from files, AP, top-k accuracy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, cast

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, error, warning
from scrubin.base.vocabulary.vocabulary import Vocabulary
from scrubin.evaluate import side
from scrubin.evaluate.computation import (
    ComparedClasses,
    Computation,
    Computed,
    Scoring,
    drawn_videos,
    refuse_foreign,
    scopes_of,
    with_alone,
)
from scrubin.evaluate.metrics import ensembles, variants
from scrubin.evaluate.metrics.bootstrap import Draw, drawn
from scrubin.evaluate.metrics.recognition import FloatArray, TripletMap, TripletVideo, calibration, compat, top_k, triplet_map
from scrubin.evaluate.metrics.recognition.average_precision import Table, of_per_video, per_video, pooled, tables, without_null
from scrubin.evaluate.metrics.result import Result
from scrubin.evaluate.metrics.variants import CALIBRATION, COMPONENTS, PRECISION, RECOGNITION_CHOICES, Component
from scrubin.evaluate.score_document import class_names
from scrubin.evaluate.series import Pair, Series, not_whole, paired, recognised, series_of
from scrubin.evaluate.side import Predictions, Source
from scrubin.labels.files.reader import NumberedLabels
from scrubin.labels.model import ClassesOf, ClassList, Labels, Layer
from scrubin.labels.rows import class_occurrence, class_scores, has_whole_triplets, number_of_classes

Labelled = tuple[NumberedLabels, Layer]
Ensemble = Literal["mean", "weighted", "soft-vote"]

OF_KIND: Mapping[str, Sequence[str]] = {PRECISION: ("component", "scope", "null", "k"), CALIBRATION: ("component", "null", "bins")}

PUBLISHED_MAP = "cholect50"
"""Whose parts of triplets the published program holds."""
NAMES: Mapping[ClassesOf, str] = {"ivt": "triplets", "i": "instruments"}


@dataclass(frozen=True, eq=False)
class Truth:
    """Labels of all videos.

    Parameters
    ----------
    series
        0/1 matrices by video.
    vocabulary, classes
        What the columns are: triplets or instruments of which vocabulary.
    faults, line
        What stops nothing, and as what the files were read.
    lists
        What the numbers of classes mean in files that do not name them.
    whole_lists
        All classes that files list, where these alone say which of the vocabulary there are.
    uncounted
        Videos that are labelled, but not as a whole, so that they do not count: in what they are predicted is nobody's concern.
    """

    series: Mapping[str, Series]
    vocabulary: Vocabulary
    classes: ClassesOf
    faults: tuple[Fault, ...] = ()
    line: str = ""
    lists: tuple[ClassList, ...] = ()
    whole_lists: tuple[ClassList, ...] = ()
    uncounted: frozenset[str] = frozenset()

    @property
    def triplets(self) -> TripletMap:
        """The map of triplets; instruments alone are triplets of one verb and target."""
        vocabulary = self.vocabulary
        if self.classes == "i":
            return triplet_map([(instrument, 0, 0) for instrument in range(len(vocabulary.instruments))], null=())
        return triplet_map(vocabulary.triplets, verbs=len(vocabulary.verbs), targets=len(vocabulary.targets), null=vocabulary.null_triplets)


def truth_of(source: Source) -> Truth:
    """Return the labels: of triplets in the videos that have whole ones, else of instruments.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or without labels of instruments.
    """
    read = side.read_truth(source, "instances")
    side.refuse_predicted(source, read)
    labelled = [(video, layer) for video in read.videos if (layer := video.labels.instances) is not None]
    if not labelled:
        what = f"no instrument is labelled in these {read.form.name} files"
        raise MetricsError([error(str(source.path), "no-labels", what, "give labels of triplets or instruments"), *read.faults])
    vocabulary = side.one_vocabulary(source, read, [video for video, _ in labelled])
    classes, names = recognised({video.name: has_whole_triplets(video.labels) for video, _ in labelled})
    counted = [(video, layer) for video, layer in labelled if video.name in names]
    whole = counted if classes == "ivt" else []
    scored = [(video, layer, class_occurrence(layer, vocabulary, classes)) for video, layer in counted]
    series = {video.name: series_of(video, read.file_of(layer.file), layer.positions, occurs) for video, layer, occurs in scored}
    faults = (*_partial(labelled, whole, vocabulary), *read.faults)
    uncounted = frozenset(video.name for video, _ in labelled) - series.keys()
    return Truth(series, vocabulary, classes, faults, read.line, read.lists, read.whole_lists, uncounted)


def predictions_of(source: Source, truth: Truth) -> Predictions:
    """Return predicted scores in the classes of the truth.

    Raises
    ------
    ScrubinError
        For files that cannot be used, or in other classes.
    """
    read = side.read_predictions(source, "instances", truth.vocabulary, truth.lists, truth.series)
    series: dict[str, Series] = {}
    for video in read.videos:
        scores = _scores(source, video.labels, truth)
        series |= {} if scores is None else {video.name: series_of(video, read.file_of(scores[0]), *scores[1:])}
    return Predictions(series, read.faults, read.line)


def _partial(labelled: Sequence[Labelled], whole: Sequence[Labelled], vocabulary: Vocabulary) -> tuple[Fault, ...]:
    """Return the warning of videos with instances that are no whole triplet."""
    partial = sorted({video.name for video, _ in labelled} - {video.name for video, _ in whole})
    if not partial or not vocabulary.triplets:
        return ()
    if len(partial) < len(labelled):
        return (not_whole(partial, len(labelled)),)
    count = sum(int(layer.rows["triplet_id"].isna().sum()) for _, layer in labelled)
    return (warning("", "triplet-partial", f"{count} instances are no whole triplet, so only instruments are scored"),)


def _scores(source: Source, labels: Labels, truth: Truth) -> tuple[str, Draw, FloatArray] | None:
    """Return the file, frames and scores of a video; None where the files predict something else of it."""
    layer, scores = labels.instances, labels.recognition
    has_scores = scores is not None and (scores.classes == truth.classes or layer is None)
    if not has_scores and layer is None:
        return None
    predicted = scores.classes if scores is not None and has_scores else "ivt" if has_whole_triplets(labels) else "i"
    # Instances of triplets also are instances of instruments; a matrix is of the one or the other.
    must_be_same = truth.classes == "ivt" or has_scores or (layer is not None and layer.boxless)
    if labels.vocabulary.name != truth.vocabulary.name or (predicted != truth.classes and must_be_same):
        if labels.recording in truth.uncounted:
            return None
        _refuse_classes(source, labels, predicted, truth)
    if scores is not None and has_scores:
        undefined = scores.positions[np.isnan(scores.scores).any(axis=1)]
        if len(undefined):
            what, fix = "it has no 'recognition'", "give a probability for every triplet"
            raise MetricsError([Fault(scores.file, "recognition-missing", what, fix, frames=tuple(undefined.tolist()))])
        return scores.file, scores.positions, scores.scores
    assert layer is not None
    return layer.file, layer.positions, class_scores(layer, truth.vocabulary, truth.classes)


def _refuse_classes(source: Source, labels: Labels, predicted: ClassesOf, truth: Truth) -> None:
    sides = ((predicted, labels.vocabulary), (truth.classes, truth.vocabulary))
    theirs, ours = (f"{number_of_classes(vocabulary, one)} {NAMES[one]} of '{vocabulary.name}'" for one, vocabulary in sides)
    what = f"{labels.recording} is predicted in {theirs}, the ground truth has {ours}"
    why = next((f" ({fault.what})" for fault in truth.faults if fault.rule == "triplet-partial"), "")
    raise MetricsError([error(str(source.path), "classes-other", what + why, "predict these")])


def computed(truth: Truth, predictions: Mapping[str, Series], semantics: str, choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed of truth and predictions.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice does not fit the labels.
    """
    joined = paired(truth.series, predictions)
    videos = [
        TripletVideo(name, truth.series[name].values[pair.truth].astype(np.bool_), predictions[name].values[pair.prediction])
        for name, pair in joined.pairs.items()
    ]
    components = _components(truth, choice["component"])
    results_of = _paper if semantics == "paper" else _compat
    if semantics == "paper":
        refuse_foreign(choice, RECOGNITION_CHOICES["paper"], OF_KIND)
        results_of = _calibration if choice["kind"] == CALIBRATION else _paper
        if choice["kind"] == CALIBRATION:
            fix = "calibration is of probabilities in 0..1: apply a sigmoid to logits first"
            every = joined.pairs.items()
            MetricsError.raise_any(fault for name, pair in every for fault in _improbable(truth, name, predictions[name], pair, fix))
    # The published program numbers classes by their position.
    names = class_names(truth.vocabulary, by_position=semantics == "compat")
    triplets = replace(truth.triplets, there=_taking_part(truth, videos))
    further: tuple[Fault, ...] = ()
    if triplets.there is not None:
        likely = {id_ for one in videos for id_ in np.flatnonzero((np.asarray(one.scores) > 0).any(axis=0)).tolist()}
        further = side.only_predicted({truth.classes: likely.difference(triplets.there)}, names)
    results = results_of(videos, triplets, components, choice)
    if semantics == "paper":
        results = with_alone(results, "recognition", choice, lambda draw: (drawn_videos(videos, draw), truth.triplets))
    compared = ComparedClasses(videos, {name: pair.frames for name, pair in joined.pairs.items()}, truth.triplets)
    part = Computed(tuple(joined.pairs), results, names, joined.frames, truth.vocabulary.name, compared)
    return Scoring([part], (*further, *joined.faults), _own_map(truth) if semantics == "compat" else [])


def _own_map(truth: Truth) -> list[str]:
    """Return a note of what the published program does not have: the parts of triplets that are not those of CholecT50."""
    if truth.classes == "i" or truth.vocabulary.name == PUBLISHED_MAP:
        return []
    ours = f"the numbers of i, v, t, iv and it are ours, by its rules, of '{truth.vocabulary.name}'"
    return [f"the published program knows the triplets of CholecT50 only: {ours}"]


def _taking_part(truth: Truth, videos: Sequence[TripletVideo]) -> tuple[int, ...] | None:
    if not truth.whole_lists:
        return None
    labelled = {id_ for video in videos for id_ in np.flatnonzero(np.asarray(video.targets).any(axis=0)).tolist()}
    return side.taking_part(truth.whole_lists, truth.vocabulary, truth.classes, labelled, len(truth.triplets))


def combined(
    truth: Truth, models: Sequence[Mapping[str, Series]], names: Sequence[str], how: Ensemble, weights: Sequence[float]
) -> tuple[dict[str, Series], tuple[Fault, ...]]:
    """Return an ensemble of what models predict of the labelled frames, and what is to be said of each model.

    Parameters
    ----------
    truth
        The labels: what else a model predicts does not count, as of one alone.
    models, names
        Predictions of each, and what was named.

    Raises
    ------
    MetricsError
        When a model lacks a labelled frame or is at another rate, a score is no probability, or weights do not fit.
    """
    called = [f"model {number} ({name})" for number, name in enumerate(names, 1)]
    joined = []
    for one, model in zip(models, called, strict=True):
        try:
            joined.append(paired(truth.series, one))
        except MetricsError as refused:
            raise MetricsError([_of_model(fault, model) for fault in refused.faults]) from refused
    faults = tuple(_of_model(fault, model) for one, model in zip(joined, called, strict=True) for fault in one.faults)
    ensemble = {}
    for name, first in joined[0].pairs.items():
        faults += _of_other_rates(name, [one[name] for one in models], called)
        of_video = []
        for one, pairs, model in zip(models, joined, called, strict=True):
            pair = pairs.pairs[name]
            if not np.array_equal(pair.frames, first.frames):
                what = f"video {name} is predicted at another rate than by {called[0]}"
                raise MetricsError([_of_model(error(one[name].file, "models-rate", what, "predict the same frames with all"), model)])
            fix = "scores of an ensemble must lie in 0..1: pass logits through a sigmoid first"
            MetricsError.raise_any([_of_model(fault, model) for fault in _improbable(truth, name, one[name], pair, fix)])
            of_video.append(one[name].values[pair.prediction])
        if how == "weighted":
            values = ensembles.weighted(of_video, list(weights))
        else:
            values = ensembles.mean(of_video) if how == "mean" else ensembles.soft_vote(of_video)
        own = models[0][name]
        ensemble[name] = replace(own, frames=own.frames[first.prediction], values=values)
    return ensemble, faults


def _of_other_rates(name: str, of_models: Sequence[Series], called: Sequence[str]) -> tuple[Fault, ...]:
    """Return a warning of each model that has several times the frames that another one has of a video, where no file says a rate."""
    fewest, call = min(zip(of_models, called, strict=True), key=lambda one: len(one[0].frames))
    faults = []
    for one, model in zip(of_models, called, strict=True):
        times = _times_the_frames(one, fewest)
        if times < 2 or None not in (one.numbering, fewest.numbering):
            continue
        many, few = len(one.frames), len(fewest.frames)
        about = "" if many == times * few else "about "
        what = f"has {many} frames of the video {name}, {about}{times} times the {few} of {call}: they may be at another rate"
        fix = "predict the same frames with all, or write the rate into the files"
        faults.append(_of_model(warning(one.file or name, "models-rate", what, fix, place=one.place), model))
    return tuple(faults)


def _times_the_frames(one: Series, fewest: Series) -> int:
    """Return how many times the frames of another model one has, and comes as many times as far; 0 where it is no whole number.

    From the first to the last frame there are 2n - 1 at twice the rate, and films end between two frames: both may be off by less than a
    step. Who predicts only the labelled ones of the same frames comes as far as the others.
    """
    few, short = len(fewest.frames), _length(fewest)
    times = round(len(one.frames) / few) if few > 1 else 0
    step = short / few if few else 0
    is_as_many, is_as_far = abs(len(one.frames) - times * few) < times, abs(_length(one) - times * short) < times * step
    return times if is_as_many and is_as_far else 0


def _length(series: Series) -> int:
    """Return how many frames lie from the first to the last one."""
    return int(series.frames[-1] - series.frames[0]) + 1 if len(series.frames) else 0


def _of_model(fault: Fault, model: str) -> Fault:
    return replace(fault, what=f"{model}: {fault.what}")


def _improbable(truth: Truth, name: str, series: Series, pair: Pair, fix: str) -> list[Fault]:
    """Return the error of the first score outside 0..1 in the frames of a video that count, with file, frame and class; none: []."""
    values = np.asarray(series.values[pair.prediction], np.float64)
    # The negation catches NaN.
    wrong = np.argwhere(~((values >= 0) & (values <= 1)))
    if not len(wrong):
        return []
    at, column = wrong[0].tolist()
    vocabulary = truth.vocabulary
    class_ = vocabulary.triplet_name(column) if truth.classes == "ivt" else vocabulary.instruments[column]
    # With all digits: just above 1 is not 1.
    what = f"the score of class {column} ('{class_}') is {float(values[at, column])!r}"
    frame = int(series.frames[pair.prediction[at]])
    return [Fault(series.file or name, "score-range", what, fix, place=series.place, frames=(frame,))]


def _paper(videos: Sequence[TripletVideo], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]) -> Computation:
    scopes = scopes_of(choice)
    wanted = [(name, ignore) for name in components for ignore in _nulls(name, choice, triplets)]
    by_video = per_video(videos, triplets, components) if "video-wise" in scopes else {}
    counted = pooled(videos, triplets, components) if "global" in scopes else {}
    whole = {
        (name, ignore): without_null(counted[name], triplets) if ignore else counted[name] for name, ignore in wanted if name in counted
    }
    hits = top_k.hits_by_video(videos, triplets, _ks(choice["k"]), components[-1])
    classes = len(triplets.grouping(components[-1]).ids)
    pools: dict[tuple[Component, bool], Table] = {}

    def results(draw: Draw | None) -> list[Result]:
        if draw is not None and not pools:
            # Only draws need what the pool is made of.
            pools.update({one: tables(videos, triplets, [one[0]], ignore_null=one[1])[one[0]] for one in whole})
        values: list[Result] = []
        for name, ignore in wanted:
            if "video-wise" in scopes:
                table = by_video[name] if draw is None else by_video[name].take(draw)
                values.append(of_per_video(table, triplets, name, ignore_null=ignore))
            if "global" in scopes:
                values.append(whole[name, ignore] if draw is None else pools[name, ignore].take(draw))
        for k, of_k in hits.items():
            one = of_k if draw is None else drawn(of_k, draw)
            values.append(top_k.accuracy(one, k, components[-1], classes).result)
        return values

    return results


def _calibration(
    videos: Sequence[TripletVideo], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]
) -> Computation:
    text = choice["bins"]
    most = calibration.MOST_BINS
    if not (text.isascii() and text.isdigit() and len(text) <= len(str(most)) and 1 <= int(text) <= most):
        raise MetricsError(f"--variant bins={text}: give a whole number from 1 to {most}, such as {variants.BINS}")
    whole = calibration.Calibration(videos, triplets, int(text))
    wanted = [(name, ignore) for name in components for ignore in _nulls(name, choice, triplets)]
    return lambda draw: [one for name, ignore in wanted for one in whole.results(name, ignore_null=ignore, draw=draw)]


def _compat(
    videos: Sequence[TripletVideo], triplets: TripletMap, components: Sequence[Component], choice: Mapping[str, str]
) -> Computation:
    scopes, ks = scopes_of(choice), _ks(choice["k"])
    release = cast("compat.ScikitLearn", choice["scikit-learn"])
    whole = compat.of_videos(videos, triplets, scikit_learn=release)

    def results(draw: Draw | None) -> list[Result]:
        published = whole if draw is None else whole.take(draw)
        values = []
        for name in components:
            for ignore in _nulls(name, choice, triplets):
                values += [published.compute_video_ap(name, ignore)] if "video-wise" in scopes else []
                values += [published.compute_global_ap(name, ignore)] if "global" in scopes else []
        return [*values, *(published.top_k(k, components[-1]) for k in ks)]

    return results


def _components(truth: Truth, wanted: str) -> tuple[Component, ...]:
    if truth.classes == "i" and wanted not in ("all", "i"):
        raise MetricsError(f"component {wanted}: {variants.ONLY_INSTRUMENTS}; choose component=i")
    every: tuple[Component, ...] = COMPONENTS if truth.classes == "ivt" else ("i",)
    return every if wanted == "all" else (cast("Component", wanted),)


def _nulls(name: Component, choice: Mapping[str, str], triplets: TripletMap) -> tuple[bool, ...]:
    if name != "ivt":
        return (False,)
    if choice["null"] == "both":
        return (False, True) if triplets.null else (False,)
    return (choice["null"] == "left-out",)


def _ks(text: str) -> tuple[int, ...]:
    parts = text.split(",")
    if not all(part.isascii() and part.isdigit() and int(part) for part in parts):
        raise MetricsError(f"--variant k={text}: give whole numbers from 1 with commas, such as 5,10")
    return tuple(dict.fromkeys(map(int, parts)))
