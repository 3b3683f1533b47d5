"""Every metric by name: from two sides of files to what is computed of them."""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Protocol, TypeVar

from scrubin.base.errors import FileError, MetricsError, RecordingError, ScrubinError
from scrubin.base.faults import Fault, error, warning
from scrubin.evaluate import released_truth, side
from scrubin.evaluate.computation import Scoring, chosen, of_runs, stating
from scrubin.evaluate.metrics import error_recognition
from scrubin.evaluate.metrics.detection import compat_common as of_detection
from scrubin.evaluate.metrics.masks import compat_challenges
from scrubin.evaluate.metrics.phases import compat as of_phases
from scrubin.evaluate.metrics.recognition import compat as of_recognition
from scrubin.evaluate.metrics.registry import Quirk
from scrubin.evaluate.metrics.tracks import combined as of_tracks
from scrubin.evaluate.metrics.variants import MASK_KINDS, MASK_PROGRAMS, METRICS
from scrubin.evaluate.released_truth import ReleasedTruth
from scrubin.evaluate.series import Series, refuse_unread, without_truth
from scrubin.evaluate.side import Source
from scrubin.evaluate.tasks import criteria, detection, phases, points, recognition, recordings, tracks
from scrubin.evaluate.tasks.recognition import Ensemble
from scrubin.labels.formats.ground_truth import part_in

T = TypeVar("T")
Choices = Mapping[str, str]
"""The value of every choice."""


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

    truth: Source
    predictions: Sequence[Source]
    semantics: str = "paper"
    variant: Sequence[str] = ()
    videos: Mapping[str, int] | None = None
    ensemble: Ensemble | None = None
    weights: Sequence[float] = field(default=())


def scoring(name: str, order: Order) -> Scoring:
    """Return what is to be computed of an order, and what is to be said of its files.

    Raises
    ------
    ScrubinError
        As `computed`.
    """
    try:
        of_order = computed(name, order)
    except ScrubinError as refused:
        release, changed = _release_of(order)
        if release is None or changed is None:
            raise
        # What changed or is gone may be why.
        kind = MetricsError if isinstance(refused, (FileError, RecordingError)) else type(refused)  # these two take no faults
        raise kind([*released_truth.rightly_blamed(refused.faults, release), warning("", "truth-changed", changed)]) from refused
    release, changed = _release_of(order)
    copied = [note for source in order.predictions if (note := side.sentence_on_copied_truth(order.truth.path, source.path)) is not None]
    notes = [*of_order.notes, *copied, *([changed] if changed else [])]
    return replace(of_order, notes=notes, faults=released_truth.rightly_blamed(of_order.faults, release), release=release)


def _release_of(order: Order) -> tuple[ReleasedTruth | None, str | None]:
    """Return the release that the labels are of, and what of them is not as released."""
    release = released_truth.look(order.truth.path)
    return release, released_truth.sentence_on_changed(order.truth.path, release)


def labels_of(name: str, order: Order) -> Any:
    """Return the labels of an order as the metric reads them, for `computed`; errors as there."""
    return STEPS[name].labels(order, _choice(name, order))


def computed(name: str, order: Order, labels: Any = None) -> Scoring:
    """Return what is to be computed of an order; the files of the labels are not held against their hashes.

    Parameters
    ----------
    labels
        What `labels_of` returned of an order of the same labels, semantics and choices; None: they are read.

    Raises
    ------
    ScrubinError
        When files cannot be used or do not fit each other, or a choice is not known.
    """
    choice = _choice(name, order)
    if order.ensemble is not None and name != "recognition":
        raise MetricsError(f"ensembles are of recognition only, not of {name}; score the models one by one")
    steps = STEPS[name]
    truth = steps.labels(order, choice) if labels is None else labels
    found = steps.scoring(order, choice, truth)
    stated = _as_read(name, order, choice, truth)
    return replace(found, parts=[replace(one, results=stating(one.results, stated, unless=detection.IMAGE)) for one in found.parts])


