"""Criteria by frame: both sides from files, the criteria of the truth, what annotators reach."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from scrubin.base.errors import MetricsError
from scrubin.base.faults import Fault, error, hint
from scrubin.base.text.csv_text import shown
from scrubin.base.vocabulary.vocabulary import fold
from scrubin.evaluate import side
from scrubin.evaluate.computation import ComparedMarks, Computation, Computed, Scoring, drawn_videos, number_of, refuse_foreign, with_alone
from scrubin.evaluate.metrics.criteria import SCOPES, Criteria, CriteriaVideo, Scope
from scrubin.evaluate.metrics.inputs import BoolArray
from scrubin.evaluate.metrics.variants import CRITERIA_CHOICES
from scrubin.evaluate.series import Series, paired, series_of
from scrubin.evaluate.side import Predictions, Source
from scrubin.labels import marks
from scrubin.labels.files.reader import NumberedLabels
from scrubin.labels.formats.ground_truth import sheets_in
from scrubin.labels.marks import mean_of_raters
from scrubin.labels.model import FloatArray, IntArray, Layer

OF_KIND: Mapping[str, Sequence[str]] = {"predictions": ("scope", "threshold"), "raters": ("threshold",)}
PLACES = 5
"""So many frames are named in a message."""


@dataclass(frozen=True, eq=False)
class Truth:
    """What annotators say.

    Parameters
    ----------
    series
        By video, values of shape (frames, criteria, annotators), NaN where somebody did not judge; frames that nobody judged are none.
    names, raters
        The criteria, and the annotators; one without a name stands for the mean of several.
    unjudged
        Those of the criteria that files have a place for, but nobody judged in any frame: they need not be predicted.
    faults, line
        What stops nothing, and as what the files were read.
    """

    series: Mapping[str, Series]
    names: tuple[str, ...]
    raters: tuple[str, ...]
    unjudged: frozenset[str] = frozenset()
    faults: tuple[Fault, ...] = ()
    line: str = ""


def truth_of(source: Source) -> Truth:
    """Return what annotators say.

    Raises
    ------
    ScrubinError
        For files that cannot be used, without a frame that somebody judged, or with a criterion in two spellings.
    """
    read = side.read_true_marks(replace(source, path=sheets_in(source.path, "marks")))
    layers = [(video, layer) for video in read.videos if (layer := video.labels.marks) is not None and len(layer.rows)]
    if not layers:
        what = f"no criterion is judged in these {read.form.name} files"
        raise MetricsError([error(str(source.path), "no-labels", what, "give labels of criteria"), *read.faults])
    MetricsError.raise_any(_repeated([layer for _, layer in layers]))
    judged = {name for _, layer in layers for name in marks.names_of(layer)}
    stated = {name for video, _ in layers for name in marks.stated_names(video.labels)}
    names, known = tuple(sorted(judged | stated)), {fold(name) for name in judged}
    names = tuple(name for name in names if name in judged or fold(name) not in known)
    raters = tuple(sorted({rater for _, layer in layers for rater in marks.raters_of(layer)}))
    series = {video.name: _series(video, layer, marks.by_rater(layer, names, raters)) for video, layer in layers}
    return Truth(series, names, raters, frozenset(names) - judged, read.faults, read.line)


def _series(video: NumberedLabels, layer: Layer, judged: FloatArray) -> Series:
    kept = ~np.isnan(judged).all(axis=(1, 2))
    return series_of(video, layer.file, layer.positions[kept], judged[kept])


def predictions_of(source: Source, truth: Truth) -> Predictions:
    """Return the predicted probabilities, values of shape (frames, criteria) with the criteria of the truth, NaN where a cell is empty.

    Raises
    ------
    ScrubinError
        For files that cannot be used, and for criteria that are missing, that stand twice, or that the truth does not have.
    """
    read = side.read_predicted_marks(source, truth.series, truth.names)
    written = [(video, layer) for video in read.videos if (layer := video.labels.marks) is not None]
    MetricsError.raise_any(fault for _, layer in written for fault in _repeated([layer]))
    layers = [(video, _renamed(layer, truth.names)) for video, layer in written]
    predicted: dict[str, set[str]] = {}
    for _, layer in layers:
        predicted.setdefault(layer.file, set()).update(marks.names_of(layer))
    MetricsError.raise_any(fault for file, names in sorted(predicted.items()) for fault in _name_faults(file, names, truth))
    series = {video.name: series_of(video, layer.file, layer.positions, marks.means(layer, truth.names)) for video, layer in layers}
    return Predictions(series, read.faults, read.line)


def _repeated(layers: Sequence[Layer]) -> list[Fault]:
    """Return the faults of criteria in two spellings: of two values of a frame only one would count."""
    spelled: dict[str, dict[str, str]] = {}
    for layer in layers:
        for name in marks.names_of(layer):
            spelled.setdefault(fold(name), {}).setdefault(name, layer.file)
    return [_in_two_spellings(files) for files in spelled.values() if len(files) > 1]


def _in_two_spellings(files: Mapping[str, str]) -> Fault:
    """Return the fault of one criterion with the file of each spelling."""
    *_, last = files.values()
    names = " and ".join(f"'{shown(name)}'{'' if file == last else f' of {file}'}" for name, file in files.items())
    return error(last, "criterion-repeated", f"{names} are one criterion", "keep one of them")


def _renamed(layer: Layer, names: Sequence[str]) -> Layer:
    """Return marks with the spelling of the truth."""
    known = {fold(name): name for name in names}
    own = {name: known.get(fold(name), name) for name in marks.names_of(layer)}
    return replace(layer, rows=layer.rows.assign(mark=layer.rows["mark"].map(own).astype("str")))


def _name_faults(file: str, predicted: set[str], truth: Truth) -> list[Fault]:
    names = truth.names
    unknown, missing = sorted(predicted - set(names)), [name for name in names if name not in predicted | truth.unjudged]
    faults = [error(file, "criterion-unknown", f"the labels have no criterion '{name}'", hint(name, names)) for name in unknown]
    if missing:
        what = (
            f"the criteria {', '.join(missing)} are not predicted" if len(missing) > 1 else f"the criterion {missing[0]} is not predicted"
        )
        faults.append(
            error(file, "criterion-missing", what, f"predict all of {', '.join(name for name in names if name not in truth.unjudged)}")
        )
    return faults


def computed(truth: Truth, predictions: Mapping[str, Series], choice: Mapping[str, str]) -> Scoring:
    """Return what is to be computed of both sides.

    Raises
    ------
    MetricsError
        When they do not fit each other, or a choice is not possible.
    """
    refuse_foreign(choice, CRITERIA_CHOICES["paper"], OF_KIND)
    met_from = "the mean of annotators from which a criterion is met, above 0 and up to 1"
    threshold = number_of("threshold", choice["threshold"], lambda value: 0 < value <= 1, met_from)
    joined = paired(truth.series, predictions)
    videos, missing = [], []
    for name, pair in joined.pairs.items():
        judged, predicted = truth.series[name].values[pair.truth], predictions[name].values[pair.prediction]
        lacks = np.isnan(predicted) & ~np.isnan(mean_of_raters(judged))
        missing += [_without_value(name, predictions[name], pair.frames, lacks, truth.names)] if lacks.any() else []
        # Where nobody judged nothing need be predicted.
        videos.append(CriteriaVideo(name, judged, np.where(np.isnan(predicted), 0.0, predicted)))
    MetricsError.raise_any(missing)
    whole = Criteria(videos, truth.names, threshold)
    results = with_alone(_computation(whole, truth, choice), "criteria", choice, lambda draw: (drawn_videos(videos, draw), truth.names))
    compared = ComparedMarks(videos, truth.names, threshold) if choice["kind"] == "predictions" else None
    return Scoring([Computed(tuple(joined.pairs), results, frames=joined.frames, compared=compared)], joined.faults, _notes(truth, choice))


def _computation(whole: Criteria, truth: Truth, choice: Mapping[str, str]) -> Computation:
    if choice["kind"] == "raters":
        if len(truth.raters) < 2 or "" in truth.raters:
            msg = "what annotators reach needs what each of them says, and these labels have only their mean; name files that have it"
            raise MetricsError(msg)
        return lambda draw: whole.of_raters(truth.raters, draw)
    scopes: Sequence[Scope] = SCOPES if choice["scope"] == "both" else [one for one in SCOPES if one == choice["scope"]]
    return lambda draw: whole.results(scopes, draw)


def _notes(truth: Truth, choice: Mapping[str, str]) -> list[str]:
    if truth.raters == ("",):
        who = "the labels name no annotator, they are of one or the mean of several"
    else:
        who = f"the truth is the mean of the annotators {', '.join(name or 'without name' for name in truth.raters)}"
    return [f"{who}: a criterion is met from {choice['threshold']} on; frames that nobody judged do not count"]


def _without_value(video: str, predicted: Series, frames: IntArray, lacks: BoolArray, names: Sequence[str]) -> Fault:
    columns = ", ".join(name for name, column in zip(names, lacks.T, strict=True) if column.any())
    at = frames[lacks.any(axis=1)].tolist()
    what = (
        f"{len(at)} judged frames have no prediction of {columns} ({', '.join(map(str, at[:PLACES]))}{' ...' if len(at) > PLACES else ''})"
    )
    return error(predicted.file or video, "not-predicted", what, "predict every criterion of every judged frame", place=predicted.place)
