"""One task of scoring: which files in, which numbers out."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TypeVar

from scrubin.errors import MetricsError
from scrubin.scoring import detection, detection_files, errors, phase_files, phases, recognition, recognition_files, sheets, skill
from scrubin.scoring.computed import Choice, Computed, chosen, of_runs
from scrubin.scoring.labels import Asked
from scrubin.scoring.recognition import Ensemble
from scrubin.scoring.tracks import Track

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
    truth = replace(truth, tracks=_kept(truth.tracks, order))
    models = [recognition_files.predictions_of(asked, truth) for asked in order.predictions]
    if order.ensemble is not None:
        models = [recognition.combined(models, order.ensemble, order.weights)]
    made = [recognition.computed(truth, one, order.semantics, choice) for one in models]
    return _runs(made, truth.notes)


def _detection(order: Order, choice: Mapping[str, str]) -> Made:
    truth = detection_files.truth_of(order.truth)
    truth = replace(truth, tracks=_kept(truth.tracks, order))
    models = [detection_files.predictions_of(asked, truth, order.truth) for asked in order.predictions]
    made = [detection.computed(truth, one, order.semantics, choice) for one in models]
    return _runs(made, [*truth.notes, *(note for one in models for note in one.notes)])


def _phases(order: Order, choice: Mapping[str, str]) -> Made:
    truth = phase_files.truth_of(order.truth)
    truth = replace(truth, tracks=_kept(truth.tracks, order))
    runs: list[dict[str, Track]] = [phase_files.predictions_of(asked, truth) for asked in order.predictions]
    made, notes = phases.computed(truth, runs, order.semantics, choice)
    return made, [*truth.notes, *notes]


def _skill(order: Order, choice: Mapping[str, str]) -> Made:
    if order.semantics == "compat":
        msg = "no published program for skill scores is known; the semantics is 'paper', with variant form=... for the forms of concordance"
        raise MetricsError(msg)
    truth = _some(sheets.only(skill.sheets_of(order.truth), order.videos), order)
    return _runs([skill.computed(truth, skill.sheets_of(asked), choice) for asked in order.predictions], ())


def _errors(order: Order, choice: Mapping[str, str]) -> Made:
    truth = _some(sheets.only(errors.sheets_of(order.truth), order.videos), order)
    return _runs([errors.computed(truth, errors.sheets_of(asked), order.semantics) for asked in order.predictions], ())


def _runs(made: Sequence[Made], notes: Sequence[str]) -> Made:
    """Return the same parts of all runs together."""
    parts = [of_runs(list(of_part)) for of_part in zip(*(found for found, _ in made), strict=True)]
    return parts, list(dict.fromkeys([*notes, *(note for _, more in made for note in more)]))


def _kept(tracks: Mapping[str, Track], order: Order) -> dict[str, Track]:
    wanted = order.videos
    return _some({name: track for name, track in tracks.items() if wanted is None or name in wanted}, order)


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