def _as_read(name: str, order: Order, choice: Choices, labels: Any) -> dict[str, str]:
    """Return what numbers state of how the labels were read, where an option decided it: the same files can give others."""
    stated: dict[str, str] = {}
    size = order.truth.image_size
    if size is not None and isinstance(labels, detection.Boxes) and size in detection.sizes_of(labels):
        # A size that files state themselves, or that their format has, is the same without it.
        unsized = replace(order, truth=replace(order.truth, image_size=None))
        try:
            decides = detection.sizes_of(STEPS[name].labels(unsized, choice)) != detection.sizes_of(labels)
        except ScrubinError:
            decides = True
        stated |= {"image size": "{}x{}".format(*size)} if decides else {}
    if isinstance(labels, phases.Truth) and labels.at_end:
        stated["instant"] = order.truth.instant
    return stated


def _choice(name: str, order: Order) -> dict[str, str]:
    return chosen(METRICS[name].choices[order.semantics], order.variant, f"{name}, {order.semantics}")


def _recognition(order: Order, choice: Choices, truth: Any) -> Scoring:
    counted = replace(truth, series=_counted_truth(truth.series, order))
    sides = [recognition.predictions_of(source, counted) for source in order.predictions]
    _refuse_unread(order, truth, sides)
    models = [_counted(one.series, order) for one in sides]
    of_models: tuple[Fault, ...] = ()
    if order.ensemble is not None:
        names = [str(source.path) for source in order.predictions]
        ensemble, of_models = recognition.combined(counted, models, names, order.ensemble, order.weights)
        models = [ensemble]
    runs = [recognition.computed(counted, one, order.semantics, choice) for one in models]
    runs = [replace(one, faults=(*of_models, *one.faults)) for one in runs]
    return _of_sides([truth, *sides], runs, [*_ensemble(order), *_unknown(order, truth.series)])


def _ensemble(order: Order) -> list[str]:
    """Return a note of how models were combined: the same files as repeated runs give other numbers."""
    if order.ensemble is None:
        return []
    weights = f" with the weights {', '.join(f'{weight:g}' for weight in order.weights)}" if order.weights else ""
    return [f"scored is one ensemble ({order.ensemble}) of {len(order.predictions)} models{weights}"]


@dataclass(frozen=True)
class Sides:
    """How a task of frames is read and computed, side by side; what `submission check` and `rank` do of it as well.

    Parameters
    ----------
    truth
        Files and choices to the labels, with ``series``, ``faults`` and ``line``.
    predictions
        Files, the labels, the files of these and choices to what is predicted, with the same.
    computed
        Both, semantics and choices to what is to be computed.
    not_followed
        Why there is no semantics ``compat``; "" where published programs are followed.
    """

    truth: Callable[[Source, Choices], Any]
    predictions: Callable[[Source, Any, Source, Choices], Any]
    computed: Callable[[Any, Any, str, Choices], Scoring]
    not_followed: str = ""

    def counted_truth(self, truth: Any, order: Order) -> Any:
        """Return the labels of the videos that count; raises `MetricsError` where there are none."""
        return replace(truth, series=_counted_truth(truth.series, order))

    def counted(self, predictions: Any, order: Order) -> Any:
        """Return what is predicted of these videos."""
        return replace(predictions, series=_counted(predictions.series, order))

    def labels(self, order: Order, choice: Choices) -> Any:
        """Return the labels of an order; errors as of `scoring`."""
        if order.semantics == "compat" and self.not_followed:
            raise MetricsError(self.not_followed)
        return self.truth(order.truth, choice)

    def scoring(self, order: Order, choice: Choices, truth: Any) -> Scoring:
        """Return what is to be computed of an order and its labels; errors as of `scoring`."""
        labels = self.counted_truth(truth, order)
        sides = [self.predictions(source, labels, order.truth, choice) for source in order.predictions]
        _refuse_unread(order, truth, sides)
        runs = [self.computed(labels, self.counted(one, order), order.semantics, choice) for one in sides]
        return _of_sides([truth, *sides], runs, _unknown(order, truth.series))


def _drawn(source: Source, choice: Choices) -> Source:
    """Return the masks of a ground truth of ours, where masks are scored."""
    of_masks = choice.get("kind") in MASK_KINDS or choice.get("program") in MASK_PROGRAMS
    return replace(source, path=part_in(source.path, "masks.json")) if of_masks else source


def _pointed(source: Source) -> Source:
    return replace(source, path=part_in(source.path, "points.json"))


def _tracked(source: Source, choice: Choices) -> Source:
    """Return the tracks of a kind in a ground truth of ours, else those of no stated kind."""
    return replace(source, path=part_in(source.path, f"tracks/{choice['kind']}_track", "tracks/track"))


