"""One task of scoring: which files in, which numbers out."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from scrubin.errors import MetricsError
from scrubin.evaluation import sheets
from scrubin.evaluation.computation import Choice, Computed, chosen, of_runs
from scrubin.evaluation.label_files import Asked
from scrubin.evaluation.series import Track, listed
from scrubin.evaluation.tasks import detection, detection_files, errors, phase_files, phases, recognition, recognition_files, skill
from scrubin.evaluation.tasks.recognition import Ensemble

T = TypeVar("T")
Made = tuple[list[Computed], list[str]]


@dataclass(frozen=True)
class Order:
    """What is to be scored.

    Parameters
    ----------
    truth, predictions
        Files; several predictions are repeated runs, or the models of an ensemble.
    semantics
        ``paper`` or ``compat``.
    variant
        Choices, ``name=value``.
    videos
        Names that count; None: all of the ground truth.
    ensemble, weights
        How the models are combined; None: they are runs.
    """

    truth: Asked
    predictions: Sequence[Asked]
    semantics: str = "paper"
    variant: Sequence[str] = ()
    videos: Mapping[str, int] | None = None
    ensemble: Ensemble | None = None
    weights: Sequence[float] = field(default=())


@dataclass(frozen=True)
class Metric:
    """One kind of metric.

    Parameters
    ----------
    does
        For the help.
    choices
        By semantics.
    make
        Order and chosen variant to what is to be computed.
    """

    does: str
    choices: Mapping[str, Mapping[str, Choice]]
    make: Callable[[Order, Mapping[str, str]], Made]


def computed(name: str, order: Order) -> Made:
    """Return what is to be computed of an order, and what the user should know.

    Raises
    ------
    ScrubinError
        When files cannot be used or do not fit each other, or a choice is not known.
    """
    metric = METRICS[name]
    choice = chosen(metric.choices[order.semantics], order.variant, f"{name}, {order.semantics}")
    if order.ensemble is not None and name != "recognition":
        msg = f"ensembles are of recognition only, not of {name}; score the models one by one"
        raise MetricsError(msg)
    return metric.make(order, choice)


def _recognition(order: Order, choice: Mapping[str, str]) -> Made:
    truth = recognition_files.truth_of(order.truth)
    known = truth.tracks
    truth = replace(truth, tracks=_kept(truth.tracks, order))
    read = [recognition_files.predictions_of(asked, truth) for asked in order.predictions]
    models = [_wanted(tracks, order) for tracks, _ in read]
    if order.ensemble is not None:
        models = [recognition.combined(models, order.ensemble, order.weights)]
    made = [recognition.computed(truth, one, order.semantics, choice) for one in models]
    return _runs(made, [*_ensemble(order), *_unknown(order, known), *truth.notes, *(note for _, notes in read for note in notes)])


def _ensemble(order: Order) -> list[str]:
    """Return a note of how models were combined: the same files as repeated runs give other numbers."""
    if order.ensemble is None:
        return []
    weights = f" with the weights {', '.join(f'{weight:g}' for weight in order.weights)}" if order.weights else ""
    return [f"scored is one ensemble ({order.ensemble}) of {len(order.predictions)} models{weights}"]


def _detection(order: Order, choice: Mapping[str, str]) -> Made:
    truth = detection_files.truth_of(order.truth)
    known = truth.tracks
    truth = replace(truth, tracks=_kept(truth.tracks, order))
    models = [detection_files.predictions_of(asked, truth, order.truth) for asked in order.predictions]
    models = [replace(one, tracks=_wanted(one.tracks, order)) for one in models]
    made = [detection.computed(truth, one, order.semantics, choice) for one in models]
    return _runs(made, [*_unknown(order, known), *truth.notes, *(note for one in models for note in one.notes)])


def _phases(order: Order, choice: Mapping[str, str]) -> Made:
    truth = phase_files.truth_of(order.truth)
    known = truth.tracks
    truth = replace(truth, tracks=_kept(truth.tracks, order))
    read = [phase_files.predictions_of(asked, truth) for asked in order.predictions]
    made, notes = phases.computed(truth, [_wanted(tracks, order) for tracks, _ in read], order.semantics, choice)
    return made, list(dict.fromkeys([*_unknown(order, known), *truth.notes, *(note for _, more in read for note in more), *notes]))


def _skill(order: Order, choice: Mapping[str, str]) -> Made:
    if order.semantics == "compat":
        msg = "no published program for skill scores is known; the semantics is 'paper', with variant form=... for the forms of concordance"
        raise MetricsError(msg)
    every = skill.sheets_of(order.truth)
    truth = _some(sheets.only(every, order.videos), order)
    return _runs(
        [skill.computed(truth, skill.sheets_of(asked), choice) for asked in order.predictions], _unknown(order, _recordings(every))
    )


def _errors(order: Order, choice: Mapping[str, str]) -> Made:
    every = errors.sheets_of(order.truth)
    truth = _some(sheets.only(every, order.videos), order)
    made = [errors.computed(truth, sheets.only(errors.sheets_of(asked), order.videos), order.semantics) for asked in order.predictions]
    return _runs(made, _unknown(order, _recordings(every)))


def _recordings(every: Sequence[sheets.Sheet]) -> set[str]:
    return {str(id_) for sheet in every for id_ in sheet.rows.index}


def _runs(made: Sequence[Made], notes: Sequence[str]) -> Made:
    """Return the same parts of all runs together."""
    parts = [of_runs(list(of_part)) for of_part in zip(*(found for found, _ in made), strict=True)]
    return parts, list(dict.fromkeys([*notes, *(note for _, more in made for note in more)]))


def _kept(tracks: Mapping[str, Track], order: Order) -> dict[str, Track]:
    return _some(_wanted(tracks, order), order)


def _wanted(tracks: Mapping[str, Track], order: Order) -> dict[str, Track]:
    return {name: track for name, track in tracks.items() if order.videos is None or name in order.videos}


def _unknown(order: Order, known: Container[str]) -> list[str]:
    """Return a note of videos that count but have no ground truth."""
    unknown = sorted(name for name in order.videos or () if name not in known)
    return [f"{len(unknown)} videos that count are not in the ground truth: {listed(unknown)}"] * bool(unknown)


def _some(found: T, order: Order) -> T:
    if not found:
        msg = f"{order.truth.path}: none of the videos that count is in the ground truth; name them as there"
        raise MetricsError(msg)
    return found


METRICS: Mapping[str, Metric] = {
    "recognition": Metric("average precision and top-k accuracy of triplets and their parts, per frame", recognition.CHOICES, _recognition),
    "detection": Metric("average precision, best confidence and association of boxes", detection.CHOICES, _detection),
    "phases": Metric("accuracy, precision, recall, F1, Jaccard; relaxed boundaries", phases.CHOICES, _phases),
    "skill": Metric("Lin's concordance, Spearman's correlation, mean absolute error of scores", skill.CHOICES, _skill),
    "errors": Metric("accuracy, balanced accuracy, sensitivity, specificity of errors", errors.CHOICES, _errors),
}
"""Every kind of metric by name."""