SIDES: Mapping[str, Sides] = {
    "detection": Sides(
        lambda source, choice: detection.truth_of(_drawn(source, choice)),
        lambda source, truth, of_truth, choice: detection.predictions_of(source, truth, _drawn(of_truth, choice)),
        detection.computed,
    ),
    "tracks": Sides(
        lambda source, choice: tracks.truth_of(_tracked(source, choice), choice),
        lambda source, truth, of_truth, choice: tracks.predictions_of(source, truth, _tracked(of_truth, choice), choice),
        tracks.computed,
    ),
    "points": Sides(
        lambda source, choice: points.truth_of(_pointed(source)),
        lambda source, truth, of_truth, choice: points.predictions_of(source, truth, _pointed(of_truth)),
        lambda truth, predictions, semantics, choice: points.computed(truth, predictions, choice),
        not_followed="no published program for points is followed; the semantics is 'paper', with the numbers of pycocotools",
    ),
    "criteria": Sides(
        lambda source, choice: criteria.truth_of(source),
        lambda source, truth, of_truth, choice: criteria.predictions_of(source, truth),
        lambda truth, predictions, semantics, choice: criteria.computed(truth, predictions.series, choice),
        not_followed="no published program for criteria is followed; "
        "the semantics is 'paper', with the mAP of Endoscapes and the CVS Challenge",
    ),
}
"""The tasks whose files are read side by side, in any format."""


def _true_phases(order: Order, choice: Choices) -> Any:
    truth = phases.truth_of(order.truth)
    return phases.in_order(truth, order.truth, choice["order"]) if order.semantics == "compat" else truth


def _phases(order: Order, choice: Choices, truth: Any) -> Scoring:
    if choice.get("kind") in phases.WITH_BACKGROUND and not any(one.startswith("background=") for one in order.variant):
        # That nobody says it can mean no phase, however the phases are called.
        choice = {name: value for name, value in choice.items() if name != "background"}
    counted = replace(truth, series=_counted_truth(truth.series, order))
    sides = [phases.predictions_of(source, counted) for source in order.predictions]
    _refuse_unread(order, truth, sides)
    # Means over runs are of the metric itself.
    of_runs = phases.computed(counted, [replace(one, series=_counted(one.series, order)) for one in sides], order.semantics, choice)
    return _of_sides([truth, *sides], [of_runs], [*_unknown(order, truth.series), *truth.notes])


def _true_skill(order: Order, choice: Choices) -> Sequence[recordings.TaskSheet]:
    if order.semantics == "compat":
        msg = "no published program for skill scores is known; the semantics is 'paper', with variant form=... for the forms of concordance"
        raise MetricsError(msg)
    return recordings.skill_sheets(order.truth)


def _skill(order: Order, choice: Choices, every: Sequence[recordings.TaskSheet]) -> Scoring:
    truth = _some(recordings.only(every, order.videos), order)
    of_runs = [recordings.skill_sheets(source) for source in order.predictions]
    runs = [recordings.skill_computed(truth, one, choice, order.truth) for one in of_runs]
    recordings.refuse_other_runs([source.path for source in order.predictions], runs)
    return _of_runs(runs, _of_sheets(every, *of_runs), _unknown(order, _recordings(every)))


def _errors(order: Order, choice: Choices, every: Sequence[recordings.TaskSheet]) -> Scoring:
    truth = _some(recordings.only(every, order.videos), order)
    of_runs = [recordings.error_sheets(source) for source in order.predictions]
    runs = [recordings.errors_computed(truth, recordings.only(one, order.videos), order.semantics) for one in of_runs]
    recordings.refuse_other_runs([source.path for source in order.predictions], runs)
    return _of_runs(runs, _of_sheets(every, *of_runs), _unknown(order, _recordings(every)))


def _of_sheets(*of_sides: Sequence[recordings.TaskSheet]) -> list[Fault]:
    return _by_side([[fault for sheet in of_side for fault in sheet.faults] for of_side in of_sides])


def _by_side(of_sides: Sequence[Sequence[Fault]]) -> list[Fault]:
    """Return the faults of labels and of predictions; what both have says of which it is, as files of both may have one name.

    Parameters
    ----------
    of_sides
        Those of the labels first.
    """
    truth, predicted = of_sides[0], [fault for of_run in of_sides[1:] for fault in of_run]
    of_both = {fault.cause for fault in truth} & {fault.cause for fault in predicted}
    roles = (("ground truth", truth), ("predictions", predicted))
    return [replace(one, what=f"{role}: {one.what}") if one.cause in of_both else one for role, of_role in roles for one in of_role]


def _recordings(every: Sequence[recordings.TaskSheet]) -> set[str]:
    return {str(id_) for sheet in every for id_ in sheet.rows.index}


def _of_runs(runs: Sequence[Scoring], faults: Sequence[Fault], notes: Sequence[str]) -> Scoring:
    """Return the same parts of all runs together, with what is to be said of sides and runs, each once."""
    parts = [of_runs(list(of_part)) for of_part in zip(*(run.parts for run in runs), strict=True)]
    every = dict.fromkeys([*faults, *(fault for run in runs for fault in run.faults)])
    return Scoring(parts, tuple(every), list(dict.fromkeys([*notes, *(note for run in runs for note in run.notes)])))


class _Read(Protocol):
    """What was read of one side, by any metric of frames."""

    @property
    def faults(self) -> tuple[Fault, ...]: ...

    @property
    def line(self) -> str: ...


def _of_sides(sides: Sequence[_Read], runs: Sequence[Scoring], notes: Sequence[str]) -> Scoring:
    scoring = _of_runs(runs, _by_side([one.faults for one in sides]), notes)
    return replace(scoring, read=[line for line in dict.fromkeys(one.line for one in sides) if line])


def _counted_truth(series: Mapping[str, Series], order: Order) -> dict[str, Series]:
    films = released_truth.film_frames(order.truth.path)
    return {name: replace(one, film=films.get(name)) for name, one in _some(_counted(series, order), order).items()}


def _counted(series: Mapping[str, Series], order: Order) -> dict[str, Series]:
    return {name: of_video for name, of_video in series.items() if order.videos is None or name in order.videos}


def _refuse_unread(order: Order, truth: Any, sides: Sequence[Any]) -> None:
    """Refuse what `refuse_unread` does, of the videos that count."""
    for one in sides:
        refuse_unread(_counted(truth.series, order), _counted(one.series, order), (*truth.faults, *one.faults))


def _unknown(order: Order, known: Container[str]) -> list[str]:
    """Return a note of videos that count but have no ground truth."""
    unknown = sorted(name for name in order.videos or () if name not in known)
    return [without_truth(unknown)] * bool(unknown)


def _some(counted: T, order: Order) -> T:
    if not counted:
        what = "none of the videos that count is in the ground truth"
        fix = released_truth.fix_of_names(order.truth.path, order.videos or ())
        raise MetricsError([error(str(order.truth.path), "video-missing", what, fix)])
    return counted


@dataclass(frozen=True)
class Steps:
    """How a metric is computed.

    Parameters
    ----------
    labels
        Order and chosen variant to the labels.
    scoring
        Both, and the labels, to what is to be computed.
    """

    labels: Callable[[Order, Choices], Any]
    scoring: Callable[[Order, Choices, Any], Scoring]


STEPS: Mapping[str, Steps] = {
    "recognition": Steps(lambda order, choice: recognition.truth_of(order.truth), _recognition),
    "detection": Steps(SIDES["detection"].labels, SIDES["detection"].scoring),
    "tracks": Steps(SIDES["tracks"].labels, SIDES["tracks"].scoring),
    "points": Steps(SIDES["points"].labels, SIDES["points"].scoring),
    "phases": Steps(_true_phases, _phases),
    "criteria": Steps(SIDES["criteria"].labels, SIDES["criteria"].scoring),
    "skill": Steps(_true_skill, _skill),
    "errors": Steps(lambda order, choice: recordings.error_sheets(order.truth), _errors),
}
"""What computes each of the metrics."""
QUIRKS: Mapping[str, Sequence[Quirk]] = {
    "recognition": of_recognition.QUIRKS,
    "detection": (*of_detection.QUIRKS, *compat_challenges.QUIRKS),
    "tracks": of_tracks.QUIRKS,
    "points": (),
    "phases": of_phases.QUIRKS,
    "criteria": (),
    "skill": (),
    "errors": error_recognition.QUIRKS,
}
"""Where published programs, papers differ, by metric."""
